// A first group: names become chips as one types, and people and options may come from a spreadsheet, which the server
// reads and does not keep. What is sent is what stands in the fields, one name a line, with or without this script.
const words = await (await fetch(`/static/words/pages.${document.documentElement.lang}.json`)).json();
const form = document.getElementById("new"), said = document.getElementById("sheet-said");
const start = new URLSearchParams(location.hash.slice(1)).get("k");
if (start && form.elements.start) { form.elements.start.value = start; history.replaceState(null, "", location.pathname); }

if (!form.elements.zone.value) form.elements.zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

/** The names in a text, as the server takes them: one a line, or with commas between them on one line. */
function parted(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.length === 1 ? lines[0].split(/[,;\t]/).map((part) => part.trim()).filter(Boolean) : lines;
}

/** A field of names: what is written becomes a chip with a comma, enter, a paste, or when one goes on to something else. */
class Names {
  constructor(name) {
    this.area = form.elements[name];
    this.chips = form.querySelector(`.chips[data-for=${name}]`);
    this.count = document.getElementById(`count-${name}`);
    this.taken = [];
    this.typed = Object.assign(document.createElement("input"), { type: "text", autocomplete: "off", enterKeyHint: "next", placeholder: this.area.placeholder });
    this.typed.setAttribute("aria-describedby", this.count.id);
    this.typed.id = `typed-${name}`;
    this.chips.append(this.typed);
    this.typed.addEventListener("input", () => { if (/[,;\n\t]/.test(this.typed.value)) this.take(); else this.show(); });
    this.typed.addEventListener("keydown", (event) => this.key(event));
    this.typed.addEventListener("paste", (event) => {
      event.preventDefault();
      this.add(parted(this.typed.value + event.clipboardData.getData("text")));
      this.typed.value = "";
    });
    this.typed.addEventListener("blur", () => this.take());
    this.area.addEventListener("input", () => this.fill(this.area.value)); // filled by somebody else's hand
    this.fill(this.area.value);
    const label = Object.assign(document.createElement("label"), { className: "label", htmlFor: this.typed.id, textContent: this.area.closest("label").firstChild.textContent.trim() });
    this.area.closest("label").replaceWith(label, this.area);
    this.area.hidden = true;
    this.area.required = false;
    this.chips.hidden = false;
  }

  key(event) {
    if (event.key === "Enter") { event.preventDefault(); this.take(); }
    if (event.key === "Backspace" && !this.typed.value && this.taken.length) this.remove(this.taken.at(-1));
  }

  fill(text) { this.taken = []; this.add(parted(text)); }
  take() { this.add(parted(this.typed.value)); this.typed.value = ""; }
  remove(name) { this.taken = this.taken.filter((one) => one !== name); this.show(); this.typed.focus(); }

  add(names) {
    const twice = names.filter((name, i) => this.taken.includes(name) || names.indexOf(name) < i);
    this.taken = [...new Set([...this.taken, ...names])];
    this.show(twice[0]);
  }

  show(twice = null) {
    this.area.value = [...this.taken, ...parted(this.typed.value)].join("\n");
    for (const old of this.chips.querySelectorAll(".chip")) old.remove();
    this.typed.before(...this.taken.map((name) => this.chip(name)));
    this.typed.placeholder = this.taken.length ? "" : this.area.placeholder;
    const own = this.area.name === "members" ? form.elements.me.value.trim() : "";
    const all = this.area.value.split("\n").filter(Boolean), number = all.length + (own && !all.includes(own) ? 1 : 0);
    const { one, many, twice: note } = this.count.dataset;
    this.count.textContent = [number ? (number === 1 ? one : filled(many, { count: number })) : "", twice ? filled(note, { name: twice }) : ""].filter(Boolean).join(" · ");
  }

  chip(name) {
    const chip = document.createElement("span"), away = document.createElement("button");
    chip.className = "chip";
    Object.assign(away, { type: "button", textContent: "×", ariaLabel: filled(this.count.dataset.away, { name }), onclick: () => this.remove(name) });
    chip.append(name, away);
    return chip;
  }
}

const fields = { arms: new Names("arms"), members: new Names("members") };
form.elements.me.addEventListener("input", () => fields.members.show());
form.addEventListener("submit", (event) => {
  for (const field of Object.values(fields)) {
    field.take();
    if (!field.taken.length && !(field === fields.members && form.elements.me.value.trim())) {
      event.preventDefault();
      field.count.textContent = words.needs_names;
      field.typed.focus();
    }
  }
});

document.getElementById("sheet").onchange = async (event) => {
  const file = event.target.files[0];
  if (!file) return;
  const scale = `${form.elements.low.value},${form.elements.high.value}`;
  const headers = form.elements.start?.value ? { authorization: `Bearer ${form.elements.start.value}` } : {};
  const answer = await (await fetch(`/sheet?${new URLSearchParams({ name: file.name, scale, missing: "lowest" })}`, { method: "POST", body: file, headers })).json();
  if (answer.error) { said.textContent = answer.error; return; }
  fields.arms.fill(answer.arms.join("\n"));
  fields.members.fill(answer.members.join("\n"));
  said.textContent = filled(words.sheet_read, { members: answer.members.length, arms: answer.arms.length });
};

for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
