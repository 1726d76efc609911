// The draw as a moment: who waited on the open page sees the wheel, with their own part lit, before the result stands anywhere.
// It shows what was decided, and decides nothing; a tap ends it, and where less motion is wanted it stands still.
import { pageData, translate } from "./group_page.js";

const SVG = "http://www.w3.org/2000/svg", SPIN_MS = 2000, STILL_MS = 1200, LABEL_LENGTH = 14; // milliseconds; letters
const waitingName = `isegoria waits ${pageData.group}`;
const loadDrum = () => import("/verify/drum.js");

/** Remember that somebody waits here for the open round, and have at hand what shows its draw. */
export function rememberWaiting(round) {
  try { sessionStorage.setItem(waitingName, round); loadDrum(); } catch { /* nothing is kept here */ }
}

/** Show the draw of a page's first turn if somebody waited for it here; `lines` are those of the record. */
export async function playAwaitedDraw(page, lines, isNew) {
  const hero = page.querySelector(".hero[data-drawn]"), reveal = () => document.documentElement.classList.remove("awaits");
  let awaited = null;
  try { awaited = sessionStorage.getItem(waitingName); } catch { /* nothing is kept here */ }
  if (!hero || (awaited !== hero.dataset.drawn && !isNew)) {
    if (awaited && pageData.phase !== "frozen") sessionStorage.removeItem(waitingName); // that round decides another day
    reveal();
    return;
  }
  try { sessionStorage.removeItem(waitingName); } catch { /* nothing is kept here */ }
  try { await playDraw(hero, lines.map((line) => JSON.parse(new TextDecoder().decode(line)))); } finally { reveal(); }
}

async function playDraw(hero, lines) {
  const at = lines.findLastIndex((one) => one.line === "draw" && String(one.round) === hero.dataset.drawn), slot = Number(hero.dataset.slot);
  const freeze = lines.slice(0, Math.max(0, at)).findLast((one) => one.line === "freeze");
  if (!freeze) return;
  const spans = (await loadDrum()).listVoiceSpans(freeze), total = spans.at(-1).to;
  const stage = Object.assign(document.createElement("div"), { className: "wheel", ariaHidden: "true" });
  const wheel = drawWheel(spans, total, hero.dataset.mine), ball = wheel.querySelector(".pointer");
  stage.append(wheel);
  document.body.append(stage);
  const end = 360 * ((lines[at].balls[slot] + 0.5) / total), isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const way = [{ transform: `rotate(${isStill ? end : 0}deg)` }, { transform: `rotate(${end + (isStill ? 0 : 1440)}deg)` }];
  const motion = ball.animate(way, { duration: isStill ? STILL_MS : SPIN_MS, easing: "cubic-bezier(.15, .6, .15, 1)", fill: "forwards" });
  stage.addEventListener("pointerdown", () => motion.finish());
  await Promise.race([motion.finished, new Promise((end) => setTimeout(end, 2 * SPIN_MS))]); // a hidden page paints nothing
  if (!isStill) navigator.vibrate?.(30);
  setTimeout(() => stage.remove(), 150); // the result stands below by then
}

function drawWheel(spans, total, mine) {
  const names = JSON.parse(pageData.arms), marks = JSON.parse(pageData.marks);
  const shape = (name, attributes, text = "") => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  const point = (share, radius) => [radius * Math.sin(2 * Math.PI * share), -radius * Math.cos(2 * Math.PI * share)].map((number) => number.toFixed(2));
  const sector = (from, to, inner, outer) => {
    const end = Math.min(to, from + 0.99999), long = end - from > 0.5 ? 1 : 0; // a full circle has no end of its own
    return `M${point(from, outer)}A${outer} ${outer} 0 ${long} 1 ${point(end, outer)}L${point(end, inner)}A${inner} ${inner} 0 ${long} 0 ${point(from, inner)}Z`;
  };
  const drawing = shape("svg", { viewBox: "-160 -130 320 260" });
  for (const arm of new Set(spans.map((one) => one.arm))) {
    const own = spans.filter((one) => one.arm === arm), [from, to] = [own[0].from / total, own.at(-1).to / total], middle = (from + to) / 2;
    drawing.append(shape("path", { class: `arm-${arm % 8}`, d: sector(from, to, 46, 84) }));
    if (to - from < 0.03) continue;
    const [x, y] = point(middle, 104), letters = [...names[arm]], anchor = Math.abs(x) < 20 ? "middle" : x < 0 ? "end" : "start";
    drawing.append(shape("text", { class: "name", x: Math.max(-156, Math.min(156, x * 0.94)), y, "text-anchor": anchor }, letters.length > LABEL_LENGTH ? marks[arm] : names[arm]));
  }
  for (const { from, to, who } of mine ? spans : []) if (who === mine) drawing.append(shape("path", { class: "mine", d: sector(from / total, to / total, 86, 92) }));
  if (mine) drawing.append(shape("text", { class: "hub", x: 0, y: 4, "text-anchor": "middle" }, translate("wheel_mine")));
  const pointer = shape("g", { class: "pointer" });
  pointer.append(shape("circle", { cx: 0, cy: -65, r: 9 }));
  drawing.append(pointer);
  return drawing;
}
