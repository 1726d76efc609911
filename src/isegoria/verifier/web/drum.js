// The drum of a round as a picture: a ring of all units, arm by arm and voice by voice, with the balls in it.

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 8;

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

/** A point of the ring at a share of the way round, from the top, clockwise. */
function pointAt(share, radius) {
  const angle = 2 * Math.PI * share - Math.PI / 2;
  return [100 + radius * Math.cos(angle), 100 + radius * Math.sin(angle)].map((number) => number.toFixed(2));
}

function sector(from, to, inner, outer) {
  const end = Math.min(to, from + 0.99999); // a full circle has no end of its own
  const big = end - from > 0.5 ? 1 : 0;
  const [a, b, c, d] = [pointAt(from, outer), pointAt(end, outer), pointAt(end, inner), pointAt(from, inner)];
  return `M${a}A${outer} ${outer} 0 ${big} 1 ${b}L${c}A${inner} ${inner} 0 ${big} 0 ${d}Z`;
}

/** Where each voice lies: {from, to, arm, who}, in units, in the order of the drum; */
export function listVoiceSpans(freeze) {
  const found = [];
  let from = 0;
  const lay = (size, arm, who) => {
    if (size > 0) found.push({ from, to: from + size, arm, who });
    from += size;
  };
  freeze.arm_units.forEach((_, arm) => {
    for (const { units, pseudonyms: who } of freeze.types) for (const one of who) lay(units[arm], arm, one);
  });
  return found;
}

/** What the picture says; a page of a group brings its own words, counts turns from 1, and names options by their letter. */
export const DRUM_TEXTS = {
  title: (round, balls) => balls
    ? `The drum of round ${round} with ${balls === 1 ? "its ball" : `its ${balls} balls`}; the tables below say the same.`
    : `The drum of round ${round}, not drawn from yet; the table below says the same.`,
  round: (round) => `round ${round}`,
  members: (count) => `${count} member${count === 1 ? "" : "s"}`,
  mine: "The dark band around the drum is your voice.",
  shares: ["In the drum", "Option", "Share #"],
  drawn: ["Drawn", "Slot #", "Option", "Whose voice", "Ball #"],
  yours: "yours",
  first: 0,
  mark: (arm) => String(arm + 1),
};

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

function drawRing(freeze, round, mine, words) {
  const all = listVoiceSpans(freeze);
  const total = all.at(-1).to;
  const drawing = shape("svg", { viewBox: "0 0 200 200", role: "img", "aria-labelledby": "drum-title" });
  const balls = round.balls.length;
  drawing.append(shape("title", { id: "drum-title" }, words.title(round.round, balls)));
  let from = 0;
  freeze.arm_units.forEach((voice, arm) => {
    const to = from + voice;
    const [start, end] = [from / total, to / total];
    if (to > from) drawing.append(shape("path", { class: `sector arm-${arm % COLOURS}`, d: sector(start, end, 56, 92) }));
    if (end - start > 0.04) {
      const [x, y] = pointAt((start + end) / 2, 66);
      drawing.append(shape("text", { class: "arm-number", x, y }, words.mark(arm)));
    }
    from = to;
  });
  for (const { from: low } of all.length <= 400 ? all : []) {
    const [[x1, y1], [x2, y2]] = [pointAt(low / total, 78), pointAt(low / total, 92)];
    drawing.append(shape("line", { class: "voice", x1, y1, x2, y2 }));
  }
  for (const { from: low, to, who } of all) {
    if (who === mine) drawing.append(shape("path", { class: "mine", d: sector(low / total, to / total, 93.5, 97) }));
  }
  round.balls.forEach((ball, slot) => {
    const [x, y] = pointAt((ball + 0.5) / total, 85);
    drawing.append(shape("circle", { class: "ball", cx: x, cy: y, r: 7 }));
    drawing.append(shape("text", { class: "ball-number", x, y }, balls > 1 ? String(slot + words.first) : "●"));
  });
  drawing.append(shape("text", { class: "hub", x: 100, y: 98 }, words.round(round.round)));
  const members = freeze.types.reduce((count, { pseudonyms: who }) => count + who.length, 0);
  drawing.append(shape("text", { class: "hub-small", x: 100, y: 111 }, words.members(members)));
  return drawing;
}

function table(caption, titles, rows) {
  const numeric = (i) => (titles[i].endsWith("#") ? { class: "number" } : {});
  const head = element("tr", {}, ...titles.map((title, i) => element("th", { scope: "col", ...numeric(i) }, title.replace(" #", ""))));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell, i) => element("td", numeric(i), cell))));
  const made = element("table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body));
  return element("div", { class: "scrolls", "data-scrolls": "", tabindex: "0", role: "region", "aria-label": caption }, made);
}

/** The picture and its two tables: what lay in the drum, and what came out of it. */
export function renderDrum(freeze, round, arms, mine, words = DRUM_TEXTS) {
  const total = freeze.arm_units.reduce((sum, units) => sum + units, 0);
  const lots = freeze.arm_units.map((voice, arm) => {
    const name = element("span", {}, element("span", { class: `swatch arm-${arm % COLOURS}`, "aria-hidden": "true" }), `${words.mark(arm)} ${arms[arm]}`);
    return [name, percent(voice / total)];
  });
  const voice = (who) => (who === mine ? words.yours : `${who.slice(0, 8)}…`);
  const out = round.arms.map((arm, slot) => [String(slot + words.first), arms[arm], voice(round.voices[slot]), String(round.balls[slot])]);
  const [shares, ...shareTitles] = words.shares, [drawn, ...drawnTitles] = words.drawn;
  const parts = [drawRing(freeze, round, mine, words), table(shares, shareTitles, lots)];
  if (mine) parts.splice(1, 0, element("p", { class: "hint" }, words.mine));
  if (out.length) parts.push(table(drawn, drawnTitles, out));
  return parts;
}
