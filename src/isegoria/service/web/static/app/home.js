// A first group: people and options may come from a spreadsheet, which the server reads and does not keep.
const words = await (await fetch(`/static/words/pages.${document.documentElement.lang}.json`)).json();
const form = document.getElementById("new"), said = document.getElementById("sheet-said");
const start = new URLSearchParams(location.hash.slice(1)).get("k");
if (start && form.elements.start) { form.elements.start.value = start; history.replaceState(null, "", location.pathname); }

if (!form.elements.zone.value) form.elements.zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

// What was typed, as the server will take it: one a line, or with commas on one line; counted before the group is made.
function count(name) {
  const typed = form.elements[name].value.split("\n").map((line) => line.trim()).filter(Boolean);
  const found = typed.length === 1 ? typed[0].split(/[,;\t]/).map((part) => part.trim()).filter(Boolean) : typed;
  const own = name === "members" ? form.elements.me.value.trim() : "";
  if (own && !found.includes(own)) found.unshift(own);
  const place = document.getElementById(`count-${name}`);
  place.textContent = found.length ? place.dataset.says.replace("{count}", found.length).replace("{names}", found.join(" · ")) : "";
}
const recount = () => ["arms", "members"].forEach(count);
form.addEventListener("input", recount);
recount();

document.getElementById("sheet").onchange = async (event) => {
  const file = event.target.files[0];
  if (!file) return;
  const scale = `${form.elements.low.value},${form.elements.high.value}`;
  const headers = form.elements.start?.value ? { authorization: `Bearer ${form.elements.start.value}` } : {};
  const answer = await (await fetch(`/sheet?${new URLSearchParams({ name: file.name, scale, missing: "lowest" })}`, { method: "POST", body: file, headers })).json();
  if (answer.error) { said.textContent = answer.error; return; }
  form.elements.arms.value = answer.arms.join("\n");
  form.elements.members.value = answer.members.join("\n");
  recount();
  said.textContent = words.sheet_read.replace("{members}", answer.members.length).replace("{arms}", answer.arms.length);
};

for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
