// Learning live: the course of every chosen learner grows as its rounds are played.
import { $, colour, el, whole } from "./dom.js";
import { keep, read } from "./address.js";
import { chart } from "./chart.js";
import { frame } from "./picture.js";
import { say, sayRow } from "./words.js";

const DASHES = ["", "7 4", "2 3", "9 3 2 3", "5 2 5", "1 4"];
let source = null;

export function offer(table, learners, noises) {
  stop();
  const chosen = (read("learners") ?? "procedural,guided").split(",");
  $("learners").replaceChildren(...learners.map((learner) => el("label", { class: "choice", title: learner.summary },
    el("input", { type: "checkbox", name: "learner", value: learner.id, checked: chosen.includes(learner.id) }), " ", learner.label)));
  $("noise").replaceChildren(...noises.map((noise) => el("option", { value: noise, selected: noise === (read("noise") ?? "beta") }, sayRow("noise", noise))));
  $("rounds").value = read("rounds") ?? "20000";
  $("learn").onsubmit = (event) => { event.preventDefault(); start(table); };
}

export function stop() {
  source?.close();
  source = null;
}

function start(table) {
  stop();
  const chosen = [...document.querySelectorAll("input[name=learner]:checked")].map((box) => box.value);
  const options = { learners: chosen.join(","), rounds: $("rounds").value, noise: $("noise").value };
  for (const [name, value] of Object.entries(options)) keep(name, value);
  const courses = new Map();
  const what = $("measure");
  let frames = 0;
  const refresh = frame($("course"), "learning", (width) => picture(courses, what.value, Number(options.rounds), width), () => rows(courses), say("learn_caption"));
  what.onchange = refresh;
  $("progress").textContent = say("learning");
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
    if (!due) { due = true; requestAnimationFrame(() => { due = false; refresh(); summary(courses); }); }
  };
  source.addEventListener("end", () => { stop(); refresh(); summary(courses); $("progress").textContent = say("learned"); });
  source.onerror = async () => {
    stop();
    const answer = await fetch(`/api/tables/${table}/learn?${new URLSearchParams(options)}`).catch(() => null);
    $("progress").textContent = answer && !answer.ok ? (await answer.json()).error : say("learn_broken");
  };
}

function picture(courses, measure, rounds, width) {
  const lines = [...courses.values()].map((course, i) => ({
    colour: colour(i), dash: DASHES[i % DASHES.length], points: course.rounds.map((round, j) => [round, course[measure][j]]),
  }));
  const values = lines.flatMap((line) => line.points.map(([, value]) => value));
  const y = measure === "procedural" ? { low: Math.min(0.9, ...values), high: 1 } : { low: 0, high: Math.max(10, ...values) };
  return chart(width, { x: { low: 0, high: rounds, label: say("round") }, y: { ...y, label: say(`measure_${measure}`) }, lines, title: say("learn_caption") });
}

function summary(courses) {
  $("summary").replaceChildren(...[...courses.values()].map((course, i) => el("li", {},
    el("span", { class: `key key-${i % DASHES.length}` }), " ", el("strong", {}, course.label), ": ",
    say(course.last >= course.done ? "still_wrong" : "right_since", { round: whole(course.last), done: whole(course.done) }))));
}

const rows = (courses) => [
  ["learner", "round", "procedural", "regret"],
  ...[...courses.values()].flatMap((course) => course.rounds.map((round, j) => [course.label, round, course.procedural[j], course.regret[j]])),
];
