// The page that needs no installation: a table, one phone, a link in the chat, turns, and the verifier, in one file.
import { $, el, formatInteger } from "../explorer/dom.js";
import { translate, setMessages } from "../explorer/translations.js";
import { Chat, isQuestion } from "./chat.js";
import { keepButtons, keepForReload, recall, unpack } from "./keep.js";
import { Phone, parseNames, sentenceOf } from "./phone.js";
import { Story } from "./story.js";
import { TableError, readTable, refuse } from "./table.js";
import { TurnsView } from "./turns.js";

const EXAMPLE = { agents: ["Ann", "Ben", "Cem", "Dan", "Eve", "Femi", "Gus", "Hana", "Ines", "Jun"],
  sets: [[0], [0], [0], [0], [0, 3], [1], [1, 2], [3], [2], [2, 3]] };
const VIEWS = ["table", "phone", "chat", "turns", "verify"], STORE = "isegoria page";
const messages = JSON.parse($("messages").textContent), kept = JSON.parse($("kept").textContent);
let story = null, views = {}, source = "";

/** The language of the address, of the cookie of a group's pages, or of the browser, as the verifier chooses it. */
function chooseLanguage() {
  const [, cookie] = /(?:^|; )isegoria-language=(\w+)/.exec(document.cookie) ?? [];
  const asked = [new URLSearchParams(location.search).get("lang"), cookie, ...navigator.languages.map((one) => one.slice(0, 2))];
  return asked.find((one) => one && one in messages) ?? "en";
}

function speak(language) {
  setMessages({ ...messages.en, ...messages[language] });
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = translate(node.dataset.word);
  for (const node of document.querySelectorAll("[data-hint]")) node.placeholder = translate(node.dataset.hint);
  setTimeout(() => (document.title = translate("page_title"))); // after the verifier's
}

const fragment = () => new URLSearchParams(location.hash.slice(1));

/** The view that the address names; a shared table, question or state of turns opens its own. */
function route() {
  const packed = fragment(), name = packed.has("c") ? "chat" : packed.has("u") ? "turns" : packed.has("t") ? "table" : location.hash.slice(1);
  const view = VIEWS.includes(name) ? name : "table";
  for (const one of VIEWS) {
    $(`view-${one}`).hidden = one !== view;
    $(`to-${one}`).setAttribute("aria-current", one === view ? "page" : "false");
  }
  if (view === "phone") views.phone ??= new Phone($("view-phone"));
  if (view === "chat") {
    const question = packed.has("c") ? unpack(packed.get("c")) : null;
    if (question && isQuestion(question)) views.chat = new Chat($("view-chat"), question);
    else views.chat ??= new Chat($("view-chat"));
  }
  if (view === "turns") views.turns = packed.has("u") ? new TurnsView($("view-turns"), unpack(packed.get("u"))) : views.turns ?? new TurnsView($("view-turns"));
  if (packed.has("t")) open(unpack(packed.get("t")));
}

const remember = () => keepForReload(STORE, state());

const state = () => ({ table: story.raw, ...story.state() });

