// The explorer's page: drop a table, and every question about it is asked of the server on this computer.
import { $, optionColour, el, formatNumber, formatInteger } from "./dom.js";
import { setState, getState, consume } from "./url_state.js";
import { RequestError, uploadFile, get, post } from "./api.js";
import { chart } from "./chart.js";
import { showFigure } from "./figure.js";
import { Lottery } from "./lottery.js";
import { initLearning, stopLearning } from "./live_learning.js";
import { showPolicies } from "./policies.js";
import { keepButtons } from "../page/keep.js";
import { Story } from "../page/story.js";
import { translate, setMessages } from "./translations.js";

const LANGUAGES = JSON.parse(document.documentElement.dataset.languages ?? "{}");
const READ_OPTIONS = ["scale", "missing", "agent", "ignore", "columns", "answers", "sheet", "rewards", "unranked", "best_category", "format"];
const [MOST_ROWS, MOST_CELLS] = [20000, 200000];
let story, startData, comparison, lottery, curve, redrawPrice, lastFile = null;

async function setLanguage(language) {
  const wanted = language ?? getState("lang") ?? navigator.language.slice(0, 2);
  const chosen = wanted in LANGUAGES ? wanted : "en";
  setMessages(await (await fetch(`/words/${chosen}`)).json());
  document.documentElement.lang = chosen;
  if (language) setState("lang", language);
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = translate(node.dataset.say);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", translate(node.dataset.label));
  document.title = translate("title");
}

function showError(error) {
  if (!(error instanceof RequestError)) { console.error(error); }
  $("refused-why").textContent = error.message;
  $("ways-out").replaceChildren(...(error.proposed ?? []).map((way) => el("button", { type: "button", onclick: () => applySuggestion(way) }, describeSuggestion(way))));
  $("refused").hidden = false;
  $("refused").scrollIntoView({ block: "nearest" });
}
const withErrorDisplay = (work) => async (...what) => {
  $("refused").hidden = true;
  try { await work(...what); } catch (error) { showError(error); }
};

// A way out that the refusal names: taken up at once, or, where something is left to fill in, laid out in the fields.
function applySuggestion({ options: chosen, whole: complete }) {
  for (const [name, value] of Object.entries(chosen)) $(`read-${name}`).value = value;
  $("how").open = !complete;
  if (complete) $("again").click();
  else $(`read-${Object.keys(chosen).at(-1)}`).focus();
}

function describeSuggestion({ options: chosen, whole: complete }) {
  const parts = Object.entries(chosen).map(([name, value]) => {
    const [low, high] = value.split(",");
    const exact = `propose_${name}_${value}`;
    return translate(exact) === exact ? translate(`propose_${name}`, { value: value.replaceAll("\n", ", "), low, high }) : translate(exact);
  });
  return parts.join("; ") + (complete ? "" : translate("propose_fill"));
}

const readOptions = () => Object.fromEntries(READ_OPTIONS.map((name) => [name, $(`read-${name}`).value.trim()]).filter(([, value]) => value));

async function showTable(facts) {
  stopLearning();
  setState("t", facts.table);
  const started = performance.now();
  $("start").hidden = true;
  $("table").hidden = false;
  $("name").textContent = facts.name || translate("a_table");
  $("size").textContent = translate("size", { agents: formatInteger(facts.agents), arms: formatInteger(facts.arms.length) });
  $("notes").replaceChildren(...facts.notes.map((note) => el("li", {}, note)));
  showPreview(facts);
  await tell(facts);
  comparison = await get(`/api/tables/${facts.table}/compare`);
  lottery = new Lottery(facts.table, facts.arms, () => redrawPrice?.());
  showPolicies(comparison, (policy) => { lottery.set(policy); $("own").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" }); });
  const kept = getState("p")?.split("_").map(Number);
  await lottery.set(kept?.length === facts.arms.length && kept.some((p) => p > 0) ? kept : comparison.rules.procedural.policy);
  await loadPrice();
  initLearning(facts.table, startData.learners, startData.noises);
  document.body.dataset.shown = Math.round(performance.now() - started);
}

// The people first: the same story as on the page that needs no installation, which can be saved with this table inside.
async function tell({ table, rows, arms }) {
  story?.stop();
  $("story-of").hidden = rows > MOST_ROWS || rows * arms.length > MOST_CELLS;
  if ($("story-of").hidden) return;
  const ratings = await get(`/api/tables/${table}/table`);
  story = new Story($("story"), ratings, { changed: keepStory, kept: { rule: getState("rule"), tastes: getState("tastes") } });
  keepButtons($("keep"), () => ({ table: story.raw, ...story.state() }), "/one-page");
}

function keepStory() {
  setState("rule", story.rule);
  setState("tastes", story.describeTastes());
}

function showPreview(facts) {
  $("ratings").replaceChildren(el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, translate("agent")), facts.arms.slice(0, 30).map((arm) => el("th", { scope: "col" }, arm)))),
    el("tbody", {}, facts.preview.map((row) => el("tr", {}, el("th", { scope: "row" }, row.weight > 1 ? `${row.agent} (${row.weight})` : row.agent),
      row.means.slice(0, 30).map((value) => el("td", {}, formatNumber(value, 2))))))));
  $("cut").textContent = facts.rows > facts.preview.length || facts.arms.length > 30 ? translate("cut") : "";
}

