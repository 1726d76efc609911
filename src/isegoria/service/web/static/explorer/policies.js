// The policies side by side: scores and chances as a table, each chance with a bar, each row a lottery to look at.
import { $, optionColour, el, formatNumber, shorten, svg } from "./dom.js";
import { showFigure } from "./figure.js";
import { translate, translateRow } from "./translations.js";

const SCORE_NAMES = ["procedural", "equality", "utilitarian"];
const MAX_ARMS_SHOWN = 8;

export function showPolicies(found, look) {
  const arms = selectArms(found);
  const beaten = Object.values(found.rules).some((row) => row.score_dominated_by.length);
  const rows = Object.entries(found.rules).map(([id, row]) => el("tr", {},
    el("th", { scope: "row" }, el("button", { type: "button", class: "row", onclick: () => look(row.policy), title: translate("look_at", { name: translateRow("objective", id) }) },
      el("strong", {}, translateRow("objective", id)), " ", el("small", {}, row.label))),
    SCORE_NAMES.map((name) => el("td", { class: row.scores[name] > 1 - 1e-9 ? "full" : "" }, formatNumber(row.scores[name]))),
    arms.map((k) => el("td", { class: row.policy[k] < 5e-4 ? "none" : "" }, row.policy[k] < 1e-9 ? "·" : formatNumber(row.policy[k]))),
    beaten ? el("td", {}, row.score_dominated_by.map((other) => found.rules[other].label).join(" ")) : null));
  $("policies").replaceChildren(el("table", {},
    el("caption", { class: "unseen" }, translate("policies_caption")),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, translate("policy")), SCORE_NAMES.map((name) => el("th", { scope: "col" }, translate(`score_${name}`))),
      arms.map((k) => el("th", { scope: "col", title: found.arms[k] }, shorten(found.arms[k], 14))), beaten ? el("th", { scope: "col" }, translate("score_dominated_by")) : null)),
    el("tbody", {}, rows)));
  showFigure($("bars"), "policies", (width) => drawBars(found, width), () => buildTable(found), translate("bars_caption"));
}

const selectArms = (found) => found.arms.map((_, k) => k)
  .sort((a, b) => sumPolicies(found, b) - sumPolicies(found, a)).slice(0, MAX_ARMS_SHOWN).sort((a, b) => a - b);
const sumPolicies = (found, k) => Object.values(found.rules).reduce((sum, row) => sum + row.policy[k], 0);

function drawBars(found, width) {
  const rows = Object.values(found.rules), height = rows.length * 30 + 8, left = 48;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": translate("bars_caption") });
  rows.forEach((row, i) => {
    let x = left;
    picture.append(svg("text", { x: left - 8, y: i * 30 + 19, fill: "currentColor", "font-size": 12, "font-weight": "bold", "text-anchor": "end" }, row.label));
    row.policy.forEach((p, k) => {
      if (p < 1e-6) return;
      const size = p * (width - left - 4);
      picture.append(svg("rect", { x, y: i * 30 + 4, width: size, height: 22, fill: optionColour(k), stroke: "white", "stroke-width": 0.7 }, svg("title", {}, `${found.arms[k]}: ${formatNumber(p)}`)));
      if (size > 46) picture.append(svg("text", { x: x + 5, y: i * 30 + 19, fill: "#fff", "font-size": 11, "pointer-events": "none", stroke: "#000", "stroke-opacity": 0.55, "stroke-width": 2.4, "paint-order": "stroke" }, shorten(found.arms[k], Math.floor(size / 7))));
      x += size;
    });
  });
  return picture;
}

const buildTable = (found) => [
  ["policy", ...SCORE_NAMES, ...found.arms],
  ...Object.entries(found.rules).map(([id, row]) => [id, ...SCORE_NAMES.map((name) => row.scores[name]), ...row.policy]),
];
