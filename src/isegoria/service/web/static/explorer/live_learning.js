// Learning live: the course of every chosen learner grows as its rounds are played.
import { $, optionColour, el, formatInteger } from "./dom.js";
import { setState, getState } from "./url_state.js";
import { chart } from "./chart.js";
import { showFigure } from "./figure.js";
import { translate, translateRow } from "./translations.js";

const LINE_DASHES = ["", "7 4", "2 3", "9 3 2 3", "5 2 5", "1 4"];
let source = null;

export function initLearning(table, learners, noises) {
  stopLearning();
  const chosen = (getState("learners") ?? "procedural,elimination").split(",");
  $("learners").replaceChildren(...learners.map((learner) => el("label", { class: "choice" },
    el("input", { type: "checkbox", name: "learner", value: learner.id, checked: chosen.includes(learner.id) }), el("span", {}, el("b", {}, learner.label), " ", el("span", { class: "quiet" }, learner.summary)))));
  $("noise").replaceChildren(...noises.map((noise) => el("option", { value: noise, selected: noise === (getState("noise") ?? "beta") }, translateRow("noise", noise))));
  $("rounds").value = getState("rounds") ?? "20000";
  $("learn").onsubmit = (event) => { event.preventDefault(); startLearning(table); };
}

export function stopLearning() {
  source?.close();
  source = null;
}

function startLearning(table) {
  stopLearning();
  const chosen = [...document.querySelectorAll("input[name=learner]:checked")].map((box) => box.value);
  const options = { learners: chosen.join(","), rounds: $("rounds").value, noise: $("noise").value };
  for (const [name, value] of Object.entries(options)) setState(name, value);
  const courses = new Map();
  const what = $("measure");
  let frames = 0;
  const refresh = showFigure($("course"), "learning", (width) => drawTraces(courses, what.value, Number(options.rounds), width), () => buildRows(courses), translate("learn_caption"));
  what.onchange = refresh;
  $("progress").textContent = translate("learning");
  source = new EventSource(`/api/tables/${table}/learn?${new URLSearchParams(options)}`);
  let due = false;
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    const course = courses.get(news.learner) ?? { label: news.label, rounds: [], procedural: [], regret: [] };
    for (const name of ["rounds", "procedural", "regret"]) course[name].push(...news[name]);
    Object.assign(course, { done: news.done, of: news.of, last: news.last_mismatch });
    courses.set(news.learner, course);
    frames += 1;
    $("course").dataset.frames = frames;
    if (!due) { due = true; requestAnimationFrame(() => { due = false; refresh(); showSummary(courses); }); }
  };
  source.addEventListener("end", () => { stopLearning(); refresh(); showSummary(courses); $("progress").textContent = translate("learned"); });
  source.onerror = async () => {
    stopLearning();
    const answer = await fetch(`/api/tables/${table}/learn?${new URLSearchParams(options)}`).catch(() => null);
    $("progress").textContent = answer && !answer.ok ? (await answer.json()).error : translate("learn_broken");
  };
}

function drawTraces(courses, measure, rounds, width) {
  const lines = [...courses.values()].map((course, i) => ({
    colour: optionColour(i), dash: LINE_DASHES[i % LINE_DASHES.length], points: course.rounds.map((round, j) => [round, course[measure][j]]),
  }));
  const values = lines.flatMap((line) => line.points.map(([, value]) => value));
  const y = measure === "procedural" ? { low: Math.min(0.9, ...values), high: 1 } : { low: 0, high: Math.max(10, ...values) };
  return chart(width, { x: { low: 0, high: rounds, label: translate("round") }, y: { ...y, label: translate(`measure_${measure}`) }, lines, title: translate("learn_caption") });
}

function showSummary(courses) {
  $("summary").replaceChildren(...[...courses.values()].map((course, i) => el("li", {},
    el("span", { class: `key key-${i % LINE_DASHES.length}` }), " ", el("strong", {}, course.label), ": ",
    translate(course.last >= course.done ? "still_wrong" : "right_since", { round: formatInteger(course.last), done: formatInteger(course.done) }))));
}

const buildRows = (courses) => [
  ["learner", "round", "procedural", "regret"],
  ...[...courses.values()].flatMap((course) => course.rounds.map((round, j) => [course.label, round, course.procedural[j], course.regret[j]])),
];
