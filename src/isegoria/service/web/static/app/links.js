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

async function draw(button) { // the picture of one link; it is asked for in a body, which no log keeps
  const card = button.closest("section");
  const answer = await fetch("/qr", { method: "POST", headers: { "content-type": "text/plain" }, body: card.querySelector("a").href });
  if (!answer.ok) return;
  card.querySelector(".qr").replaceChildren(document.importNode(new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement, true));
  button.closest("p").remove();
}

for (const button of document.querySelectorAll("button.draw")) button.onclick = () => draw(button);
document.getElementById("print").onclick = async () => {
  for (const button of document.querySelectorAll("button.draw")) await draw(button);
  print();
};
for (const button of document.querySelectorAll("button.copy")) button.onclick = () => copy(button.closest("section").querySelector("a").href);

for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
