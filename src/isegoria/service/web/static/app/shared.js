// What every page of a group shares: its words, its questions to the server, and the eye on the record.
import { ascii, hex, joined, sha, unhex, words } from "/verify/bytes.js";
import { say, use } from "../explore/words.js";

export const about = document.body.dataset;
export const api = `/api/groups/${about.group}`;

// Ready once the words are there; every page awaits it first.
export const ready = fetch(`/static/words/pages.${document.documentElement.lang}.json`).then((answer) => answer.json()).then(use);

export function key() {
  return hex(crypto.getRandomValues(new Uint8Array(12)));
}

export async function send(path, body) {
  const answer = await fetch(`${api}/${path}`, {
    method: "POST", headers: { "content-type": "application/json", "idempotency-key": key() }, body: JSON.stringify(body),
  });
  return { ok: answer.ok, status: answer.status, body: await answer.json().catch(() => ({})) };
}

/** A moment of a day as the group's clock shows it. */
export const clock = (seconds) => new Date(1000 * seconds).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: about.zone });

const PART = 250; // lines
// The record, in parts: those that are full never change, so the browser keeps them. Where one does not follow on the part
// before, what it kept is not what the server has now, and all is fetched anew. A server that only says that it cannot
// answer now has shown no history: that is as if it had not answered, and accuses nobody.
export async function fetchRecord(cache = "default") {
  const parts = [];
  for (let after = "0".repeat(64), count = PART; count === PART;) {
    const answer = await fetch(`${api}/record?after=${after}&lines=${PART}`, { cache });
    if (!answer.ok && answer.status !== 404) throw new TypeError(`the record did not come: ${answer.status}`);
    const part = answer.ok ? new Uint8Array(await answer.arrayBuffer()) : new Uint8Array(), lines = linesOf(part);
    const follows = answer.ok && (!lines.length || prevOf(lines[0]) === after);
    if (!follows && cache !== "reload") return fetchRecord("reload");
    parts.push(part);
    count = follows ? lines.length : 0; // nothing can follow on it: whoever looks finds it wrong
    if (count) after = hex(sha(lines.at(-1)));
  }
  return joined(...parts);
}

function prevOf(line) {
  try { return JSON.parse(new TextDecoder().decode(line)).prev; } catch { return null; }
}

