// My voice: the course as a picture, and a check of the whole record in this browser, with this member's receipt.
import { api, bytesOf, live, ready, say, watch } from "./shared.js";
import { el, svg } from "../explore/dom.js";
import { chart } from "../explore/chart.js";
import { frame } from "../explore/picture.js";

function picture(course, width) {
  const pairs = (name) => [[0, 0], ...course.draws.map((draw, i) => [draw, course[name][i]])];
  const top = Math.max(1, ...course.high, ...course.received);
  const drawn = chart(width, {
    x: { low: 0, high: Math.max(1, ...course.draws.slice(-1)), label: say("draws_so_far") },
    y: { low: 0, high: top, label: say("favourites_so_far") },
    lines: [{ colour: "#8A8A8A", points: pairs("low") }, { colour: "#8A8A8A", points: pairs("high") },
      { colour: "currentColor", dash: "5 4", points: pairs("promised") }, { colour: "#4477AA", points: pairs("received") }],
    title: say("course_caption"),
  });
  const [low, high] = drawn.querySelectorAll("polyline");
  const points = `${low.getAttribute("points")} ${high.getAttribute("points").split(" ").reverse().join(" ")}`;
  low.before(svg("polygon", { points, fill: "#8A8A8A", "fill-opacity": 0.25 }));
  return drawn;
}

const table = (course) => [
  [say("draws_so_far"), say("promised"), say("received"), "low", "high"],
  ...course.draws.map((draw, i) => [draw, course.promised[i], course.received[i], course.low[i], course.high[i]]),
];

const list = (title, sentences) => sentences.length
  ? el("details", { open: title === say("not_proved") }, el("summary", {}, `${title} (${sentences.length})`), el("ul", {}, sentences.map((one) => el("li", {}, one))))
  : null;

async function check() {
  const place = document.getElementById("verdict");
  place.replaceChildren(el("p", {}, say("checking")));
  const [{ verify }, device] = await Promise.all([import("/verify/verify.js"), import("./device.js")]);
  const found = await watch();
  if (!found) return;
  const receipt = await bytesOf("receipt");
  const answer = await verify(found.record, { receipt });
  const good = answer.verdict === "proved" ? "good" : answer.verdict === "consistent" ? "" : "bad";
  place.replaceChildren(el("div", { class: `verdict ${good}` }, el("strong", {}, answer.sentence),
    list(say("proved"), answer.proved), list(say("not_proved"), answer.unproved), list(say("to_know"), answer.notes)));
  place.dataset.verdict = answer.verdict;
  if (answer.exit_code === 1 || answer.exit_code === 2) return;
  const state = await device.registered();
  if (state === "silent" || state === "forgets") { place.append(el("p", { id: "countersigned" }, say(`device_${state}`))); return; }
  if (state === "other") {
    place.append(el("p", {}, say("other_device"), " ", el("button", { type: "button", onclick: async () => { await device.registered(true); await check(); } }, say("use_this_device"))));
    return;
  }
  const told = await device.seen();
  place.append(el("p", { id: "countersigned" }, told.ok ? say("countersigned") : say(told.why, told.values)));
}

await ready;
const { course } = JSON.parse(document.getElementById("data").textContent);
const holder = document.getElementById("course");
if (holder) frame(holder, "my-voice", (width) => picture(course, width), () => table(course), say("course_caption"));
const button = document.getElementById("check");
button.hidden = false;
button.onclick = check;
await watch();
live();
