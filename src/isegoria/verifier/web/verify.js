// The verdict on a record: what is proved for this reader, what is not, and what to know. Runs in browsers and under Node.

import { VerificationError, sanitise, toHex, minimum, joinItems, require, sha256Of } from "./bytes.js";
import { checkMember, checkReceipt } from "./receipt.js";
import { getValidator, splitLines, parseLine, readCompanion, readRecord } from "./schema.js";
import { buildVerdict } from "./verdict.js";
import { findInvalidBeacons } from "./signatures.js";
import { compareCopies, beaconKnown, findJudgingSet, canStillDraw, readChain, collectKeySets, countSignatures } from "./trust.js";
import { RecordChecker } from "./record-checker.js";

const HEAD = "a head is 64 hexadecimal digits in lower case, or ten words joined by hyphens.";
const QUORUM = "a quorum is a whole number from 1 to the number of keys you trust.";

/**
 * The verdict on the bytes of a record, as plain data, with the keys that the page on the record lists.
 * `against` is a list of {name, data}; `now` the reader's clock in Unix seconds. `known` is {size, head} of lines that this
 * device has verified before: where they begin this record, their signatures are not checked again, all else is.
 */
export async function verify(data, options = {}) {
  const { receipt = null, names = null, trust = [], head = [], quorum = null, against = [], beacon = null, known = null } = options;
  const now = options.now ?? Math.floor(Date.now() / 1000);
  try {
    const { raws, lines } = readRecord(data);
    for (const one of head) require(getValidator("head")(one), HEAD, 2);
    const chain = beacon === null ? null : readChain(beacon);
    require(quorum === null || (Number.isSafeInteger(quorum) && quorum >= 1 && trust.length > 0), QUORUM, 2);
    const id = toHex(sha256Of(raws[1] ?? new Uint8Array(0)));
    const mine = readCompanion(receipt, "the receipt", lines[0].group, id);
    const people = readCompanion(names, "the names file", lines[0].group, id);
    const beside = against.map((one) => readOther(one, id));
    const walk = new RecordChecker(raws, lines, known);
    const heads = [...new Set(head.map((one) => walk.lineOf(one)))].sort((a, b) => a - b);
    require(!mine || walk.names.includes(mine.head), "the receipt's head is not on this chain.");
    const sets = collectKeySets(lines, trust, heads, people);
    const sizes = sets.filter((one) => one.keys.length).map((one) => one.keys.length);
    require(quorum === null || (sizes.length && quorum <= minimum(sizes)), QUORUM, 2);
    walk.checkLines();
    await checkBeacons(walk);
    for (const [number, person] of people?.members.entries() ?? []) {
      if (person) checkMember(walk, "the names file", number, person);
    }
    const own = mine ? { ...checkReceipt(walk, mine), receipt: mine } : null;
    const notes = beside.map((one) => compareCopies(walk, { sets, trust }, one.raws, one.lines, one.name));
    const reader = { sets, heads, quorum, trust, chain, now, people, own, against: notes };
    return buildVerdict(walk, { ...reader, rounds: walk.rounds.map((one) => judgeRound(walk, one, reader)), judged: judgeRound });
  } catch (fault) {
    if (!(fault instanceof VerificationError)) throw fault;
    const kind = fault.code === 1 ? "False" : "Unreadable";
    const empty = { head: null, words: null, trust: [], beta: null, gamma: null, last_signed: null };
    const lists = { rounds: [], proved: [], unproved: [], notes: [], debts: null };
    return { verdict: kind.toLowerCase(), sentence: `${kind}: ${fault.message}`, exit_code: fault.code, ...empty, ...lists };
  }
}

/** Another record of this group, whose chain holds. */
function readOther({ name: given, data }, id) {
  const name = sanitise(given);
  const raws = splitLines(data, name);
  const lines = raws.map((raw, i) => parseLine(raw, `line ${i + 1} of ${name}`));
  for (const [i, line] of lines.entries()) {
    const before = i ? toHex(sha256Of(raws[i - 1])) : "0".repeat(64);
    require(line.prev === before, `line ${i + 1} of ${name}: "prev" is not the hash of the line before.`, 2);
  }
  require(raws.length > 1 && toHex(sha256Of(raws[1])) === id, `${name} is another record.`, 2);
  return { name, raws, lines };
}

async function checkBeacons(walk) {
  const [wrong] = walk.beacons.length ? await findInvalidBeacons(walk.beacons) : [];
  require(wrong === undefined, `${walk.beacons[wrong]?.at}the beacon did not say this.`);
}

/** What this reader knows of a round: its status, the numbers of T, and why it is not proved. */
export function judgeRound(walk, now, { sets, quorum, chain, now: clock, trust }) {
  const plain = { now, status: "trial", reasons: [], e: null, l: null, n: null, members: null, k: null, l0: null, beta: null };
  if (now.trial) return plain;
  const judge = findJudgingSet(sets, now);
  const weight = judge && countSignatures(walk, now, judge, quorum);
  const known = weight ? { ...plain, ...weight } : plain;
  if (now.drawn === null && canStillDraw(walk, now, clock)) return { ...known, status: "waiting" };
  if (now.drawn === null) return { ...known, status: "undrawn", reasons: [describeUndrawnReason(now)] };
  const skipped = countUndrawnBefore(walk, now);
  const choose = `drawn after ${skipped} rounds that were never drawn: whoever stopped them could choose among ${skipped + 1}`;
  const lacking = [
    [skipped > 0, choose],
    [now.source.kind === "rehearsal", "a rehearsal, which proves nothing"],
    [now.source.kind === "beacon" && !beaconKnown(now.source, chain), "its beacon is not one that this verifier knows"],
    [!judge && trust.length > 0 && !sets.some((one) => one.from <= now.number), describeMissingJudge(sets)],
    [judge && weight.e < weight.k, `had by ${weight?.e} keys in time, ${weight?.k} needed`],
  ].flatMap(([applies, reason]) => (applies ? [reason] : []));
  const late = judge && weight.l < weight.l0 ? [`signed since by ${weight.l} of ${weight.n}, ${weight.l0} needed`] : [];
  const status = !judge ? "unjudged" : lacking.length ? "consistent" : late.length ? "ripening" : "proved";
  return { ...known, status, reasons: [...lacking, ...late] };
}

const describeMissingJudge = (sets) =>
  sets.some((one) => one.line === null) ? "not judged: your keys were not all on its roster" : "not judged: no head was kept before it";

function describeUndrawnReason(now) {
  const silent = now.source.kind === "commit_reveal" ? [...now.commits.keys()].filter((by) => !now.reveals.has(by)).sort((a, b) => a - b) : [];
  return `frozen and never drawn${silent.length ? `; the numbers of members ${joinItems(silent)} are missing from the record` : ""}`;
}

/** How many fair rounds since the last one drawn were left undrawn. */
function countUndrawnBefore(walk, now) {
  const before = walk.rounds.filter((one) => !one.trial && one.round < now.round);
  return before.length - 1 - before.findLastIndex((one) => one.drawn !== null);
}
