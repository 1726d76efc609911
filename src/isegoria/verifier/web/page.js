// The page: files in, verdict first, then what was proved and what was not, and the drum as a picture.

import { encodeUint64, encodeUint32, toHex, hmacSha256, fromHex } from "./bytes.js";
import { renderDrum, element, DRUM_TEXTS } from "./drum.js";
import { verify } from "./verify.js";
import { translate, translatePage, translateSentence, translated } from "./translations.js";

const byId = (id) => document.getElementById(id);
const MEANING = {
  proved: "Everything on this record recomputes. Unless as many keys were false as it says above, the page of every round that is called proved was fixed before its draw could be known. What no record can prove is listed below.",
  consistent: "Nothing on this record is wrong. Whether a draw could have been chosen depends on whom you trust: say it above. Not proved does not mean that it was chosen.",
  false: "Somebody changed this record, or it was never right. Ask for the original, and compare its head with others.",
  unreadable: "This is no record, or it was damaged on its way. Fetch it again, without opening it in an editor.",
};

let files = { record: null, receipt: null, names: null, others: [] };
const spoken = translatePage(); // what is shown before waits for it
let shown = null; // the last answer, with what the picture needs

/** What a file is, by what it says of itself. */
function detectFileType(bytes) {
  const start = new TextDecoder().decode(bytes.subarray(0, 400000));
  if (bytes.indexOf(10) === bytes.length - 1 && start.includes('"format":"isegoria receipt"')) return "receipt";
  if (bytes.indexOf(10) === bytes.length - 1 && start.includes('"format":"isegoria names"')) return "names";
  return "record";
}

async function loadFiles(list) {
  const next = { record: null, receipt: null, names: null, others: [] };
  for (const file of list) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const sort = detectFileType(bytes);
    if (sort === "record" && next.record) next.others.push({ name: file.name, data: bytes });
    else next[sort] = { name: file.name, bytes };
  }
  if (!next.record && files.record) next.record = files.record; // a receipt dropped after its record
  files = next;
  await showVerdict();
}

/** The head that this browser kept of a group; storage may be refused, and then there is none. */
function keptHead(group, head) {
  try {
    if (head === null) localStorage.removeItem(`isegoria head ${group}`);
    else if (head) localStorage.setItem(`isegoria head ${group}`, head);
    return localStorage.getItem(`isegoria head ${group}`);
  } catch {
    return null;
  }
}

const linesOf = (bytes) => new TextDecoder().decode(bytes).split("\n").slice(0, -1);

function readGroupId(bytes) {
  try {
    return JSON.parse(linesOf(bytes)[0]).group ?? "";
  } catch {
    return "";
  }
}

/** Heads as typed, one on each line: 64 digits, or ten words, however they are separated. */
function readHeads() {
  const lines = byId("head").value.toLowerCase().split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.map((line) => line.replaceAll(/[\s-]+/g, "-"));
}

/** Whom the reader trusts, one on each line or with commas between: members, a number, a name or a key. */
const readTrust = () => byId("trust").value.split(/[\n,]/).map((who) => who.trim()).filter(Boolean);

async function showVerdict() {
  await spoken;
  if (!files.record) {
    renderVerdict({ verdict: "unreadable", sentence: "There is a receipt, but no record to check it against.", rounds: [] });
    return;
  }
  const { bytes } = files.record;
  const group = readGroupId(bytes);
  const typed = readHeads();
  const remembered = keptHead(group);
  const head = typed.length ? typed : remembered ? [remembered] : [];
  const beside = { receipt: files.receipt?.bytes ?? null, names: files.names?.bytes ?? null, against: files.others };
  const found = await verify(bytes, { ...beside, head, trust: readTrust() });
  const refusedByMemory = !typed.length && remembered && found.sentence === "False: the kept head is not on this chain.";
  if ((found.exit_code === 0 || found.exit_code === 3) && !remembered) keptHead(group, found.head);
  renderVerdict(found, refusedByMemory ? group : null);
}

function fillList(id, items) {
  byId(id).hidden = !items?.length;
  byId(id).querySelector("ul").replaceChildren(...(items ?? []).map((item) => element("li", {}, translateSentence(item))));
}

function renderVerdict(found, forgettable = null) {
  const section = byId("answer");
  section.hidden = false;
  section.dataset.verdict = found.verdict;
  byId("verdict").textContent = translateSentence(found.sentence);
  byId("exact").hidden = !translated();
  byId("exact").querySelector("p").textContent = found.sentence;
  byId("files").textContent = ["record", "receipt", "names"].flatMap((sort) => (files[sort] ? [translate(`file_${sort}`, `${sort}: {0}`, files[sort].name)] : []))
    .concat(files.others.map((one) => translate("file_beside", "beside it: {0}", one.name))).join(" · ");
  byId("meaning").textContent = forgettable
    ? translate("meaning_forget", "This browser saw another history of this group before. Only if you know why, forget what it kept.")
    : translate(`meaning_${found.verdict}`, MEANING[found.verdict]);
  byId("forget").hidden = !forgettable;
  byId("forget").onclick = () => {
    keptHead(forgettable, null);
    showVerdict();
  };
  fillList("proved", found.proved);
  fillList("unproved", found.unproved);
  fillList("notes", found.notes);
  byId("head-section").hidden = !found.head;
  byId("words").textContent = found.words ?? "";
  byId("digits").textContent = found.head ?? "";
  renderRoundChooser(found);
  section.focus();
}

