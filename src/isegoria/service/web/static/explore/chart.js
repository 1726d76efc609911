// A chart of lines and marks on two axes: the price of equal voice, and learners at work.
import { number, svg, whole } from "./dom.js";

const EDGE = { top: 12, right: 14, bottom: 40, left: 52 };

export function chart(width, { x, y, lines = [], marks = [], title }) {
  const height = Math.min(380, Math.max(220, width * 0.55));
  const inner = { width: width - EDGE.left - EDGE.right, height: height - EDGE.top - EDGE.bottom };
  const at = {
    x: (value) => EDGE.left + ((value - x.low) / (x.high - x.low || 1)) * inner.width,
    y: (value) => EDGE.top + (1 - (value - y.low) / (y.high - y.low || 1)) * inner.height,
  };
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title });
  picture.append(...axes(width, height, x, y, at));
  for (const line of lines) {
    const points = line.points.map(([a, b]) => `${at.x(a).toFixed(1)},${at.y(b).toFixed(1)}`).join(" ");
    picture.append(svg("polyline", { points, fill: "none", stroke: line.colour, "stroke-width": 2, "stroke-dasharray": line.dash ?? "", "stroke-linejoin": "round" }));
  }
  const taken = [];
  for (const mark of marks) picture.append(...placed(mark, at, taken, width));
  return picture;
}

function placed(mark, at, taken, width) {
  const cx = at.x(mark.x), cy = at.y(mark.y);
  let up = cy - 8;
  while (taken.some(([tx, ty]) => Math.abs(tx - cx) < 34 && Math.abs(ty - up) < 12)) up -= 12;
  if (up < 10) { up = cy + 16; while (taken.some(([tx, ty]) => Math.abs(tx - cx) < 34 && Math.abs(ty - up) < 12)) up += 12; }
  taken.push([cx, up]);
  const anchor = cx > width - 50 ? "end" : cx < 80 ? "start" : "middle";
  return [
    svg("circle", { cx, cy, r: mark.own ? 6 : 4, fill: mark.colour, stroke: "currentColor", "stroke-width": mark.own ? 2 : 0.5 }, svg("title", {}, `${mark.label}: ${number(mark.x)}, ${number(mark.y)}`)),
    svg("text", { x: cx, y: up, fill: "currentColor", "font-size": 11, "text-anchor": anchor, "font-weight": mark.own ? "bold" : "normal" }, mark.label),
  ];
}

function axes(width, height, x, y, at) {
  const parts = [];
  for (const value of ticks(y)) parts.push(
    svg("line", { x1: EDGE.left, x2: width - EDGE.right, y1: at.y(value), y2: at.y(value), stroke: "currentColor", "stroke-opacity": 0.15 }),
    svg("text", { x: EDGE.left - 6, y: at.y(value), fill: "currentColor", "font-size": 11, "text-anchor": "end", "dominant-baseline": "middle" }, shown(value, y)));
  for (const value of ticks(x)) parts.push(
    svg("text", { x: at.x(value), y: height - EDGE.bottom + 16, fill: "currentColor", "font-size": 11, "text-anchor": "middle" }, shown(value, x)));
  parts.push(
    svg("line", { x1: EDGE.left, x2: width - EDGE.right, y1: height - EDGE.bottom, y2: height - EDGE.bottom, stroke: "currentColor" }),
    svg("text", { x: (EDGE.left + width - EDGE.right) / 2, y: height - 6, fill: "currentColor", "font-size": 12, "text-anchor": "middle" }, x.label),
    svg("text", { x: 14, y: height / 2 - 10, fill: "currentColor", "font-size": 12, "text-anchor": "middle", transform: `rotate(-90 14 ${height / 2 - 10})` }, y.label));
  return parts;
}

const shown = (value, axis) => (axis.high - axis.low >= 4 && Number.isInteger(Math.round(value * 1e9) / 1e9) || axis.high - axis.low > 20 ? whole(Math.round(value)) : number(value, axis.high - axis.low < 0.1 ? 3 : 2));

function ticks({ low, high }) {
  const rough = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const values = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step) values.push(Math.abs(value) < step / 1e6 ? 0 : value);
  return values;
}
