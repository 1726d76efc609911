// Links to hand out, one at a time: copied, shared where the device can, or printed as cards. No text holds two people's.
import { copy, share } from "./sharing.js";

const words = await (await fetch(`/static/words/pages.${document.documentElement.lang}.json`)).json();
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
if (printing) printing.onclick = () => { printing.closest("details").open = true; print(); };
for (const node of document.querySelectorAll(".scripted")) node.hidden = false; // now that they answer
