// Favourites are saved as they are tapped, and the last tap can be taken back; without this script a button saves them.
import { about, saves, say } from "./shared.js";

/** `tell(values)` sends what she likes, by name. */
export function ballot(tell) {
  const form = document.querySelector("form.favourites");
  if (!form) return;
  const boxes = [...form.querySelectorAll("input[type=checkbox]")], status = form.querySelector(".saved");
  const { high, low } = form.dataset;
  form.querySelector(".save").hidden = true;
  const state = () => boxes.map((box) => box.checked);
  let before = boxes.map((box) => box.defaultChecked), last = Promise.resolve();

  async function save(undoes) {
    const now = state(), some = now.some(Boolean);
    const stars = now.map((on) => (some && (on || low !== "") ? Number(on ? high : low) : null));
    const values = Object.fromEntries(boxes.map((box, i) => [box.dataset.arm, stars[i]]));
    const answer = await saves(() => tell(values));
    if (!answer.ok) { status.textContent = say("not_saved", { why: answer.body.error }); return; }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = say("undo");
    const earlier = before;
    button.onclick = () => { boxes.forEach((box, i) => { box.checked = earlier[i]; }); change(true); };
    const late = about.phase === "frozen" ? ` ${say("counts_from_next")}` : "";
    status.replaceChildren(`${say("saved_now")}.${late} `, ...(undoes ? [] : [button]));
    before = now;
    document.getElementById("not-yet")?.toggleAttribute("hidden", some);
  }

  const change = (undoes = false) => { last = last.then(() => save(undoes)); };
  form.addEventListener("change", () => change());
  form.addEventListener("submit", (event) => { event.preventDefault(); change(); });
  if (state().some((on, i) => on !== before[i])) change(); // tapped before this script had come
}
