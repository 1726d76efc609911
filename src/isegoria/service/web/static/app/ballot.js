// Answers are saved as they are tapped, and the last tap can be taken back; without this script a button saves them.
import { pageData, runSave, translate } from "./group_page.js";

/** `tell(values)` sends what she likes, by name. */
export function initBallot(submit) {
  const form = document.querySelector("form.saves");
  if (!form) return;
  const boxes = [...form.querySelectorAll("input[data-arm]")], status = form.querySelector(".saved");
  const read = form.matches(".favourites") ? readFavourites(form, boxes) : readStars(form), sends = form.querySelector(".save");
  sends.hidden = true;
  const state = () => boxes.map((box) => box.checked);
  let before = boxes.map((box) => box.defaultChecked), last = Promise.resolve();

  async function save(undoes, turn) {
    let now, told;
    const answer = await runSave(async () => {
      await turn.catch(() => {});
      [now, told] = [state(), read()];
      return submit(Object.fromEntries(told));
    }).catch((fault) => {
      if (!(fault instanceof TypeError)) throw fault; // fetch never arrived
      return { ok: false, body: { error: translate("no_answer") } };
    });
    sends.hidden = answer.ok;
    if (!answer.ok) { status.textContent = translate("not_saved", { why: answer.body.error }); return; }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = translate("undo");
    const earlier = before;
    button.onclick = () => { boxes.forEach((box, i) => { box.checked = earlier[i]; }); change(true); };
    const late = pageData.phase === "frozen" ? ` ${translate("counts_from_next")}` : "";
    const count = form.matches(".favourites") ? ` ${translate("chosen_count", { count: now.filter(Boolean).length })}.` : "";
    status.replaceChildren(`${translate("saved_now")}.${count}${late} `, ...(undoes ? [] : [button]));
    before = now;
    document.getElementById("not-yet")?.toggleAttribute("hidden", told.some(([, star]) => star !== null));
  }

  const change = (undoes = false) => { last = save(undoes, last); };
  form.addEventListener("change", () => change());
  form.addEventListener("submit", (event) => { event.preventDefault(); change(); });
  if (state().some((on, i) => on !== before[i])) change(); // tapped before this script had come
}

// [option, stars] of each: a tap is the highest, no tap the lowest, and nothing tapped is no answer.
function readFavourites(form, boxes) {
  const { high, low } = form.dataset;
  return () => {
    const some = boxes.some((box) => box.checked);
    return boxes.map((box) => [box.dataset.arm, some && (box.checked || low !== "") ? Number(box.checked ? high : low) : null]);
  };
}

const readStars = (form) => () => [...form.querySelectorAll("input[data-arm]:checked")]
  .map((box) => [box.dataset.arm, box.value === "" ? null : Number(box.value)]);
