// My voice: the course as a picture, and a check of the whole record in this browser, with this member's receipt.
import { runPage, runWithoutReload, subscribeToChanges, ready, translate, explainNoSignature, checkHead } from "./group_page.js";
import { el, svg } from "../explorer/dom.js";
import { chart } from "../explorer/chart.js";
import { showFigure } from "../explorer/figure.js";

function drawCurve(course, width) {
  const pairs = (name) => [[0, 0], ...course.draws.map((draw, i) => [draw, course[name][i]])];
  const top = Math.max(1, ...course.high, ...course.received);
  const drawn = chart(width, {
    x: { low: 0, high: Math.max(1, ...course.draws.slice(-1)), label: translate("draws_so_far") },
    y: { low: 0, high: top, label: translate("favourites_so_far") },
    lines: [{ colour: "#8A8A8A", points: pairs("low") }, { colour: "#8A8A8A", points: pairs("high") },
      { colour: "currentColor", dash: "5 4", points: pairs("promised") }, { colour: "#4477AA", points: pairs("received") }],
    title: translate("course_caption"),
  });
  const [low, high] = drawn.querySelectorAll("polyline");
  const points = `${low.getAttribute("points")} ${high.getAttribute("points").split(" ").reverse().join(" ")}`;
  low.before(svg("polygon", { points, fill: "#8A8A8A", "fill-opacity": 0.25 }));
  return drawn;
}

const buildTable = (course) => [
  [translate("draws_so_far"), translate("promised"), translate("received"), translate("table_low"), translate("table_high")],
  ...course.draws.map((draw, i) => [draw, course.promised[i], course.received[i], course.low[i], course.high[i]]),
];

const makeDetailsList = (title, sentences) => sentences.length
  ? el("details", { open: title === translate("not_proved") }, el("summary", {}, `${title} (${sentences.length})`), el("ul", {}, sentences.map((one) => el("li", {}, one))))
  : null;

async function runCheck() {
  const place = document.getElementById("verdict");
  place.replaceChildren(el("p", {}, translate("checking")));
  const [device, findings] = await Promise.all([import("./device.js"), import("./check_report.js")]);
  const watched = await checkHead();
  if (!watched) { place.replaceChildren(); return; } // the page is red, and says why
  if (!watched.lines.length) { place.replaceChildren(el("div", { class: "verdict" }, el("p", {}, translate("check_nothing_drawn")))); return; }
  const [{ found }] = await Promise.all([device.verifyFromStart(), findings.loadPatterns()]);
  const wrong = found.exit_code === 1 || found.exit_code === 2;
  const good = found.verdict === "proved" ? "good" : wrong ? "bad" : "";
  const lists = [["proved", found.proved], ["not_proved", found.unproved], ["to_know", found.notes]].map(([title, all]) => makeDetailsList(translate(title), all.map(findings.translateFinding)));
  place.replaceChildren(el("div", { class: `verdict ${good}` }, el("p", {}, makeSealIcon(), el("strong", {}, findings.translateVerdict(found))), ...lists,
    wrong ? el("details", {}, el("summary", {}, translate("check_exactly")), el("p", { lang: "en" }, found.sentence)) : null));
  place.dataset.verdict = found.verdict;
  if (!wrong) await signAfterCheck(place, device);
}

/** A device that has checked says so, with its key. */
async function signAfterCheck(place, device) {
  const state = await device.registerKey();
  if (state === "silent" || state === "forgets") { place.append(el("p", { id: "countersigned" }, translate(`device_${state}`))); return; }
  if (state === "other") {
    place.append(el("p", {}, translate("other_device"), " ", el("button", { type: "button", onclick: async () => { await device.registerKey(true); await startCheck(); } }, translate("use_this_device"))));
    return;
  }
  const told = await device.acknowledge();
  const said = told.ok ? translate("countersigned") : told.leaf ? translate("question_today") : explainNoSignature(translate(told.messageKey, told.values));
  place.append(el("p", { id: "countersigned" }, said));
}

const makeSealIcon = () => svg("svg", { class: "seal", viewBox: "0 0 24 24", "aria-hidden": true }, svg("path", { d: "M12 2l8 3v6c0 5-3.4 9-8 11-4.6-2-8-6-8-11V5z" }), svg("path", { class: "tick", d: "M8 12l3 3 5-6" }));

// One check at a time, which no news interrupts; one that could not be made says so, and can be begun again.
let begun = null;
function startCheck() {
  begun ??= runWithoutReload(runCheck).catch((fault) => {
    if (!(fault instanceof TypeError)) throw fault; // fetch never arrived
    document.getElementById("verdict").replaceChildren(el("p", { class: "refused" }, translate("check_failed")));
  }).finally(() => { begun = null; });
  return begun;
}

async function initVoice() {
  const { course } = JSON.parse(document.getElementById("data").textContent), holder = document.getElementById("course");
  if (holder) showFigure(holder, "my-voice", (width) => drawCurve(course, width), () => buildTable(course), translate("course_caption"));
  const button = document.getElementById("check");
  button.onclick = startCheck;
  button.hidden = false; // now that it answers
  await checkHead();
  subscribeToChanges();
}

await ready;
await runPage(initVoice);
