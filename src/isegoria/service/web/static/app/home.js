// A first group: people and options may come from a spreadsheet, which the server reads and does not keep.
const words = await (await fetch(`/static/words/pages.${document.documentElement.lang}.json`)).json();
const form = document.getElementById("new"), said = document.getElementById("sheet-said");
const start = new URLSearchParams(location.hash.slice(1)).get("k");
if (start && form.elements.start) { form.elements.start.value = start; history.replaceState(null, "", location.pathname); }

document.getElementById("sheet").onchange = async (event) => {
  const file = event.target.files[0];
  if (!file) return;
  const scale = `${form.elements.low.value},${form.elements.high.value}`;
  const headers = form.elements.start?.value ? { authorization: `Bearer ${form.elements.start.value}` } : {};
  const answer = await (await fetch(`/sheet?${new URLSearchParams({ name: file.name, scale, missing: "lowest" })}`, { method: "POST", body: file, headers })).json();
  if (answer.error) { said.textContent = answer.error; return; }
  form.elements.arms.value = answer.arms.join("\n");
  form.elements.members.value = answer.members.join("\n");
  said.textContent = words.sheet_read.replace("{members}", answer.members.length).replace("{arms}", answer.arms.length);
};

for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