/** The rounds to choose from, the last that was drawn first. */
function renderRoundChooser(found) {
  byId("drawn").hidden = found.rounds.length === 0;
  if (!found.rounds.length) return;
  const lines = linesOf(files.record.bytes).map((line) => JSON.parse(line));
  const arms = lines.reduce((names, line) => (line.line === "amend" && line.field === "arms" ? line.value : names), lines[0].arms);
  shown = { found, arms, freezes: new Map(lines.flatMap((line) => (line.line === "freeze" ? [[line.round, line]] : []))), group: lines[0].group };
  const chooser = byId("round");
  chooser.replaceChildren(...found.rounds.map((one) => element("option", { value: one.round }, translate("round_of", "{0} of {1}", one.round, found.rounds.length))));
  chooser.value = (found.rounds.findLast((one) => one.balls.length) ?? found.rounds.at(-1)).round;
  renderChosenRound();
}

/** The member's own pseudonym in a round, if there is a receipt. */
function deriveOwnPseudonym(round) {
  if (!files.receipt) return undefined;
  const { secret, member } = JSON.parse(new TextDecoder().decode(files.receipt.bytes));
  return toHex(hmacSha256(secret, fromHex(shown.group), encodeUint64(round), encodeUint32(member)).subarray(0, 24));
}

/** The words of the picture in the reader's language; there, turns are counted from 1. */
function translateDrum() {
  const [shares, option, share] = DRUM_TEXTS.shares, [drawn, slot, , whose, ball] = DRUM_TEXTS.drawn;
  return !translated() ? DRUM_TEXTS : {
    ...DRUM_TEXTS, first: 1, mine: translate("ring_mine", DRUM_TEXTS.mine), yours: translate("yours", DRUM_TEXTS.yours),
    title: (round, balls) => translate(balls ? "ring" : "ring_undrawn", DRUM_TEXTS.title(round, balls), round),
    round: (round) => translate("ring_round", DRUM_TEXTS.round(round), round),
    members: (count) => translate(count === 1 ? "ring_member" : "ring_members", DRUM_TEXTS.members(count), count),
    shares: [translate("shares", shares), translate("option", option), translate("share", share)],
    drawn: [translate("drawn", drawn), translate("slot", slot), translate("option", option), translate("whose", whose), translate("ball", ball)],
  };
}

function renderChosenRound() {
  const number = Number(byId("round").value);
  const round = shown.found.rounds[number - 1];
  byId("earlier").disabled = number === 1;
  byId("later").disabled = number === shown.found.rounds.length;
  byId("round-sentence").textContent = translateSentence(round.sentence);
  const freeze = shown.freezes.get(number);
  byId("drum").replaceChildren(...(freeze ? renderDrum(freeze, round, shown.arms, deriveOwnPseudonym(number), translateDrum()) : []));
}

function step(by) {
  byId("round").value = Number(byId("round").value) + by;
  renderChosenRound();
}

byId("record").addEventListener("click", (event) => (event.target.value = "")); // the same file may be chosen again
byId("record").addEventListener("change", (event) => loadFiles(event.target.files));
if (byId("record").files.length) loadFiles(byId("record").files); // chosen while this script was on its way
for (const id of ["head", "trust"]) byId(id).addEventListener("change", () => files.record && showVerdict());
byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("round").addEventListener("change", renderChosenRound);
byId("earlier").addEventListener("click", () => step(-1));
byId("later").addEventListener("click", () => step(1));
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  byId("drop").classList.add("over");
});
document.addEventListener("dragleave", () => byId("drop").classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  byId("drop").classList.remove("over");
  if (event.dataTransfer.files.length) loadFiles(event.dataTransfer.files);
});

// A server may open the page with ?record=/a/path of its own; nothing is ever asked of another machine.
const asked = new URLSearchParams(location.search).get("record");
if (asked && /^\/[^/\\]/.test(asked) && location.protocol.startsWith("http")) {
  const [, group] = /^\/api\/groups\/([a-z0-9-]+)\/record$/.exec(asked) ?? [];
  if (group) Object.assign(byId("back"), { href: `/g/${group}`, hidden: false });
  const response = await fetch(asked);
  if (response.ok) await loadFiles([new File([await response.arrayBuffer()], asked)]);
}
