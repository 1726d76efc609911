// Every picture stands in a frame with its data: downloads as SVG and CSV, and a table that says the same.
import { el } from "./dom.js";
import { drawnText, save } from "../page/keep.js";
import { toCsv } from "../page/table.js";
import { translate } from "./translations.js";

export function showFigure(place, name, draw, table, caption) {
  const holder = el("div", { class: "picture" });
  const body = el("tbody"), head = el("tr");
  const buttons = el("p", { class: "downloads" },
    el("button", { type: "button", onclick: () => save(`${name}.svg`, "image/svg+xml", drawnText(holder.querySelector("svg"))) }, translate("save_svg")),
    el("button", { type: "button", onclick: () => save(`${name}.csv`, "text/csv", toCsv(table())) }, translate("save_csv")));
  const twin = el("details", {}, el("summary", {}, translate("as_table")),
    el("div", { class: "scrolls", tabindex: 0, "data-scrolls": true, role: "region", "aria-label": `${translate("as_table")}: ${caption}` },
      el("table", {}, el("thead", {}, head), body)), buttons);
  place.replaceChildren(el("figure", {}, holder, el("figcaption", {}, caption), twin));
  const refresh = () => {
    const width = Math.max(260, holder.clientWidth || place.clientWidth || 600);
    holder.replaceChildren(draw(width));
    if (twin.open) fill();
  };
  const fill = () => {
    const [header, ...rows] = table();
    head.replaceChildren(...header.map((text) => el("th", { scope: "col" }, text)));
    body.replaceChildren(...rows.slice(0, 500).map((row) => el("tr", {}, row.map((cell) => el("td", {}, formatCell(cell))))));
  };
  twin.addEventListener("toggle", () => twin.open && fill());
  let last = 0;
  new ResizeObserver(() => {
    if (Math.abs(holder.clientWidth - last) > 4) { last = holder.clientWidth; refresh(); }
  }).observe(holder);
  refresh();
  return refresh;
}

const formatCell = (cell) => (typeof cell === "number" ? String(Math.round(cell * 1e6) / 1e6) : cell ?? "");
