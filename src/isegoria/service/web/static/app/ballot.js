// Answers are saved as they are tapped, and the last tap can be taken back; without this script a button saves them. An
// answer is kept on this device until the server has it: one that was given offline is sent when the network is back.
import { pageData, runSave, translate, accessLocalStorage } from "./group_page.js";

const RETRY_MS = 5000; // milliseconds
const keptName = () => `isegoria answer ${pageData.group} ${pageData.number}`;
let resend = () => {};
addEventListener("online", () => resend());

/** `submit(values)` sends what a member likes, by name. */
export function initBallot(submit) {
  resend = () => {};
  const form = document.querySelector("form.saves");
  if (!form) return;
  const boxes = [...form.querySelectorAll("input[data-arm]")], status = form.querySelector(".saved");
  const read = form.matches(".favourites") ? readFavourites(form, boxes) : readStars(form), sends = form.querySelector(".save");
  sends.hidden = true;
  const state = () => boxes.map((box) => box.checked), identify = (box) => `${box.dataset.arm} ${box.value}`;
  let before = boxes.map((box) => box.defaultChecked), last = Promise.resolve(), timer = null;

  async function save(undoes, turn) {
    let now, told;
    const answer = await runSave(async () => {
      await turn.catch(() => {});
      [now, told] = [state(), read()];
      return submit(Object.fromEntries(told));
    }).catch((fault) => {
      if (!(fault instanceof TypeError)) throw fault; // fetch never arrived
      return { ok: false, status: 0 };
    });
    if (!form.isConnected && !answer.ok) return; // the page has new contents, and its own ballot sends what was kept
    const isUnsent = !answer.ok && (!answer.status || answer.status >= 500);
    clearTimeout(timer);
    sends.hidden = answer.ok;
    if (isUnsent) {
      status.textContent = translate("not_sent_yet");
      timer = setTimeout(() => resend(), RETRY_MS);
      return;
    }
    if (JSON.stringify(now) === JSON.stringify(state())) accessLocalStorage(keptName(), null);
    if (!answer.ok) { status.textContent = translate("not_saved", { why: answer.body.error }); return; }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = translate("undo");
    const earlier = before;
    button.onclick = () => { boxes.forEach((box, i) => { box.checked = earlier[i]; }); change(true); };
    const count = form.matches(".favourites") ? ` ${translate("chosen_count", { count: now.filter(Boolean).length })}.` : "";
    const late = pageData.countsFrom ? ` ${translate("counts_from_day", { day: pageData.countsFrom })}` : "";
    status.replaceChildren(`${translate("saved_now")}.${count}${late} `, ...(undoes ? [] : [button]));
    before = now;
    document.getElementById("not-yet")?.toggleAttribute("hidden", told.some(([, star]) => star !== null));
  }

  const change = (undoes = false) => {
    accessLocalStorage(keptName(), boxes.filter((box) => box.checked).map(identify));
    last = save(undoes, last);
  };
  resend = () => { if (form.isConnected && accessLocalStorage(keptName())) { clearTimeout(timer); change(); } };
  form.addEventListener("change", () => change());
  form.addEventListener("submit", (event) => { event.preventDefault(); change(); });
  const kept = accessLocalStorage(keptName());
  if (kept) for (const box of boxes) box.checked = kept.includes(identify(box));
  if (kept || state().some((on, i) => on !== before[i])) change(); // kept since the network went, or tapped before this script had come
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
