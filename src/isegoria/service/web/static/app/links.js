// Links to hand out, one at a time: copied, shared where the device can, or printed as cards. No text holds two people's.
import { copy, share } from "./sharing.js";

const words = await (await fetch(`/static/translations/pages.${document.documentElement.lang}.json`)).json();
const said = document.getElementById("copied");
const address = (id) => document.getElementById(id).href;

for (const button of document.querySelectorAll("button.copy")) {
  button.onclick = async () => { said.textContent = (await copy(address(button.dataset.copies))) ? words.copied : words.copy_by_hand; };
}
for (const button of document.querySelectorAll("button.share")) {
  button.hidden = !navigator.share;
  button.onclick = () => share({ text: document.getElementById(button.dataset.shares).dataset.share, url: address(button.dataset.shares) });
}
const printing = document.getElementById("print");

async function showQrCode(button) { // the picture of one link; it is asked for in a body, which no log keeps
  const card = button.closest("section");
  const answer = await fetch("/qr", { method: "POST", headers: { "content-type": "text/plain" }, body: card.querySelector("a").href });
  if (!answer.ok) return;
  card.querySelector(".qr").replaceChildren(document.importNode(new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement, true));
  button.closest("p").remove();
}

for (const button of document.querySelectorAll("button.draw")) button.onclick = () => showQrCode(button);
if (printing) {
  printing.onclick = async () => {
    printing.closest("details").open = true;
    for (const button of document.querySelectorAll("button.draw")) await showQrCode(button);
    print();
  };
}
for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
