// A first group: names become chips as one types, and people and options may come from a spreadsheet, which the server
// reads and does not keep. What is sent is what stands in the fields, one name a line, with or without this script.
const words = await (await fetch(`/static/translations/pages.${document.documentElement.lang}.json`)).json();
const form = document.getElementById("new"), said = document.getElementById("sheet-said");
const start = new URLSearchParams(location.hash.slice(1)).get("k");
if (start && form.elements.start) { form.elements.start.value = start; history.replaceState(null, "", location.pathname); }

if (!form.elements.zone.value) form.elements.zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

let mine = {};
try { mine = JSON.parse(localStorage.getItem("isegoria groups")) ?? {}; } catch { /* a browser that keeps nothing knows no groups */ }
document.querySelector("#mine ul").append(...Object.entries(mine).map(([group, title]) => {
  const row = document.createElement("li");
  row.append(Object.assign(document.createElement("a"), { href: `/g/${group}`, textContent: title }));
  return row;
}));
document.getElementById("mine").hidden = !Object.keys(mine).length;

const fillPlaceholders = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

/** The names in a text, as the server takes them: one a line, or with commas between them on one line. */
function parseNames(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.length === 1 ? lines[0].split(/[,;\t]/).map((part) => part.trim()).filter(Boolean) : lines;
}

/** A field of names: what is written becomes a chip with a comma, enter, a paste, or when one goes on to something else. */
class NameField {
  constructor(name) {
    this.area = form.elements[name];
    this.chips = form.querySelector(`.chips[data-for=${name}]`);
    this.count = document.getElementById(`count-${name}`);
    this.names = [];
    this.input = Object.assign(document.createElement("input"), { type: "text", autocomplete: "off", enterKeyHint: "next", placeholder: this.area.placeholder });
    this.input.setAttribute("aria-describedby", this.count.id);
    this.input.id = `typed-${name}`;
    this.chips.append(this.input);
    this.input.addEventListener("input", () => { if (/[,;\n\t]/.test(this.input.value)) this.addTypedNames(); else this.render(); });
    this.input.addEventListener("keydown", (event) => this.handleKey(event));
    this.input.addEventListener("paste", (event) => {
      event.preventDefault();
      const pasted = parseNames(this.input.value + event.clipboardData.getData("text"));
      this.input.value = "";
      this.add(pasted);
    });
    this.input.addEventListener("blur", () => this.addTypedNames());
    this.area.addEventListener("input", () => this.setText(this.area.value)); // filled by somebody else's hand
    this.setText(this.area.value);
    const label = Object.assign(document.createElement("label"), { className: "label", htmlFor: this.input.id, textContent: this.area.closest("label").firstChild.textContent.trim() });
    this.area.closest("label").replaceWith(label, this.area);
    this.area.hidden = true;
    this.area.required = false;
    this.chips.hidden = false;
  }

  handleKey(event) {
    if (event.key === "Enter") { event.preventDefault(); this.addTypedNames(); }
    if (event.key === "Backspace" && !this.input.value && this.names.length) this.remove(this.names.at(-1));
  }

  setText(text) { this.names = []; this.add(parseNames(text)); }
  addTypedNames() {
    const typed = this.input.value;
    this.input.value = ""; // before they are counted
    this.add(parseNames(typed));
  }
  remove(name) { this.names = this.names.filter((one) => one !== name); this.render(); this.input.focus(); }

  add(names) {
    const twice = names.filter((name, i) => this.names.includes(name) || names.indexOf(name) < i);
    this.names = [...new Set([...this.names, ...names])];
    this.render(twice[0]);
  }

  render(twice = null) {
    this.area.value = [...this.names, ...parseNames(this.input.value)].join("\n");
    for (const old of this.chips.querySelectorAll(".chip")) old.remove();
    this.input.before(...this.names.map((name) => this.makeChip(name)));
    this.input.placeholder = this.names.length ? "" : this.area.placeholder;
    const own = this.area.name === "members" ? form.elements.me.value.trim() : "";
    const all = this.area.value.split("\n").filter(Boolean), number = all.length + (own && !all.includes(own) ? 1 : 0);
    const { one, many, twice: note } = this.count.dataset;
    this.count.textContent = [number ? (number === 1 ? one : fillPlaceholders(many, { count: number })) : "", twice ? fillPlaceholders(note, { name: twice }) : ""].filter(Boolean).join(" · ");
  }

  makeChip(name) {
    const chip = document.createElement("span"), away = document.createElement("button");
    chip.className = "chip";
    Object.assign(away, { type: "button", textContent: "×", ariaLabel: fillPlaceholders(this.count.dataset.away, { name }), onclick: () => this.remove(name) });
    chip.append(name, away);
    return chip;
  }
}

const fields = { arms: new NameField("arms"), members: new NameField("members") };
form.elements.me.addEventListener("input", () => fields.members.render());
form.addEventListener("submit", (event) => {
  for (const field of Object.values(fields)) {
    field.addTypedNames();
    if (!field.names.length && !(field === fields.members && form.elements.me.value.trim())) {
      event.preventDefault();
      field.count.textContent = words.needs_names;
      field.input.focus();
    }
  }
});

for (const card of form.querySelectorAll("input[name=kind]")) { // a card sets how and how often; each can still be changed
  card.onchange = () => {
    const { learner, recurrence, single_use: usedUp } = JSON.parse(card.dataset.sets);
    form.elements.learner.value = learner;
    form.elements.recurrence.value = recurrence;
    form.elements.single_use.checked = usedUp === "yes";
  };
}

document.getElementById("sheet").onchange = async (event) => {
  const file = event.target.files[0];
  if (!file) return;
  const scale = `${form.elements.low.value},${form.elements.high.value}`;
  const headers = form.elements.start?.value ? { authorization: `Bearer ${form.elements.start.value}` } : {};
  const answer = await (await fetch(`/sheet?${new URLSearchParams({ name: file.name, scale, missing: "lowest" })}`, { method: "POST", body: file, headers })).json();
  if (answer.error) { said.textContent = answer.error; return; }
  fields.arms.setText(answer.arms.join("\n"));
  fields.members.setText(answer.members.join("\n"));
  said.textContent = fillPlaceholders(words.sheet_read, { members: answer.members.length, arms: answer.arms.length });
};

document.querySelector(".ways a[href='#new']").onclick = () => setTimeout(() => form.elements.title.focus());
for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
