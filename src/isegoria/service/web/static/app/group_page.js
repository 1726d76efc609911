// What every page of a group shares: its words, its questions to the server, and the eye on the record.
import { encodeText, toHex, concatBytes, sha256Of, fromHex, encodeWords } from "/verify/bytes.js";
import { translate, setMessages } from "../explorer/translations.js";

export const pageData = document.body.dataset;
export const apiUrl = `/api/groups/${pageData.group}`;

// Ready once the words are there; every page awaits it first.
export const ready = fetch(`/static/translations/pages.${document.documentElement.lang}.json`).then((answer) => answer.json()).then(setMessages);

export function makeIdempotencyKey() {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}

export async function send(path, body) {
  const answer = await fetch(`${apiUrl}/${path}`, {
    method: "POST", headers: { "content-type": "application/json", "idempotency-key": makeIdempotencyKey() }, body: JSON.stringify(body),
  });
  return { ok: answer.ok, status: answer.status, body: await answer.json().catch(() => ({})) };
}

/** A moment of a day as the group's clock shows it. */
export const formatClock = (seconds) => new Date(1000 * seconds).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: pageData.zone });

const RECORD_PART_LINES = 250; // lines
// The record, in parts: those that are full never change, so the browser keeps them. Where one does not follow on the part
// before, what it kept is not what the server has now, and all is fetched anew. A server that only says that it cannot
// answer now has shown no history: that is as if it had not answered, and accuses nobody.
export async function fetchRecord(cache = "default") {
  const parts = [];
  for (let after = "0".repeat(64), count = RECORD_PART_LINES; count === RECORD_PART_LINES;) {
    const answer = await fetch(`${apiUrl}/record?after=${after}&lines=${RECORD_PART_LINES}`, { cache });
    if (!answer.ok && answer.status !== 404) throw new TypeError(`the record did not come: ${answer.status}`);
    const part = answer.ok ? new Uint8Array(await answer.arrayBuffer()) : new Uint8Array(), lines = splitLines(part);
    const follows = answer.ok && (!lines.length || parsePrev(lines[0]) === after);
    if (!follows && cache !== "reload") return fetchRecord("reload");
    parts.push(part);
    count = follows ? lines.length : 0; // nothing can follow on it: whoever looks finds it wrong
    if (count) after = toHex(sha256Of(lines.at(-1)));
  }
  return concatBytes(...parts);
}

function parsePrev(line) {
  try { return JSON.parse(new TextDecoder().decode(line)).prev; } catch { return null; }
}

