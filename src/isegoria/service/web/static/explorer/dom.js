// Elements in one line: el("p", {class: "note"}, "text", child …); svg("rect", {x: 1}) for pictures.
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

function setUpElement(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

export const el = (tag, attributes = {}, ...children) => setUpElement(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => setUpElement(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
export const $ = (id) => document.getElementById(id);

// Told apart by readers with the common colour deficiencies, and readable on light and dark; never alone: a label stands beside.
export const OPTION_COLOURS = ["#4477AA", "#CC6677", "#228833", "#B8860B", "#8E6BBF", "#2AA198", "#D1702A", "#8A8A8A", "#AA4499"];
export const optionColour = (index) => OPTION_COLOURS[index % OPTION_COLOURS.length];

const formatDigits = (value, count) => value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: count, maximumFractionDigits: count });
export const formatNumber = (value, count = 3) => (value == null ? "–" : formatDigits(value, count));
export const formatInteger = (value) => value.toLocaleString(document.documentElement.lang);
export const percent = (share) => share.toLocaleString(document.documentElement.lang, { style: "percent", maximumFractionDigits: share > 5e-4 && share < 0.1 ? 1 : 0 });
export const shorten = (name, most) => (name.length <= most ? name : `${name.slice(0, Math.max(1, most - 1)).trimEnd()}…`);