async function loadPrice() {
  const axis = $("axis").value;
  setState("axis", axis === "utilitarian" ? "" : axis);
  curve = await get(`/api/tables/${getState("t")}/price?axis=${axis}`);
  redrawPrice = showFigure($("price"), "price", drawPrice, priceTable, translate("price_caption"));
}

function drawPrice(width) {
  const axis = curve.axis, six = Object.values(comparison.rules);
  const marks = six.map((row, i) => ({ x: row.scores.procedural, y: row.scores[axis], label: row.label, colour: optionColour(i) }));
  if (lottery?.found) marks.push({ x: lottery.found.scores.procedural, y: lottery.found.scores[axis], label: translate("yours"), colour: "#E33", own: true });
  const values = [...marks.map((mark) => mark.y), ...curve.points.map((point) => point.value)];
  const lows = [...marks.map((mark) => mark.x)];
  return chart(width, {
    x: { low: Math.max(0, Math.min(0.5, ...lows) - 0.05), high: 1.02, label: translate("score_procedural") },
    y: { low: Math.max(0, Math.min(...values) - 0.03), high: Math.max(...values) + 0.02, label: translate(`score_${axis}`) },
    lines: [{ colour: "currentColor", points: curve.points.map((point) => [point.procedural, point.value]).filter(([level]) => level >= Math.max(0, Math.min(0.5, ...lows) - 0.05)) }],
    marks, title: translate("price_caption"),
  });
}
const priceTable = () => [["procedural", curve.axis, ...comparison.arms], ...curve.points.map((point) => [point.procedural, point.value, ...point.policy])];

const forgetChoices = () => ["p", "tastes"].forEach((name) => setState(name, ""));

async function uploadSelectedFile(file) {
  if (file) await showTable(await uploadFile(file, readOptions()));
}

function bindEvents() {
  for (const one of [$("example"), $("again"), $("language")]) one.hidden = false; // now that they answer
  const take = withErrorDisplay(async (file) => { lastFile = file ?? lastFile; await ready; forgetChoices(); await uploadSelectedFile(lastFile); });
  $("file").onchange = () => take($("file").files[0]);
  if ($("file").files.length) take($("file").files[0]); // chosen while this script was still on its way
  $("again").onclick = () => take(null);
  for (const zone of [$("start"), $("table")]) {
    zone.ondragover = (event) => event.preventDefault();
    zone.ondrop = (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); };
  }
  $("example").onclick = withErrorDisplay(async () => { await ready; forgetChoices(); await showTable(await post("/api/example", {})); });
  $("another").onclick = () => { $("start").hidden = false; $("file").focus(); };
  $("axis").onchange = withErrorDisplay(loadPrice);
  $("ask-core").onclick = withErrorDisplay(() => lottery.checkCore());
  $("language").replaceChildren(...Object.entries(LANGUAGES).map(([id, name]) => el("option", { value: id, selected: id === document.documentElement.lang }, name)));
  $("language").onchange = withErrorDisplay(async () => { await setLanguage($("language").value); if (comparison) await reloadTable(); });
}

const reloadTable = async () => showTable(await get(`/api/tables/${getState("t")}/facts`));

// A file that the command named and that lacks an option: the answer to its upload says which, with buttons.
async function openPendingFile({ name, options }) {
  for (const [option, value] of Object.entries(options)) $(`read-${option}`).value = value;
  lastFile = new File([await (await fetch("/api/pending")).blob()], name);
  await uploadSelectedFile(lastFile);
}

async function startExplorer() {
  const token = consume("k");
  await setLanguage();
  bindEvents();
  if (token) await post("/api/open", { token });
  startData = await get("/api/start");
  $("axis").value = getState("axis") ?? "utilitarian";
  const table = getState("t");
  if (table) {
    try { await showTable(await get(`/api/tables/${table}/facts`)); return; } catch (error) { if (!startData.first) throw error; }
  }
  if (startData.first) await showTable(startData.first);
  if (startData.pending) await openPendingFile(startData.pending);
}

const ready = withErrorDisplay(startExplorer)();
