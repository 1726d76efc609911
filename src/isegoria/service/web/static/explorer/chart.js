// A chart of lines and marks on two axes: the price of equal voice, and learners at work.
import { formatNumber, svg, formatInteger } from "./dom.js";

const CHART_MARGIN = { top: 12, right: 14, bottom: 40, left: 52 };
const CHAR_WIDTH_PX = 6.6, LINE_HEIGHT_PX = 13; // of a label of 11 pixels

export function chart(width, { x, y, lines = [], marks = [], title }) {
  const height = Math.min(380, Math.max(220, width * 0.55));
  const widest = Math.max(...ticks(y).map((value) => formatTick(value, y).length));
  const edge = { ...CHART_MARGIN, left: Math.max(CHART_MARGIN.left, 30 + CHAR_WIDTH_PX * widest) }; // so that no tick meets the name of its axis
  const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom };
  const at = {
    x: (value) => edge.left + ((value - x.low) / (x.high - x.low || 1)) * inner.width,
    y: (value) => edge.top + (1 - (value - y.low) / (y.high - y.low || 1)) * inner.height,
  };
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title });
  picture.append(...drawAxes(width, height, x, y, at, edge));
  for (const line of lines) {
    const points = line.points.map(([a, b]) => `${at.x(a).toFixed(1)},${at.y(b).toFixed(1)}`).join(" ");
    picture.append(svg("polyline", { points, fill: "none", stroke: line.colour, "stroke-width": 2, "stroke-dasharray": line.dash ?? "", "stroke-linejoin": "round" }));
  }
  const spots = marks.map((mark) => ({ cx: at.x(mark.x), cy: at.y(mark.y) }));
  const taken = spots.map(({ cx, cy }) => ({ left: cx - 5, right: cx + 5, top: cy - 5, bottom: cy + 5 }));
  const room = { left: edge.left, right: width - 2, top: 2, bottom: height - edge.bottom - 2 };
  marks.forEach((mark, i) => picture.append(...drawLabelledMark(mark, spots[i], taken, room)));
  return picture;
}

const isDisjoint = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

// A mark with its label where nothing else stands: close by if there is room, else further away with a line that leads to it.
function drawLabelledMark(mark, { cx, cy }, taken, room) {
  const wide = CHAR_WIDTH_PX * mark.label.length + 2;
  const box = (x, y) => ({ left: x - wide / 2, right: x + wide / 2, top: y - LINE_HEIGHT_PX / 2, bottom: y + LINE_HEIGHT_PX / 2 });
  const inside = (one) => one.left >= room.left && one.right <= room.right && one.top >= room.top && one.bottom <= room.bottom;
  let best = null;
  for (let far = 13; !best && far < 200; far += 9) {
    const ways = [[0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]];
    best = ways.map(([a, b]) => box(cx + a * (far + wide / 2 - 6), cy + b * far)).find((one) => inside(one) && taken.every((other) => isDisjoint(one, other)));
  }
  best ??= box(cx, cy - 13);
  taken.push(best);
  const [x, y] = [(best.left + best.right) / 2, (best.top + best.bottom) / 2], away = Math.hypot(x - cx, y - cy) > 26 + wide / 2;
  return [
    ...(away ? [svg("line", { x1: cx, y1: cy, x2: x, y2: y, stroke: "currentColor", "stroke-opacity": 0.4 })] : []),
    svg("circle", { cx, cy, r: mark.own ? 6 : 4, fill: mark.colour, stroke: "currentColor", "stroke-width": mark.own ? 2 : 0.5 }, svg("title", {}, `${mark.label}: ${formatNumber(mark.x)}, ${formatNumber(mark.y)}`)),
    svg("text", { class: "mark-label", x, y: y + 4, fill: "currentColor", "font-size": 11, "text-anchor": "middle", "font-weight": mark.own ? "bold" : "normal" }, mark.label),
  ];
}

function drawAxes(width, height, x, y, at, edge) {
  const parts = [];
  for (const value of ticks(y)) parts.push(
    svg("line", { x1: edge.left, x2: width - edge.right, y1: at.y(value), y2: at.y(value), stroke: "currentColor", "stroke-opacity": 0.15 }),
    svg("text", { x: edge.left - 6, y: at.y(value), fill: "currentColor", "font-size": 11, "text-anchor": "end", "dominant-baseline": "middle" }, formatTick(value, y)));
  for (const value of ticks(x)) parts.push(
    svg("text", { x: at.x(value), y: height - edge.bottom + 16, fill: "currentColor", "font-size": 11, "text-anchor": "middle" }, formatTick(value, x)));
  parts.push(
    svg("line", { x1: edge.left, x2: width - edge.right, y1: height - edge.bottom, y2: height - edge.bottom, stroke: "currentColor" }),
    svg("text", { x: (edge.left + width - edge.right) / 2, y: height - 6, fill: "currentColor", "font-size": 12, "text-anchor": "middle" }, x.label),
    svg("text", { x: 14, y: height / 2 - 10, fill: "currentColor", "font-size": 12, "text-anchor": "middle", transform: `rotate(-90 14 ${height / 2 - 10})` }, y.label));
  return parts;
}

const formatTick = (value, axis) => (axis.high - axis.low >= 4 && Number.isInteger(Math.round(value * 1e9) / 1e9) || axis.high - axis.low > 20 ? formatInteger(Math.round(value)) : formatNumber(value, axis.high - axis.low < 0.1 ? 3 : 2));

function ticks({ low, high }) {
  const rough = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const values = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step) values.push(Math.abs(value) < step / 1e6 ? 0 : value);
  return values;
}
