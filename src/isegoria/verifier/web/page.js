// The page: files in, verdict first, then what was proved and what was not, and the drum as a picture.

import { eight, four, hex, mac, named, unhex } from "./bytes.js";
import { drum, element } from "./drum.js";
import { UNSEEN, verify } from "./verify.js";

const byId = (id) => document.getElementById(id);
const MEANING = {
  proved: "Everything on this record recomputes, and its randomness was fixed before anyone could know it. What no record can prove is listed below.",
  unproven: "Nothing on this record is wrong, but for the rounds named above it shows no proof that the draw could not be chosen. That does not mean that it was.",
  false: "Somebody changed this record, or it was never right. Ask for the original, and compare its head with others.",
  unreadable: "This is no record, or it was damaged on its way. Fetch it again, without opening it in an editor.",
};

let files = { record: null, receipt: null, names: null };
let shown = null; // the last answer, with what the picture needs

/** What a file is, by what it says of itself. */
function sortOf(bytes) {
  const start = new TextDecoder().decode(bytes.subarray(0, 400000));
  if (bytes.indexOf(10) === bytes.length - 1 && start.includes('"format":"isegoria receipt"')) return "receipt";
  if (bytes.indexOf(10) === bytes.length - 1 && start.includes('"format":"isegoria names"')) return "names";
  return "record";
}

async function take(list) {
  const next = { record: null, receipt: null, names: null };
  for (const file of list) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    next[sortOf(bytes)] = { name: file.name, bytes };
  }
  if (!next.record && files.record) next.record = files.record; // a receipt dropped after its record
  files = next;
  await answer();
}

/** The head that this browser kept of a group; storage may be refused, and then there is none. */
function kept(group, head) {
  try {
    if (head === null) localStorage.removeItem(`isegoria head ${group}`);
    else if (head) localStorage.setItem(`isegoria head ${group}`, head);
    return localStorage.getItem(`isegoria head ${group}`);
  } catch {
    return null;
  }
}

const linesOf = (bytes) => new TextDecoder().decode(bytes).split("\n").slice(0, -1);

function groupOf(bytes) {
  try {
    return JSON.parse(linesOf(bytes)[0]).group ?? "";
  } catch {
    return "";
  }
}

/** A head as typed: its digits, or its six words, however they are separated. */
function typedHead() {
  const typed = byId("head").value.trim().toLowerCase();
  return typed ? typed.replaceAll(/[\s-]+/g, "-") : null;
}

async function answer() {
  if (!files.record) {
    report({ verdict: "unreadable", sentence: "There is a receipt, but no record to check it against.", rounds: [] });
    return;
  }
  const { bytes } = files.record;
  const group = groupOf(bytes);
  const typed = typedHead();
  const remembered = kept(group);
  const given = { receipt: files.receipt?.bytes ?? null, names: files.names?.bytes ?? null, head: typed ?? remembered };
  const found = await verify(bytes, given);
  const refusedByMemory = typed === null && remembered && found.sentence === "False: the kept head is not on this chain.";
  if (found.exit_code === 0 || found.exit_code === 3) kept(group, found.head);
  report(found, refusedByMemory ? group : null);
}

function list(id, items) {
  byId(id).hidden = !items?.length;
  byId(id).querySelector("ul").replaceChildren(...(items ?? []).map((item) => element("li", {}, item)));
}

function report(found, forgettable = null) {
  const section = byId("answer");
  section.hidden = false;
  section.dataset.verdict = found.verdict;
  const unseen = found.rounds.filter((one) => one.reasons.includes(UNSEEN)).map((one) => one.round);
  byId("unseen").hidden = unseen.length === 0;
  byId("unseen").textContent = unseen.length ? `Not proven that this page existed before the draw: round ${named(unseen)}.` : "";
  byId("verdict").textContent = found.sentence;
  byId("files").textContent = Object.entries(files).flatMap(([sort, file]) => (file ? [`${sort}: ${file.name}`] : [])).join(" · ");
  byId("meaning").textContent = forgettable
    ? "This browser saw another history of this group before. Only if you know why, forget what it kept."
    : MEANING[found.verdict];
  byId("forget").hidden = !forgettable;
  byId("forget").onclick = () => {
    kept(forgettable, null);
    answer();
  };
  list("proved", found.proved);
  list("unproved", found.unproved);
  list("notes", found.notes);
  byId("head-section").hidden = !found.head;
  byId("words").textContent = found.words ?? "";
  byId("digits").textContent = found.head ?? "";
  rounds(found);
  section.focus();
}

/** The rounds to choose from, the last that was drawn first. */
function rounds(found) {
  byId("drawn").hidden = found.rounds.length === 0;
  if (!found.rounds.length) return;
  const lines = linesOf(files.record.bytes).map((line) => JSON.parse(line));
  const arms = lines.reduce((names, line) => (line.line === "amend" && line.field === "arms" ? line.value : names), lines[0].arms);
  shown = { found, arms, freezes: lines.filter((line) => line.line === "freeze"), group: lines[0].group };
  const chooser = byId("round");
  chooser.replaceChildren(...found.rounds.map((one) => element("option", { value: one.round }, `${one.round} of ${found.rounds.length}`)));
  chooser.value = (found.rounds.findLast((one) => one.state === "drawn") ?? found.rounds.at(-1)).round;
  chosen();
}

/** The member's own pseudonym in a round, if there is a receipt. */
function ownName(round) {
  if (!files.receipt) return undefined;
  const { secret, member } = JSON.parse(new TextDecoder().decode(files.receipt.bytes));
  return hex(mac(secret, unhex(shown.group), eight(round), four(member)).subarray(0, 24));
}

function chosen() {
  const number = Number(byId("round").value);
  const round = shown.found.rounds[number - 1];
  byId("earlier").disabled = number === 1;
  byId("later").disabled = number === shown.found.rounds.length;
  byId("round-sentence").textContent = round.sentence;
  const freeze = shown.freezes[number - 1];
  byId("drum").replaceChildren(...(round.kind === "fair" ? drum(freeze, round, shown.arms, ownName(number)) : []));
}

function step(by) {
  byId("round").value = Number(byId("round").value) + by;
  chosen();
}

byId("record").addEventListener("click", (event) => (event.target.value = "")); // the same file may be chosen again
byId("record").addEventListener("change", (event) => take(event.target.files));
byId("head").addEventListener("change", () => files.record && answer());
byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("round").addEventListener("change", chosen);
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
  if (event.dataTransfer.files.length) take(event.dataTransfer.files);
});

// A server may open the page with ?record=/a/path of its own; nothing is ever asked of another machine.
const asked = new URLSearchParams(location.search).get("record");
if (asked && /^\/[^/\\]/.test(asked) && location.protocol.startsWith("http")) {
  const response = await fetch(asked);
  if (response.ok) await take([new File([await response.arrayBuffer()], asked)]);
}
