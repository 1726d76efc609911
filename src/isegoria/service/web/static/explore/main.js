// The explorer's page: drop a table, and every question about it is asked of the server on this computer.
import { $, colour, el, number, whole } from "./dom.js";
import { keep, read, take } from "./address.js";
import { Refused, drop, get, post } from "./ask.js";
import { chart } from "./chart.js";
import { frame } from "./picture.js";
import { Lottery } from "./lottery.js";
import { offer, stop } from "./lessons.js";
import { showPolicies } from "./policies.js";
import { say, use } from "./words.js";

const LANGUAGES = JSON.parse(document.documentElement.dataset.languages ?? "{}");
const READING = ["scale", "missing", "agent", "ignore", "columns", "answers", "sheet", "rewards", "unranked", "best_category", "format"];
let begun, compared, lottery, curve, redrawPrice;

async function speak(language) {
  const wanted = language ?? read("lang") ?? navigator.language.slice(0, 2);
  const chosen = wanted in LANGUAGES ? wanted : "en";
  use(await (await fetch(`/words/${chosen}`)).json());
  document.documentElement.lang = chosen;
  if (language) keep("lang", language);
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", say(node.dataset.label));
  document.title = say("title");
}

function refused(error) {
  if (!(error instanceof Refused)) { console.error(error); }
  $("refused-why").textContent = error.message;
  $("ways-out").replaceChildren(...(error.proposed ?? []).map((way) => el("button", { type: "button", onclick: () => takeUp(way) }, wayOut(way))));
  $("refused").hidden = false;
  $("refused").scrollIntoView({ block: "nearest" });
}
const guarded = (work) => async (...what) => {
  $("refused").hidden = true;
  try { await work(...what); } catch (error) { refused(error); }
};

// A way out that the refusal names: taken up at once, or, where something is left to fill in, laid out in the fields.
function takeUp({ options: chosen, whole: complete }) {
  for (const [name, value] of Object.entries(chosen)) $(`read-${name}`).value = value;
  $("how").open = !complete;
  if (complete) $("again").click();
  else $(`read-${Object.keys(chosen).at(-1)}`).focus();
}

function wayOut({ options: chosen, whole: complete }) {
  const parts = Object.entries(chosen).map(([name, value]) => {
    const [low, high] = value.split(",");
    const exact = `propose_${name}_${value}`;
    return say(exact) === exact ? say(`propose_${name}`, { value: value.replaceAll("\n", ", "), low, high }) : say(exact);
  });
  return parts.join("; ") + (complete ? "" : say("propose_fill"));
}

const options = () => Object.fromEntries(READING.map((name) => [name, $(`read-${name}`).value.trim()]).filter(([, value]) => value));

async function opened(facts) {
  stop();
  keep("t", facts.table);
  const started = performance.now();
  $("start").hidden = true;
  $("table").hidden = false;
  $("name").textContent = facts.name || say("a_table");
  $("size").textContent = say("size", { agents: whole(facts.agents), arms: whole(facts.arms.length) });
  $("notes").replaceChildren(...facts.notes.map((note) => el("li", {}, note)));
  preview(facts);
  compared = await get(`/api/tables/${facts.table}/compare`);
  lottery = new Lottery(facts.table, facts.arms, () => redrawPrice?.());
  showPolicies(compared, (policy) => { lottery.set(policy); $("own").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" }); });
  const kept = read("p")?.split("_").map(Number);
  await lottery.set(kept?.length === facts.arms.length && kept.some((p) => p > 0) ? kept : compared.objectives.procedural.policy);
  await price();
  offer(facts.table, begun.learners, begun.noises);
  document.body.dataset.shown = Math.round(performance.now() - started);
}

function preview(facts) {
  $("ratings").replaceChildren(el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, say("agent")), facts.arms.slice(0, 30).map((arm) => el("th", { scope: "col" }, arm)))),
    el("tbody", {}, facts.preview.map((row) => el("tr", {}, el("th", { scope: "row" }, row.weight > 1 ? `${row.agent} (${row.weight})` : row.agent),
      row.means.slice(0, 30).map((value) => el("td", {}, number(value, 2))))))));
  $("cut").textContent = facts.rows > facts.preview.length || facts.arms.length > 30 ? say("cut") : "";
}

async function price() {
  const axis = $("axis").value;
  keep("axis", axis === "utilitarian" ? "" : axis);
  curve = await get(`/api/tables/${read("t")}/price?axis=${axis}`);
  redrawPrice = frame($("price"), "price", pricePicture, priceTable, say("price_caption"));
}

function pricePicture(width) {
  const axis = curve.axis, six = Object.values(compared.objectives);
  const marks = six.map((row, i) => ({ x: row.scores.procedural, y: row.scores[axis], label: row.label, colour: colour(i) }));
  if (lottery?.found) marks.push({ x: lottery.found.scores.procedural, y: lottery.found.scores[axis], label: say("yours"), colour: "#E33", own: true });
  const values = [...marks.map((mark) => mark.y), ...curve.points.map((point) => point.value)];
  const lows = [...marks.map((mark) => mark.x)];
  return chart(width, {
    x: { low: Math.max(0, Math.min(0.5, ...lows) - 0.05), high: 1.02, label: say("score_procedural") },
    y: { low: Math.max(0, Math.min(...values) - 0.03), high: Math.max(...values) + 0.02, label: say(`score_${axis}`) },
    lines: [{ colour: "currentColor", points: curve.points.map((point) => [point.procedural, point.value]).filter(([level]) => level >= Math.max(0, Math.min(0.5, ...lows) - 0.05)) }],
    marks, title: say("price_caption"),
  });
}
const priceTable = () => [["procedural", curve.axis, ...compared.arms], ...curve.points.map((point) => [point.procedural, point.value, ...point.policy])];

async function chosen(file) {
  if (file) await opened(await drop(file, options()));
}

function wire() {
  let last = null;
  for (const one of [$("example"), $("again"), $("language")]) one.hidden = false; // now that they answer
  const take = guarded(async (file) => { last = file ?? last; await ready; keep("p", ""); await chosen(last); });
  $("file").onchange = () => take($("file").files[0]);
  if ($("file").files.length) take($("file").files[0]); // chosen while this script was still on its way
  $("again").onclick = () => take(null);
  for (const zone of [$("start"), $("table")]) {
    zone.ondragover = (event) => event.preventDefault();
    zone.ondrop = (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); };
  }
  $("example").onclick = guarded(async () => { await ready; keep("p", ""); await opened(await post("/api/example", {})); });
  $("another").onclick = () => { $("start").hidden = false; $("file").focus(); };
  $("axis").onchange = guarded(price);
  $("ask-core").onclick = guarded(() => lottery.core());
  $("language").replaceChildren(...Object.entries(LANGUAGES).map(([id, name]) => el("option", { value: id, selected: id === document.documentElement.lang }, name)));
  $("language").onchange = guarded(async () => { await speak($("language").value); if (compared) await reshown(); });
}

const reshown = async () => opened(await get(`/api/tables/${read("t")}/facts`));

async function begin() {
  const token = take("k");
  await speak();
  wire();
  if (token) await post("/api/open", { token });
  begun = await get("/api/start");
  $("axis").value = read("axis") ?? "utilitarian";
  const table = read("t");
  if (table) {
    try { await opened(await get(`/api/tables/${table}/facts`)); return; } catch (error) { if (!begun.first) throw error; }
  }
  if (begun.first) await opened(begun.first);
}

const ready = guarded(begin)();
