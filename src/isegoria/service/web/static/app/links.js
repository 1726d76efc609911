// Links to hand out: copied one by one or all at once, or printed as cards.
const words = await (await fetch(`/static/words/pages.${document.documentElement.lang}.json`)).json();
const said = document.getElementById("copied");

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // plain http under a name has no clipboard of this kind
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  said.textContent = words.copied;
}

const links = [...document.querySelectorAll("a[data-name]")];
document.getElementById("copy-all").onclick = () => copy(links.map((link) => `${link.dataset.name}: ${link.href}`).join("\n"));
document.getElementById("print").onclick = () => print();
for (const button of document.querySelectorAll("button.copy")) button.onclick = () => copy(button.closest("section").querySelector("a").href);

for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
