// Where each voice went: agents on the left, arms on the right, a band for every voice that an arm carries.
import { optionColour, formatNumber, percent, shorten, svg } from "./dom.js";
import { translate } from "./translations.js";

const ROW = 26, GAP = 5, BAR = 12, FONT = 13, LINE = 16, BAD = "#C22";

export function drawFlow(flow, width) {
  const rows = Math.max(flow.strips.length, flow.arms.length);
  const height = Math.max(150, rows * ROW) + 12;
  const side = Math.min(190, Math.max(96, width * 0.36));
  const left = layOutColumn(flow.strips.map((strip) => strip.due), height);
  const right = layOutColumn(flow.chances, height);
  const x0 = side, x1 = width - side;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": translate("flow_alt") });
  const filled = right.map((bar) => bar.top);
  flow.strips.forEach((strip, i) => {
    let y = left[i].top;
    strip.carried.forEach((mass, k) => {
      if (mass <= 1e-9) return;
      const thick = mass * left.unit, other = mass * right.unit;
      picture.append(drawBand(x0 + BAR, y, thick, x1 - BAR, filled[k], other, optionColour(optionNumber(flow, k)), `${strip.label} → ${flow.arms[k]}: ${formatNumber(mass)}`));
      y += thick;
      filled[k] += other;
    });
    const name = strip.unheard ? `${shorten(strip.label, countChars(side) - 4)} ▲` : shorten(strip.label, countChars(side));
    picture.append(
      svg("rect", { x: x0, y: left[i].top, width: BAR, height: Math.max(1, left[i].size), fill: strip.lost ? BAD : "currentColor", "fill-opacity": 0.75 }),
      strip.unheard ? svg("rect", { x: x0, y, width: BAR, height: Math.max(1, left[i].top + left[i].size - y), fill: "none", stroke: BAD, "stroke-width": 2, "stroke-dasharray": "3 2" }) : "",
      label(x0 - 6, left[i].top + left[i].size / 2, name, "end", `${strip.label}: ${formatNumber(strip.due - strip.unheard)} / ${formatNumber(strip.due)}`, strip.lost));
  });
  const lines = apart(right.map((bar) => bar.top + bar.size / 2), height);
  flow.arms.forEach((arm, k) => picture.append(
    svg("rect", { x: x1 - BAR, y: right[k].top, width: BAR, height: Math.max(1, right[k].size), fill: optionColour(optionNumber(flow, k)) }),
    label(x1 + 6, lines[k], `${shorten(arm, countChars(side) - 6)} ${percent(flow.chances[k])}`, "start", arm)));
  return picture;
}

// An option keeps its colour where not all of them are shown.
const optionNumber = (flow, k) => flow.places?.[k] ?? k;

const countChars = (side) => Math.floor((side - 10) / 7.2);

// Labels in the order of their bars, moved so that no two stand on one another.
function apart(wanted, height) {
  const found = [...wanted];
  for (let k = found.length - 1, below = height - 7; k >= 0; k--) below = (found[k] = Math.min(found[k], below)) - LINE;
  for (let k = 0, above = 7; k < found.length; k++) above = (found[k] = Math.max(found[k], above)) + LINE;
  return found;
}

function layOutColumn(shares, height) {
  const unit = (height - 12 - GAP * (shares.length - 1)) / (shares.reduce((a, b) => a + b, 0) || 1);
  let top = 6;
  const bars = shares.map((share) => {
    const bar = { top, size: share * unit };
    top += bar.size + GAP;
    return bar;
  });
  return Object.assign(bars, { unit });
}

function drawBand(x0, y0, t0, x1, y1, t1, fill, title) {
  const middle = (x0 + x1) / 2;
  const path = `M${x0},${y0} C${middle},${y0} ${middle},${y1} ${x1},${y1} L${x1},${y1 + t1} C${middle},${y1 + t1} ${middle},${y0 + t0} ${x0},${y0 + t0} Z`;
  return svg("path", { d: path, fill, "fill-opacity": 0.55 }, svg("title", {}, title));
}

const label = (x, y, text, anchor, title, lost = false) =>
  svg("text", { x, y, fill: "currentColor", "font-size": FONT, "font-weight": lost ? "bold" : null, class: lost ? "unheard" : null, "text-anchor": anchor, "dominant-baseline": "middle" }, svg("title", {}, title), text);

export const buildFlowTable = (flow) => [
  [translate("agent"), translate("due"), translate("unheard"), ...flow.arms],
  ...flow.strips.map((strip) => [strip.label, strip.due, strip.unheard, ...strip.carried]),
];
