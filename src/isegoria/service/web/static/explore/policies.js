// The policies side by side: scores and chances as a table, each chance with a bar, each row a lottery to look at.
import { $, colour, el, number, short, svg } from "./dom.js";
import { frame } from "./picture.js";
import { say, sayRow } from "./words.js";

const SCORES = ["procedural", "equality", "utilitarian"];
const MOST_ARMS = 8;

export function showPolicies(found, look) {
  const arms = shownArms(found);
  const beaten = Object.values(found.objectives).some((row) => row.score_dominated_by.length);
  const rows = Object.entries(found.objectives).map(([id, row]) => el("tr", {},
    el("th", { scope: "row" }, el("button", { type: "button", class: "row", onclick: () => look(row.policy), title: say("look_at", { name: sayRow("objective", id) }) },
      el("strong", {}, row.label), " ", sayRow("objective", id))),
    SCORES.map((name) => el("td", { class: row.scores[name] > 1 - 1e-9 ? "full" : "" }, number(row.scores[name]))),
    arms.map((k) => el("td", { class: row.policy[k] < 5e-4 ? "none" : "" }, row.policy[k] < 1e-9 ? "·" : number(row.policy[k]))),
    beaten ? el("td", {}, row.score_dominated_by.map((other) => found.objectives[other].label).join(" ")) : null));
  $("policies").replaceChildren(el("table", {},
    el("caption", { class: "unseen" }, say("policies_caption")),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, say("policy")), SCORES.map((name) => el("th", { scope: "col" }, say(`score_${name}`))),
      arms.map((k) => el("th", { scope: "col", title: found.arms[k] }, short(found.arms[k], 14))), beaten ? el("th", { scope: "col" }, say("score_dominated_by")) : null)),
    el("tbody", {}, rows)));
  frame($("bars"), "policies", (width) => bars(found, width), () => table(found), say("bars_caption"));
}

const shownArms = (found) => found.arms.map((_, k) => k)
  .sort((a, b) => total(found, b) - total(found, a)).slice(0, MOST_ARMS).sort((a, b) => a - b);
const total = (found, k) => Object.values(found.objectives).reduce((sum, row) => sum + row.policy[k], 0);

function bars(found, width) {
  const rows = Object.values(found.objectives), height = rows.length * 30 + 8, left = 48;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": say("bars_caption") });
  rows.forEach((row, i) => {
    let x = left;
    picture.append(svg("text", { x: left - 8, y: i * 30 + 19, fill: "currentColor", "font-size": 12, "font-weight": "bold", "text-anchor": "end" }, row.label));
    row.policy.forEach((p, k) => {
      if (p < 1e-6) return;
      const size = p * (width - left - 4);
      picture.append(svg("rect", { x, y: i * 30 + 4, width: size, height: 22, fill: colour(k), stroke: "white", "stroke-width": 0.7 }, svg("title", {}, `${found.arms[k]}: ${number(p)}`)));
      if (size > 46) picture.append(svg("text", { x: x + 5, y: i * 30 + 19, fill: "#fff", "font-size": 11, "pointer-events": "none", stroke: "#000", "stroke-opacity": 0.55, "stroke-width": 2.4, "paint-order": "stroke" }, short(found.arms[k], Math.floor(size / 7))));
      x += size;
    });
  });
  return picture;
}

const table = (found) => [
  ["policy", ...SCORES, ...found.arms],
  ...Object.entries(found.objectives).map(([id, row]) => [id, ...SCORES.map((name) => row.scores[name]), ...row.policy]),
];
