// Answers are saved as they are tapped, and the last tap can be taken back; without this script a button saves them.
import { about, saves, say } from "./shared.js";

/** `tell(values)` sends what she likes, by name. */
export function ballot(tell) {
  const form = document.querySelector("form.saves");
  if (!form) return;
  const boxes = [...form.querySelectorAll("input[data-arm]")], status = form.querySelector(".saved");
  const read = form.matches(".favourites") ? tapped(form, boxes) : starred(form), sends = form.querySelector(".save");
  sends.hidden = true;
  const state = () => boxes.map((box) => box.checked);
  let before = boxes.map((box) => box.defaultChecked), last = Promise.resolve();

  async function save(undoes, turn) {
    let now, told;
    const answer = await saves(async () => {
      await turn.catch(() => {});
      [now, told] = [state(), read()];
      return tell(Object.fromEntries(told));
    }).catch((fault) => {
      if (!(fault instanceof TypeError)) throw fault; // fetch never arrived
      return { ok: false, body: { error: say("no_answer") } };
    });
    sends.hidden = answer.ok;
    if (!answer.ok) { status.textContent = say("not_saved", { why: answer.body.error }); return; }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = say("undo");
    const earlier = before;
    button.onclick = () => { boxes.forEach((box, i) => { box.checked = earlier[i]; }); change(true); };
    const late = about.phase === "frozen" ? ` ${say("counts_from_next")}` : "";
    const count = form.matches(".favourites") ? ` ${say("chosen_count", { count: now.filter(Boolean).length })}.` : "";
    status.replaceChildren(`${say("saved_now")}.${count}${late} `, ...(undoes ? [] : [button]));
    before = now;
    document.getElementById("not-yet")?.toggleAttribute("hidden", told.some(([, star]) => star !== null));
  }

  const change = (undoes = false) => { last = save(undoes, last); };
  form.addEventListener("change", () => change());
  form.addEventListener("submit", (event) => { event.preventDefault(); change(); });
  if (state().some((on, i) => on !== before[i])) change(); // tapped before this script had come
}

// [option, stars] of each: a tap is the highest, no tap the lowest, and nothing tapped is no answer.
function tapped(form, boxes) {
  const { high, low } = form.dataset;
  return () => {
    const some = boxes.some((box) => box.checked);
    return boxes.map((box) => [box.dataset.arm, some && (box.checked || low !== "") ? Number(box.checked ? high : low) : null]);
  };
}

const starred = (form) => () => [...form.querySelectorAll("input[data-arm]:checked")]
  .map((box) => [box.dataset.arm, box.value === "" ? null : Number(box.value)]);