// The lines of a record as bytes, without their ends.
export function splitLines(record) {
  const lines = [];
  for (let start = 0; start < record.length;) {
    const end = record.indexOf(10, start);
    if (end < 0) break;
    lines.push(record.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

const headKey = `isegoria kept ${pageData.group}`;
export const accessLocalStorage = (name, value) => {
  try {
    if (value !== undefined) localStorage.setItem(name, JSON.stringify(value));
    return JSON.parse(localStorage.getItem(name));
  } catch { return null; }
};

// The groups that this device takes part in stand on the first page of the server; nobody else is told.
const groups = Object.entries(accessLocalStorage("isegoria groups") ?? {}).filter(([group]) => group !== pageData.group);
if (pageData.group) accessLocalStorage("isegoria groups", Object.fromEntries([...(pageData.role ? [[pageData.group, document.querySelector("header .title").textContent]] : []), ...groups]));

if (pageData.role) ready.then(() => navigator.serviceWorker?.register("/offline-worker.js")).catch(() => {}); // a browser may refuse to keep anything

// The last head that this device saw must still be on the record: line number `lines` has that hash. Else the page turns red.
let lastHead = null;
export async function checkHead() {
  const record = await fetchRecord();
  const lines = splitLines(record), kept = accessLocalStorage(headKey);
  if (!lines.length && !kept) return { record, lines, head: "" };
  const fits = !kept || (lines.length >= kept.lines && toHex(sha256Of(lines[kept.lines - 1])) === kept.head);
  if (!fits) return showAlarm();
  const head = lastHead = toHex(sha256Of(lines.at(-1)));
  accessLocalStorage(headKey, { lines: lines.length, head });
  const shown = document.getElementById("words");
  if (shown && head === pageData.head) shown.textContent = encodeWords(head);
  return { record, lines, head };
}

export function showAlarm(sentence = translate("rewritten")) {
  const node = document.getElementById("alarm");
  if (!document.body.classList.contains("alarmed")) { node.replaceChildren(); document.title = `⚠ ${document.title}`; }
  node.className = "alarm";
  document.body.classList.add("alarmed");
  if ([...node.children].some((one) => one.textContent === sentence)) return null;
  node.append(Object.assign(document.createElement("p"), { textContent: sentence }));
  return null;
}

// A draw by the members' own numbers waits for all of them: the page says whose are still missing as they come.
export function showMissingNumbers({ last, people }) {
  const headKey = document.getElementById("missing");
  if (!headKey || !last?.missing) return;
  const names = (people ?? []).filter(({ number }) => last.missing.includes(number)).map(({ name }) => name).join(", ");
  headKey.textContent = !last.missing.length ? translate("numbers_all") : names ? `${translate("numbers_missing")} ${names}.` : translate("numbers_missing_count", { count: last.missing.length });
}

/** Why this device does not sign, as a whole sentence. */
export const explainNoSignature = (why) => (why[0] === why[0].toLowerCase() ? translate("phone_signs_not", { why }) : why);

// -- what is new ---------------------------------------------------------------------------------------------------------
// Counts change in place. A page takes its new contents only where its state changed, without loading again: never under a
// finger, while something is saved or half written, and with focus, scroll and open folds kept.

const CALM_MS = 600, LOOK_INTERVAL_MS = 1000, RETRY_MS = 5000; // milliseconds
let activeSaves = 0, isTouching = false, calmTimer = null, isLeaving = false, hasUnsavedInput = false, isStale = false;
let initPage = () => {}, beforeReplacing = () => {};

/** Run what makes a page answer, now and whenever it has new contents; `before` runs ahead of these, with the new document. */
export async function runPage(init, before = beforeReplacing) {
  [initPage, beforeReplacing] = [init, before];
  await init();
}

const isCalm = () => !isTouching && calmTimer === null && !activeSaves && !isLeaving;
for (const kind of ["pointerdown", "pointerup", "pointercancel", "keydown"]) {
  addEventListener(kind, () => {
    if (kind !== "keydown") isTouching = kind === "pointerdown";
    clearTimeout(calmTimer);
    calmTimer = setTimeout(() => { calmTimer = null; settle(); }, CALM_MS);
  }, { capture: true, passive: true });
}
// What was tapped before this script had come it cannot know, only that something was: a form may be on its way.
if (PerformanceObserver.supportedEntryTypes?.includes("first-input")) {
  const began = performance.now(), early = (found) => { hasUnsavedInput ||= found.some((one) => one.startTime < began); };
  const eye = new PerformanceObserver((list) => early(list.getEntries()));
  eye.observe({ type: "first-input", buffered: true });
  early(eye.takeRecords());
} else hasUnsavedInput = navigator.userActivation?.hasBeenActive ?? false;
addEventListener("input", (event) => { if (!event.target.closest?.("form.saves")) hasUnsavedInput = true; });
addEventListener("submit", (event) => { if (!event.defaultPrevented) markLeaving(); });
addEventListener("click", (event) => { if (event.target.closest?.("a[href]")) markLeaving(); });
addEventListener("pageshow", () => { isLeaving = false; });
function markLeaving() { // for a while: what was tapped may have been a file, and then this page stays
  isLeaving = true;
  setTimeout(() => { isLeaving = false; settle(); }, 20000);
}
export const clearUnsavedInput = () => { hasUnsavedInput = false; };

/** Save something: what this page shows is not replaced meanwhile. */
export async function runSave(work) {
  activeSaves += 1;
  try {
    const done = await work();
    hasUnsavedInput = false;
    return done;
  } finally {
    activeSaves -= 1;
    lookAgain();
  }
}

/** A longer piece of work whose result stays: what comes meanwhile or later is offered. */
export async function runWithoutReload(work) {
  activeSaves += 1;
  try { return await work(); } finally {
    activeSaves -= 1;
    hasUnsavedInput = true;
    settle();
  }
}

/** Fetch something; a server that cannot answer now (busy, restarting) has said nothing: it is as if it were away. */
export async function fetchWhole(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new TypeError(`${url} did not come: ${answer.status}`);
  return answer;
}
export const fetchView = async () => (await fetchWhole(apiUrl)).json();
export const isTransient = (status) => status >= 500 || status === 429;

function showCounts(view) {
  for (const one of document.querySelectorAll("[data-counts]")) one.textContent = translate(one.dataset.counts, view);
  for (const bar of document.querySelectorAll("progress[data-answered]")) Object.assign(bar, { max: view.members, value: view.answered });
  const waiting = document.getElementById("waiting");
  if (waiting) waiting.textContent = view.waiting_for?.length ? `${translate("waiting_for")} ${view.waiting_for.join(", ")}` : "";
  for (const { number, answered } of view.people ?? []) {
    const state = document.querySelector(`[data-person="${number}"]`);
    if (state) state.textContent = translate(answered ? "answered_yes" : "answered_no");
  }
}

let source = null, streamHead = null, notify = () => {}, isWaiting = false, isQueued = false, hasNews = false;
// One look at a time, and one a second; one that failed is taken again.
function lookAgain() {
  if (isWaiting) { isQueued = true; return; }
  isWaiting = true;
  const rest = (milliseconds, again) => setTimeout(() => { isWaiting = false; if (again || isQueued) { isQueued = false; lookAgain(); } }, milliseconds);
  look().then(() => rest(LOOK_INTERVAL_MS, false), (fault) => {
    if (!(fault instanceof TypeError)) { isWaiting = false; throw fault; } // fetch never arrived
    rest(RETRY_MS, true);
  });
}

async function look() {
  if (source && streamHead !== lastHead && !(await checkHead())) { source.close(); return; }
  const view = await fetchView();
  showCounts(view);
  isStale = view.page_state !== pageData.state;
  if (hasNews) notify(view);
  hasNews = false;
  await settle();
}

/** Take the new contents of this page if there are any and nothing forbids it now. */
async function settle() {
  if (!isStale || !isCalm()) return;
  if (hasUnsavedInput) offerReplacing();
  else await replacePage().catch((fault) => { if (!(fault instanceof TypeError)) throw fault; lookAgain(); });
}

let replacing = null;
export const replacePage = () => (replacing ??= replaceContents().finally(() => { replacing = null; }));

async function replaceContents() {
  const answer = await fetchWhole(pageData.here);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  await beforeReplacing(fresh);
  if (!isCalm()) return; // somebody taps: once they have, it is looked at again
  const [main, alarm] = [document.getElementById("main"), document.getElementById("alarm")];
  const opened = [...document.querySelectorAll("details[open]")].map(nameFold), focus = nameFocus(document.activeElement), anchor = findAnchor();
  if (!document.body.classList.contains("alarmed")) alarm.replaceChildren();
  fresh.getElementById("alarm").replaceWith(alarm);
  for (const name of Object.keys(pageData)) delete pageData[name];
  Object.assign(pageData, { ...fresh.body.dataset });
  main.replaceWith(document.adoptNode(fresh.getElementById("main")));
  for (const part of ["header", "footer"]) {
    const [old, now] = [document.querySelector(part), fresh.querySelector(part)];
    if (old.innerHTML !== now.innerHTML) old.replaceWith(document.adoptNode(now));
  }
  if (location.pathname.includes("/do/")) history.replaceState(null, "", pageData.here);
  for (const fold of document.querySelectorAll("details")) if (opened.includes(nameFold(fold))) fold.open = true;
  if (focus) document.querySelector(focus)?.focus({ preventScroll: true });
  anchor();
  isStale = hasUnsavedInput = false;
  await initPage();
}

const nameFold = (fold) => fold.id || fold.querySelector("summary")?.textContent.trim();
const nameFocus = (one) => (one?.id ? `#${CSS.escape(one.id)}` : one?.name ? `main [name="${CSS.escape(one.name)}"][value="${CSS.escape(one.value)}"]` : null);

/** What stands at the top of the screen stays there: a function that puts it back. */
function findAnchor() {
  const name = scrollY > 0 && [...document.querySelectorAll("main [aria-labelledby]")].find((one) => one.getBoundingClientRect().bottom > 80)?.getAttribute("aria-labelledby");
  const top = () => document.querySelector(`main [aria-labelledby="${name}"]`)?.getBoundingClientRect().top, before = name ? top() : null;
  return () => { const now = name ? top() : null; if (now != null && before != null) scrollBy({ top: now - before, behavior: "instant" }); };
}

// Live: whenever the group changes the page looks, and where the stream cannot be had, it asks for it again.
export function subscribeToChanges(changed = () => {}) {
  notify = changed;
  if (source) return;
  let begins = true;
  const open = () => {
    source = new EventSource(`${apiUrl}/events`);
    source.addEventListener("change", ({ data }) => {
      streamHead = JSON.parse(data).head;
      hasNews ||= !begins || streamHead !== lastHead; // a stream begins with where the group is
      begins = false;
      lookAgain();
    });
    source.addEventListener("gone", () => source.close());
    source.onerror = () => { if (source.readyState === EventSource.CLOSED) setTimeout(open, RETRY_MS); };
  };
  open();
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", ({ persisted }) => { if (persisted) open(); });
}

function offerReplacing() {
  const node = document.getElementById("alarm");
  if (node.firstChild) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: translate("show_it") });
  button.onclick = () => { hasUnsavedInput = false; replacePage(); };
  const said = Object.assign(document.createElement("p"), { className: "note" });
  said.append(`${translate("something_new")} `, button);
  node.append(said);
}

export { encodeText, toHex, translate, sha256Of, fromHex };
