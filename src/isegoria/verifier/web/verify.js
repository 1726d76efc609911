// The verdict on a record: what was proved, what was not, and what to know. Runs in browsers and under Node.

import { Fault, clean, hex, named, need, sha, words } from "./bytes.js";
import { checkPerson, checkReceipt } from "./beside.js";
import { check, linesOf, read, readBeside } from "./reading.js";
import { wrongBeacons } from "./signing.js";
import { Walk } from "./walk.js";

export const UNSEEN = "not proven that this page existed before the draw";
export const QUICKNET = {
  chain: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  genesis: 1692803367,
  period: 3,
  key:
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
};

/** The verdict on the bytes of a record, as plain data, with the keys that the page on the record lists. */
export async function verify(data, { receipt = null, names = null, head = null, beaconKey = null } = {}) {
  try {
    const raws = linesOf(data, "the record");
    const lines = raws.map((raw, i) => read(raw, `line ${i + 1}`));
    need(check("head?")(head), "a head is 64 hexadecimal digits in lower case, or six words joined by hyphens.", 2);
    need(check("hex192?")(beaconKey), "a beacon's key is 192 hexadecimal digits in lower case.", 2);
    const charter = hex(sha(raws[0]));
    const mine = readBeside(receipt, "the receipt", lines[0].group, charter);
    const people = readBeside(names, "the names file", lines[0].group, charter);
    const walk = new Walk(raws, lines, head);
    need(!mine || walk.names.includes(mine.head), "the receipt's head is not on this chain.");
    walk.run();
    await checkBeacons(walk);
    for (const [number, person] of people?.members.entries() ?? []) {
      if (person) checkPerson(walk, "the names file", number, person);
    }
    return verdict(walk, people, mine ? checkReceipt(walk, mine) : [], beaconKey);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const kind = fault.code === 1 ? "False" : "Unreadable";
    const empty = { head: null, words: null, rounds: [], proved: [], unproved: [], notes: [] };
    return { verdict: kind.toLowerCase(), sentence: `${kind}: ${fault.message}`, exit_code: fault.code, ...empty };
  }
}

async function checkBeacons(walk) {
  const [wrong] = walk.beacons.length ? await wrongBeacons(walk.beacons) : [];
  need(wrong === undefined, `${walk.beacons[wrong]?.at}the beacon did not say this.`);
}

/** Why a round is not proven, if it is not. */
function reasons(now, beaconKey) {
  const [kind, drawn] = [now.source.kind, now.state === "drawn" && now.kind === "fair"];
  const quicknet = Object.entries(QUICKNET).every(([key, value]) => now.source[key] === value);
  const known = kind === "beacon" && (quicknet || now.source.key === beaconKey);
  return [
    [drawn && now.seen === 0, UNSEEN],
    [drawn && kind === "rehearsal", "its randomness is a rehearsal, which proves nothing"],
    [drawn && kind === "dice" && now.signers < 2, "fewer than two members signed the value"],
    [drawn && kind === "group" && now.vouched === 0, "no reveal is signed"],
    [drawn && kind === "beacon" && !known, "its beacon is not one that this verifier knows"],
    [!now.sound, "it was voided without a witness from before its source spoke"],
  ].flatMap(([applies, reason]) => (applies ? [reason] : []));
}

function summary(now, arms, beaconKey) {
  const names = now.arms.map((arm) => clean(arms[arm])).join(", ");
  const seen = `; seen before the draw by ${now.seen} of ${now.keys} keys.`;
  const drawn = names + (now.kind === "fair" ? seen : ", a first trial without a draw.");
  const follows = now.arms.length && now.state !== "drawn" ? ` What is on record gives ${names}.` : "";
  const sentence = { drawn, open: "not drawn yet.", void: `void: ${now.reason}` }[now.state] + follows;
  const { round, kind, state, balls, arms: indices, voices, keys } = now;
  const own = { round, kind, state, balls, arms: indices, voices, seen: now.seen, keys };
  return { ...own, reasons: reasons(now, beaconKey), sentence: `Round ${round}: ${sentence}` };
}

function verdict(walk, names, hers, beaconKey) {
  const rounds = walk.rounds.map((now) => summary(now, walk.charter.arms, beaconKey));
  const fair = walk.rounds.filter((now) => now.kind === "fair");
  const doubtful = rounds.filter((one) => one.reasons.length).map((one) => one.round);
  const known = fair.length && !walk.learns; // with a learner the policy is the sum of voices, some of them in doubt
  const sentence = doubtful.length
    ? `Not proved: everything recomputes, but the randomness is not proven of round ${named(doubtful)}.`
    : "Proved: everything recomputes, and all randomness was bound before anyone could know it.";
  const listed = (pairs) => pairs.flatMap(([holds, text]) => (holds ? [text] : []));
  const proved = listed([
    [true, `The ${walk.lines.length} lines form one unbroken chain.`],
    [walk.kept, `The kept head is line ${walk.kept}: nothing up to there was rewritten.`],
    [fair.length, `In every round each member has exactly her weight times ${walk.units} units, all inside her own set.`],
    [known, "In every round the policy has the largest product of decision shares, as far as its units can tell."],
    [fair.some((now) => now.state === "drawn"), "Every ball and arm follows from its freeze and its source."],
    [names, "The names fit: every row of a person named there is hers alone."],
    ...hers.map((text) => [true, text]),
  ]);
  const unproved = listed([
    ...rounds.flatMap((one) => one.reasons.map((reason) => [true, `Round ${one.round}: ${reason}.`])),
    [known, "Which policy was taken where several have the largest product: the tie-break is the writer's."],
    [fair.length, "That the sets follow from the ratings: it takes all receipts, or a learner's replay with the package."],
    [!walk.kept, "That this is the record others saw: compare its head, or its words, with one kept elsewhere."],
    [true, "That a key belongs to its member and not to the organiser: each member can look for her own."],
    [true, "That the roster names real people, each once, and that ratings are honest: nobody can prove that."],
  ]);
  const head = walk.names.at(-1);
  const [kind, exit_code] = doubtful.length ? ["unproven", 3] : ["proved", 0];
  return { verdict: kind, sentence, exit_code, head, words: words(head), rounds, proved, unproved, notes: walk.notes };
}
