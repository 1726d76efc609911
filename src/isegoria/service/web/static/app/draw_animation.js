// The draw as a moment: whoever waited on the open page sees a marker run along the chances and stop where chance did.
// It shows what was decided, and decides nothing; under two seconds, and not at all where less motion is wanted.
import { pageData } from "./group_page.js";

const place = `isegoria waits ${pageData.group}`;
const hero = document.querySelector(".hero");

/** Remember that somebody waits here for a round; or, when it has come, show how. */
export function initDrawAnimation() {
  try {
    if (pageData.phase === "frozen") { sessionStorage.setItem(place, pageData.round); return; }
    const awaited = sessionStorage.getItem(place);
    sessionStorage.removeItem(place);
    if (awaited && awaited === hero?.dataset.drawn && !matchMedia("(prefers-reduced-motion: reduce)").matches) playAnimation();
  } catch { /* a browser that keeps nothing shows the result at once */ }
}

async function playAnimation() {
  const stage = hero.querySelector(".moment"), name = hero.querySelector(".drawn");
  if (!stage) return;
  const marker = stage.querySelector("i"), end = `${100 * Number(stage.dataset.at)}%`;
  name.classList.add("waits");
  stage.hidden = false;
  const way = ["0%", "100%", "0%", "100%", end].map((left) => ({ left }));
  await marker.animate(way, { duration: 1500, easing: "cubic-bezier(.2, .6, .2, 1)", fill: "forwards" }).finished;
  name.classList.remove("waits");
  stage.hidden = true;
}
