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

// Show the page anew; one that answered a form is opened by its own address, so that nothing is sent a second time.
// What is tapped on the old page while the new one is on its way would be lost, so nothing there can be tapped any more.
export function reloadPage() {
  document.body.inert = true;
  if (location.pathname.includes("/do/")) location.replace(pageData.here);
  else location.reload();
}

// Whoever has begun to write, or is on her way to another page, is not interrupted. What was tapped before this script had
// come it cannot know, only that something was: a form may be on its way, and to show the page anew would call it back.
let hasUnsavedInput = false, isLeaving = false;
if (PerformanceObserver.supportedEntryTypes?.includes("first-input")) {
  const began = performance.now(), early = (found) => { hasUnsavedInput ||= found.some((one) => one.startTime < began); };
  const eye = new PerformanceObserver((list) => early(list.getEntries()));
  eye.observe({ type: "first-input", buffered: true });
  early(eye.takeRecords());
} else hasUnsavedInput = navigator.userActivation?.hasBeenActive ?? false;
addEventListener("input", () => { hasUnsavedInput = true; });
addEventListener("submit", (event) => { if (!event.defaultPrevented) markLeaving(); });
addEventListener("click", (event) => { if (event.target.closest?.("a[href]")) markLeaving(); });
addEventListener("pageshow", () => { isLeaving = false; });
function markLeaving() { // for a while: what was tapped may have been a file, and then this page stays
  isLeaving = true;
  setTimeout(() => { isLeaving = false; }, 20000);
}
export const clearUnsavedInput = () => { hasUnsavedInput = false; };

const ANSWERED_INDEX = 3; // where a snapshot has how many have answered
// What a page shows, in a few words: only when these change is there anything new for a person.
const summariseView = (view) => [view.phase, view.round, view.last?.state ?? "none", view.answered, view.members, view.arms.length,
  view.last?.slots.filter((slot) => slot.reason).length ?? 0].join(" ");

// What this page itself has just changed is nothing new for whoever looks at it, and nothing is half written any more.
// `work` saves something; changes that come meanwhile are looked at when it has.
let activeSaves = 0;
export async function runSave(work) {
  activeSaves += 1;
  try {
    const done = await work();
    const [before, now] = [pageData.snapshot.split(" "), summariseView(await (await fetch(apiUrl)).json()).split(" ")];
    hasUnsavedInput = false;
    if (before.every((part, place) => place === ANSWERED_INDEX || part === now[place])) pageData.snapshot = now.join(" ");
    else if (activeSaves === 1) reloadPage(); // whatever is saved after this shows it, so that no tap is lost
    return done;
  } finally { activeSaves -= 1; }
}

// A longer piece of work that nothing on this page may interrupt, and whose result stays: what comes meanwhile or later is
// offered. Its own signature is such news, and used to take the result away as soon as it stood there.
let hasMissedChange = false;
export async function runWithoutReload(work) {
  activeSaves += 1;
  try { return await work(); } finally {
    activeSaves -= 1;
    hasUnsavedInput = true;
    if (hasMissedChange) offerReload();
  }
}

// Live: whenever the group changes the record is looked at again if it grew, and the page is shown anew unless somebody is
// writing on it. A stream begins with where the group is, which a page that was opened just now shows already.
export function subscribeToChanges(changed = () => {}) {
  const source = new EventSource(`${apiUrl}/events`);
  let begins = true;
  source.addEventListener("change", async ({ data }) => {
    const first = begins, grew = JSON.parse(data).head !== lastHead;
    begins = false;
    if (grew && !(await checkHead())) { source.close(); return; }
    if (summariseView(await (await fetch(apiUrl)).json()) === pageData.snapshot) { if (grew || !first) changed(); return; }
    if (isLeaving || activeSaves) { hasMissedChange = true; return; }
    if (hasUnsavedInput) { offerReload(); changed(); }
    else reloadPage();
  });
  source.addEventListener("gone", () => source.close());
  addEventListener("pagehide", () => source.close());
}

function offerReload() {
  const node = document.getElementById("alarm");
  if (node.firstChild) return;
  const button = document.createElement("button");
  button.textContent = translate("show_it");
  button.onclick = () => reloadPage();
  const said = document.createElement("p");
  said.className = "note";
  said.append(`${translate("something_new")} `, button);
  node.append(said);
}

export { encodeText, toHex, translate, sha256Of, fromHex };