// The lines of a record as bytes, without their ends.
export function linesOf(record) {
  const lines = [];
  for (let start = 0; start < record.length;) {
    const end = record.indexOf(10, start);
    if (end < 0) break;
    lines.push(record.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

const place = `isegoria kept ${about.group}`;
export const stored = (name, value) => {
  try {
    if (value !== undefined) localStorage.setItem(name, JSON.stringify(value));
    return JSON.parse(localStorage.getItem(name));
  } catch { return null; }
};

// The last head that this device saw must still be on the record: line number `lines` has that hash. Else the page turns red.
let watched = null;
export async function watch() {
  const record = await fetchRecord();
  const lines = linesOf(record), kept = stored(place);
  if (!lines.length && !kept) return { record, lines, head: "" };
  const fits = !kept || (lines.length >= kept.lines && hex(sha(lines[kept.lines - 1])) === kept.head);
  if (!fits) return alarm();
  const head = watched = hex(sha(lines.at(-1)));
  stored(place, { lines: lines.length, head });
  const shown = document.getElementById("words");
  if (shown && head === about.head) shown.textContent = words(head);
  return { record, lines, head };
}

export function alarm(sentence = say("rewritten")) {
  const node = document.getElementById("alarm");
  if (!document.body.classList.contains("alarmed")) { node.replaceChildren(); document.title = `⚠ ${document.title}`; }
  node.className = "alarm";
  document.body.classList.add("alarmed");
  if ([...node.children].some((one) => one.textContent === sentence)) return null;
  node.append(Object.assign(document.createElement("p"), { textContent: sentence }));
  return null;
}

// A draw by the members' own numbers waits for all of them: the page says whose are still missing as they come.
export function waitsFor({ last, people }) {
  const place = document.getElementById("missing");
  if (!place || !last?.missing) return;
  const names = (people ?? []).filter(({ number }) => last.missing.includes(number)).map(({ name }) => name).join(", ");
  place.textContent = !last.missing.length ? say("numbers_all") : names ? `${say("numbers_missing")} ${names}.` : say("numbers_missing_count", { count: last.missing.length });
}

/** Why this device does not sign, as a whole sentence. */
export const unsigned = (why) => (why[0] === why[0].toLowerCase() ? say("phone_signs_not", { why }) : why);

// Show the page anew; one that answered a form is opened by its own address, so that nothing is sent a second time.
// What is tapped on the old page while the new one is on its way would be lost, so nothing there can be tapped any more.
export function again() {
  document.body.inert = true;
  if (location.pathname.includes("/do/")) location.replace(about.here);
  else location.reload();
}

// Whoever has begun to write, or is on her way to another page, is not interrupted. What was tapped before this script had
// come it cannot know, only that something was: a form may be on its way, and to show the page anew would call it back.
let dirty = false, leaving = false;
if (PerformanceObserver.supportedEntryTypes?.includes("first-input")) {
  const began = performance.now(), early = (found) => { dirty ||= found.some((one) => one.startTime < began); };
  const eye = new PerformanceObserver((list) => early(list.getEntries()));
  eye.observe({ type: "first-input", buffered: true });
  early(eye.takeRecords());
} else dirty = navigator.userActivation?.hasBeenActive ?? false;
addEventListener("input", () => { dirty = true; });
addEventListener("submit", (event) => { if (!event.defaultPrevented) leaves(); });
addEventListener("click", (event) => { if (event.target.closest?.("a[href]")) leaves(); });
addEventListener("pageshow", () => { leaving = false; });
function leaves() { // for a while: what was tapped may have been a file, and then this page stays
  leaving = true;
  setTimeout(() => { leaving = false; }, 20000);
}
export const settled = () => { dirty = false; };

const ANSWERED = 3; // where a snapshot has how many have answered
// What a page shows, in a few words: only when these change is there anything new for a person.
const snapshot = (view) => [view.phase, view.round, view.last?.state ?? "none", view.answered, view.members, view.arms.length,
  view.last?.slots.filter((slot) => slot.reason).length ?? 0].join(" ");

// What this page itself has just changed is nothing new for whoever looks at it, and nothing is half written any more.
// `work` saves something; changes that come meanwhile are looked at when it has.
let saving = 0;
export async function saves(work) {
  saving += 1;
  try {
    const done = await work();
    const [before, now] = [about.snapshot.split(" "), snapshot(await (await fetch(api)).json()).split(" ")];
    dirty = false;
    if (before.every((part, place) => place === ANSWERED || part === now[place])) about.snapshot = now.join(" ");
    else if (saving === 1) again(); // whatever is saved after this shows it, so that no tap is lost
    return done;
  } finally { saving -= 1; }
}

// A longer piece of work that nothing on this page may interrupt, and whose result stays: what comes meanwhile or later is
// offered. Its own signature is such news, and used to take the result away as soon as it stood there.
let missed = false;
export async function during(work) {
  saving += 1;
  try { return await work(); } finally {
    saving -= 1;
    dirty = true;
    if (missed) offer();
  }
}

// Live: whenever the group changes the record is looked at again if it grew, and the page is shown anew unless somebody is
// writing on it. A stream begins with where the group is, which a page that was opened just now shows already.
export function live(changed = () => {}) {
  const source = new EventSource(`${api}/events`);
  let begins = true;
  source.addEventListener("change", async ({ data }) => {
    const first = begins, grew = JSON.parse(data).head !== watched;
    begins = false;
    if (grew && !(await watch())) { source.close(); return; }
    if (snapshot(await (await fetch(api)).json()) === about.snapshot) { if (grew || !first) changed(); return; }
    if (leaving || saving) { missed = true; return; }
    if (dirty) { offer(); changed(); }
    else again();
  });
  source.addEventListener("gone", () => source.close());
  addEventListener("pagehide", () => source.close());
}

function offer() {
  const node = document.getElementById("alarm");
  if (node.firstChild) return;
  const button = document.createElement("button");
  button.textContent = say("show_it");
  button.onclick = () => again();
  const said = document.createElement("p");
  said.className = "note";
  said.append(`${say("something_new")} `, button);
  node.append(said);
}

export { ascii, hex, say, sha, unhex };