/** Show a table that was kept by this page: in a file, in a link, or before a reload. */
function open(value) {
  try {
    const { table } = value ?? {};
    const good = Array.isArray(table?.means) && table.means.every((row) => Array.isArray(row) && row.every((one) => one >= 0 && one <= 1));
    if (!good) refuse("t_damaged");
    const { arms, agents, weights, means } = table;
    show(readTable(JSON.stringify({ arms, agents, weights, means })), value);
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (!(error instanceof TableError)) throw error;
  $("refused").textContent = sentenceOf(error);
  $("refused").hidden = false;
  $("refused").scrollIntoView({ block: "nearest" });
}

/** Show a table and its story; `text` is what it was read from, where its scale can be chosen again. */
function show({ notes = [], ...table }, before = {}, text = "") {
  const scale = text && notes.find(([id]) => id === "n_scale");
  source = text;
  $("scale").hidden = !scale;
  if (scale) [$("scale-from").value, $("scale-to").value] = scale.slice(1);
  $("refused").hidden = true;
  $("begin").open = false;
  $("shown").hidden = false;
  $("size").textContent = [translate("size", { agents: formatInteger(table.weights.reduce((a, b) => a + b, 0)), arms: formatInteger(table.arms.length) }), ...notes.map(([id, ...values]) => translate(id, Object.fromEntries(values.entries())))].join(". ").replace(/\.?$/, ".");
  story?.stop();
  const started = performance.now();
  story = new Story($("story"), table, { changed: remember, kept: before });
  $("story").dataset.milliseconds = Math.round(performance.now() - started);
  keepButtons($("keep"), state);
  remember();
}

/** A text that was pasted, dropped or chosen: a table, a state of turns, a page that was saved, or a record to verify. */
function take(text) {
  try {
    const inside = /<script type="application\/json" id="kept">([^]*?)<\/script>/.exec(text);
    if (inside) return open(JSON.parse(inside[1]));
    if (/^\s*\{[^\n]*"format":"isegoria turns"/.test(text)) {
      views.turns = new TurnsView($("view-turns"), JSON.parse(text));
      return void (location.hash = "turns");
    }
    if (/"line":"charter"/.test(text.slice(0, 100000))) refuse("t_record");
    show(readTable(text), {}, text);
  } catch (error) {
    failed(error);
  }
}

function changeScale(event) {
  event.preventDefault();
  const ends = ["from", "to"].map((name) => Number($(`scale-${name}`).value.trim().replace(",", ".") || NaN));
  try {
    if (!(ends[0] < ends[1])) refuse("scale_wrong");
    show(readTable(source, ends), {}, source);
  } catch (error) {
    failed(error);
  }
}

const MAX_BYTES = 8_000_000;
async function takeFile(file) {
  if (!file) return;
  if (file.size > MAX_BYTES) return failed(new TableError("t_bytes", [file.name]));
  take(await file.text());
}

function wire() {
  $("table-file").onchange = (event) => takeFile(event.target.files[0]);
  $("pasted").onpaste = () => setTimeout(() => take($("pasted").value));
  $("read").onclick = () => take($("pasted").value);
  $("scale").onsubmit = changeScale;
  $("example").onclick = () => show({ ...EXAMPLE, arms: parseNames(translate("options_hint"), "p_options"), weights: EXAMPLE.agents.map(() => 1), means: EXAMPLE.sets.map((set) => [0, 1, 2, 3].map((k) => (set.includes(k) ? 1 : 0))) });
  $("typed").onsubmit = (event) => {
    event.preventDefault();
    try {
      const [arms, agents] = [parseNames($("typed-options").value, "p_options"), parseNames($("typed-names").value, "p_names")];
      show({ arms, agents, weights: agents.map(() => 1), means: agents.map(() => arms.map(() => 0)) });
      story.tell(0);
    } catch (error) {
      failed(error);
    }
  };
  const dropped = (event) => {
    if (!$("view-verify").hidden || !event.dataTransfer?.files) return; // the verifier takes its own
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === "drop") takeFile(event.dataTransfer.files[0]);
  };
  for (const kind of ["dragover", "drop"]) document.addEventListener(kind, dropped, true);
  document.addEventListener("keydown", (event) => event.key === "Escape" && story?.stop());
  $("languages").onclick = ({ target }) => target.href && (target.href += location.hash); // the view stays
  addEventListener("hashchange", route);
}

function begin() {
  speak(chooseLanguage());
  wire();
  $("views").append(...VIEWS.map((name) => el("a", { id: `to-${name}`, href: `#${name}` }, translate(`nav_${name}`))));
  route();
  if (kept) open(kept);
  else if (!fragment().has("t") && recall(STORE)) open(recall(STORE));
  document.body.dataset.ready = "";
}

begin();
