// Share and keep: files of every kind, a page with the data inside, and a link.
import { el, svg } from "../explorer/dom.js";
import { translate } from "../explorer/translations.js";
import { writeCsv, writeJson } from "./table.js";

export const MAX_LINK = 8000; // characters: what browsers and chats pass on whole
const source = typeof document === "undefined" ? "" : `<!doctype html>\n${document.documentElement.outerHTML}`; // before anything changes

export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Keep a value for a reload of this tab, null to forget it; a browser that keeps nothing begins again. */
export function keepForReload(name, value) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // too large, or not allowed
  }
}

/** What was kept for a reload; null where nothing was. */
export function recall(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}

/** This page again, with a table inside; where it came from a server, `origin` gives the bare page. */
export async function pageWith(state, origin = null) {
  const text = origin ? await (await fetch(origin)).text() : source;
  const inside = JSON.stringify(state).replaceAll("<", "\\u003c");
  return text.replace(/(<script type="application\/json" id="kept">)[^]*?(<\/script>)/, (_, before, after) => before + inside + after);
}

export const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
export const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

/** A value for the part of an address behind the #, and back; null where nothing can be made of it. */
export const pack = (value) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return Array.from({ length: Math.ceil(bytes.length / 3000) }, (_, i) => toBase64(bytes.subarray(3000 * i, 3000 * i + 3000))).join("");
};
export function unpack(text) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(text)));
  } catch {
    return null;
  }
}

/** The picture of a figure as a file of its own, in dark letters on white. */
export function drawnText(picture) {
  const copy = picture.cloneNode(true);
  for (const [name, value] of [["xmlns", "http://www.w3.org/2000/svg"], ["color", "#222222"], ["font-family", "sans-serif"]]) copy.setAttribute(name, value);
  copy.prepend(svg("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
  return new XMLSerializer().serializeToString(copy);
}

export async function savePng(picture, name) {
  const image = new Image(), [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
  image.src = `data:image/svg+xml;base64,${btoa(String.fromCharCode(...new TextEncoder().encode(drawnText(picture))))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  canvas.toBlob((blob) => save(name, "image/png", blob), "image/png");
}

/** The buttons with which a table and its picture are kept; `state()` is what a saved page begins with. */
export function keepButtons(place, state, origin = null) {
  const status = el("p", { role: "status" }), picture = () => document.querySelector(".flow svg"), button = (word, work) => el("button", { type: "button", onclick: work }, translate(word));
  const link = async () => {
    const address = `${location.href.replace(/#.*/, "")}#t=${pack(state())}`;
    if (address.length > MAX_LINK) return void (status.textContent = translate("link_long"));
    await navigator.clipboard?.writeText(address).catch(() => null);
    status.replaceChildren(translate("link_copied"), " ", el("a", { href: address }, translate("the_link")));
  };
  place.replaceChildren(el("div", { class: "row-of" },
    button("save_page", async () => save("isegoria-table.html", "text/html", await pageWith(state(), origin))),
    button("keep_png", () => savePng(picture(), "voices.png")), button("keep_svg", () => save("voices.svg", "image/svg+xml", drawnText(picture()))),
    button("keep_csv", () => save("table.csv", "text/csv", writeCsv(state().table))), button("keep_json", () => save("table.json", "application/json", writeJson(state().table))),
    ...(origin ? [] : [button("make_link", link)])), status);
}
