// A field that searches a long list: what does not hold the typed letters is hidden.
const MAX_ITEMS_UNSEARCHED = 12;

/** Put a search field before `list` if it has many `items`. */
export function addFilter(list, items, label) {
  if (!list || items.length <= MAX_ITEMS_UNSEARCHED || list.previousElementSibling?.matches(".filter")) return;
  const field = Object.assign(document.createElement("input"), { type: "search", className: "filter", placeholder: label, ariaLabel: label, autocomplete: "off" });
  field.oninput = (event) => {
    event.stopPropagation(); // nothing is half written here
    const wanted = field.value.trim().toLocaleLowerCase();
    for (const one of items) one.hidden = !(one.querySelector("bdi") ?? one).textContent.toLocaleLowerCase().includes(wanted);
  };
  list.before(field);
}
