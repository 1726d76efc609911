// Where each voice went: agents on the left, arms on the right, a band for every voice that an arm carries.
import { colour, number, short, svg } from "./dom.js";
import { say } from "./words.js";

const ROW = 26, GAP = 5, BAR = 12;

export function flowPicture(flow, width) {
  const rows = Math.max(flow.strips.length, flow.arms.length);
  const height = Math.max(150, rows * ROW) + 12;
  const side = Math.min(190, Math.max(96, width * 0.36));
  const left = column(flow.strips.map((strip) => strip.due), height);
  const right = column(flow.chances, height);
  const x0 = side, x1 = width - side;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": say("flow_alt") });
  const filled = right.map((bar) => bar.top);
  flow.strips.forEach((strip, i) => {
    let y = left[i].top;
    strip.carried.forEach((mass, k) => {
      if (mass <= 1e-9) return;
      const thick = mass * left.unit, other = mass * right.unit;
      picture.append(band(x0 + BAR, y, thick, x1 - BAR, filled[k], other, colour(place(flow, k)), `${strip.label} → ${flow.arms[k]}: ${number(mass)}`));
      y += thick;
      filled[k] += other;
    });
    const name = strip.unheard ? `${short(strip.label, chars(side) - 4)} ▲` : short(strip.label, chars(side));
    picture.append(
      svg("rect", { x: x0, y: left[i].top, width: BAR, height: Math.max(1, left[i].size), fill: "currentColor", "fill-opacity": 0.75 }),
      strip.unheard ? svg("rect", { x: x0, y, width: BAR, height: Math.max(1, left[i].top + left[i].size - y), fill: "none", stroke: "#C22", "stroke-width": 2, "stroke-dasharray": "3 2" }) : "",
      label(x0 - 6, left[i].top + left[i].size / 2, name, "end", `${strip.label}: ${number(strip.due - strip.unheard)} / ${number(strip.due)}`));
  });
  flow.arms.forEach((arm, k) => picture.append(
    svg("rect", { x: x1 - BAR, y: right[k].top, width: BAR, height: Math.max(1, right[k].size), fill: colour(place(flow, k)) }),
    label(x1 + 6, right[k].top + right[k].size / 2, `${short(arm, chars(side) - 6)} ${number(flow.chances[k], 2)}`, "start", arm)));
  return picture;
}

// An option keeps its colour where not all of them are shown.
const place = (flow, k) => flow.places?.[k] ?? k;

const chars = (side) => Math.floor((side - 10) / 6.6);

function column(shares, height) {
  const unit = (height - 12 - GAP * (shares.length - 1)) / (shares.reduce((a, b) => a + b, 0) || 1);
  let top = 6;
  const bars = shares.map((share) => {
    const bar = { top, size: share * unit };
    top += bar.size + GAP;
    return bar;
  });
  return Object.assign(bars, { unit });
}

function band(x0, y0, t0, x1, y1, t1, fill, title) {
  const middle = (x0 + x1) / 2;
  const path = `M${x0},${y0} C${middle},${y0} ${middle},${y1} ${x1},${y1} L${x1},${y1 + t1} C${middle},${y1 + t1} ${middle},${y0 + t0} ${x0},${y0 + t0} Z`;
  return svg("path", { d: path, fill, "fill-opacity": 0.55 }, svg("title", {}, title));
}

const label = (x, y, text, anchor, title) =>
  svg("text", { x, y, fill: "currentColor", "font-size": 12, "text-anchor": anchor, "dominant-baseline": "middle" }, svg("title", {}, title), text);

export const flowTable = (flow) => [
  [say("agent"), say("due"), say("unheard"), ...flow.arms],
  ...flow.strips.map((strip) => [strip.label, strip.due, strip.unheard, ...strip.carried]),
];
