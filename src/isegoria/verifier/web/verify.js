// The verdict on a record: what was proved, what was not, and what to know. Runs in browsers and under Node.

import { Fault, clean, hex, need, sha, words } from "./bytes.js";
import { checkNames, checkReceipt } from "./beside.js";
import { check, readBeside, readRecord } from "./reading.js";
import { wrongBeacons } from "./signing.js";
import { QUICKNET, Walk } from "./walk.js";

export const UNSEEN = "not proven that this page existed before the draw";

/** 'round 4', 'rounds 4 and 5', 'rounds 1, 4 and 5'; after ten of them only how many more. */
export function roundsNamed(rounds) {
  const named = rounds.slice(0, 10).map(String);
  if (rounds.length > 10) named.push(`${rounds.length - 10} more`);
  return named.length === 1 ? `round ${named[0]}` : `rounds ${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}

/** The verdict on the bytes of a record, as plain data, with the keys that the page on the record lists. */
export async function verify(data, { receipt = null, names = null, head = null, beaconKey = null } = {}) {
  try {
    const [raws, lines] = readRecord(data);
    const headed = head === null || check("hex64")(head) || check("=[a-z]{5}(-[a-z]{5}){5}")(head);
    need(headed, "a head is 64 hexadecimal digits in lower case, or six words joined by hyphens.", 2);
    const fits = beaconKey === null || check("hex192")(beaconKey);
    need(fits, "a beacon's key is 192 hexadecimal digits in lower case.", 2);
    const mine = readBeside(receipt, "receipt");
    const people = readBeside(names, "names file");
    const charter = hex(sha(raws[0]));
    for (const [called, one] of [["receipt", mine], ["names file", people]]) {
      const same = !one || (one.group === lines[0].group && (one.charter ?? charter) === charter);
      need(same, `the ${called} belongs to another record.`, 2);
    }
    const walk = new Walk(raws, lines, head);
    need(!mine || walk.names.includes(mine.head), "the receipt's head is not on this chain.");
    await proceed(walk);
    if (people) checkNames(walk, people.members);
    const found = mine ? checkReceipt(walk, mine) : null;
    return verdict(walk, head, people, mine, found, beaconKey);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const kind = fault.code === 1 ? "False" : "Unreadable";
    const empty = { head: null, words: null, rounds: [], proved: [], unproved: [], notes: [] };
    return { verdict: kind.toLowerCase(), sentence: `${kind}: ${fault.message}`, exit_code: fault.code, ...empty };
  }
}

/** Walk to the end, or to the first fault; what the beacons said before it is checked first, all at once. */
async function proceed(walk) {
  let fault = null;
  try {
    walk.run();
  } catch (found) {
    fault = found;
  }
  const [wrong] = walk.beacons.length ? await wrongBeacons(walk.beacons) : [];
  if (wrong !== undefined) throw new Fault(1, `${walk.beacons[wrong].at}the beacon did not say this.`);
  if (fault) throw fault;
}

/** Why a round is not proven, if it is not. */
function reasons(now, beaconKey) {
  const [kind, drawn] = [now.source.kind, now.state === "drawn" && now.kind === "fair"];
  const known = kind === "beacon" && [QUICKNET.key, beaconKey].includes(now.source.key);
  const signedReveals = [...now.reveals.values()].some((line) => line.signature !== null);
  return [
    [drawn && now.seen === 0, UNSEEN],
    [drawn && kind === "rehearsal", "its randomness is a rehearsal, which proves nothing"],
    [drawn && kind === "dice" && now.signers < 2, "fewer than two members signed the value"],
    [drawn && kind === "group" && !signedReveals, "no reveal is signed"],
    [drawn && kind === "beacon" && !known, "its beacon is not one that this verifier knows"],
    [!now.sound, "it was voided without a witness from before its source spoke"],
  ].flatMap(([applies, reason]) => (applies ? [reason] : []));
}

function summary(now, arms, beaconKey) {
  const names = now.arms.map((arm) => clean(arms[arm])).join(", ");
  let sentence = `${names}; seen before the draw by ${now.seen} of ${now.keys} keys.`;
  if (now.kind === "trial") sentence = `${names}, a first trial without a draw.`;
  if (now.state === "open") sentence = now.arms.length ? `the draw line is missing; it must be ${names}.` : "not drawn yet.";
  if (now.state === "void") {
    sentence = `void: ${now.void}${now.arms.length ? ` With the reveals on record it had drawn ${names}.` : ""}`;
  }
  const { round, kind, state, balls, voices, seen, keys } = now;
  const own = { round, kind, state, balls, arms: now.arms, voices, seen, keys };
  return { ...own, reasons: reasons(now, beaconKey), sentence: `Round ${round}: ${sentence}` };
}

function verdict(walk, head, names, receipt, found, beaconKey) {
  const rounds = walk.rounds.map((now) => summary(now, walk.charter.arms, beaconKey));
  const fair = walk.rounds.filter((now) => now.kind === "fair");
  const doubtful = rounds.filter((one) => one.reasons.length).map((one) => one.round);
  const ended = rounds.filter((one) => one.state !== "open").length;
  let sentence = "Proved: nothing has been drawn yet, and what is there fits together.";
  if (doubtful.length) {
    sentence = `Not proved: everything recomputes, but the randomness of ${roundsNamed(doubtful)} is not proven.`;
  } else if (ended) {
    const these = ended === 1 ? "round 1 recomputes, and its" : `all ${ended} rounds recompute, and their`;
    sentence = `Proved: ${these} randomness was bound before anyone could know it.`;
  }
  const { learns } = walk;
  const { rounds: mine, told, tallied } = found ?? { rounds: [], told: [], tallied: new Map() };
  const listed = (pairs) => pairs.flatMap(([holds, text]) => (holds ? [text] : []));
  const proved = listed([
    [true, `The ${walk.lines.length} lines form one unbroken chain.`],
    [head, `The kept head is line ${walk.kept}: nothing up to there was rewritten.`],
    [fair.length, `In every round each member has exactly her weight times ${walk.units} units, all inside her own set.`],
    [fair.length && !walk.coarse, "In every round the policy has the largest product of decision shares for these sets."],
    [fair.some((now) => now.state === "drawn"), "Every ball and arm follows from its freeze and its source."],
    [names, "The names fit: every row of a person named there is hers alone."],
    [receipt, `Member ${receipt?.member} of the roster is ${clean(receipt?.name ?? "")}, in every roster since joining.`],
    [receipt, `Her row stands exactly once in every round she was there for: ${mine.length}.`],
    [told.length, `Her ratings are under the roots: ${told.length}.`],
    [tallied.size, "Her tallies are the sums of her ratings."],
    [receipt && !learns, "Her set follows from her ratings in every round."],
  ]);
  const unproved = rounds.flatMap((one) => one.reasons.map((reason) => `Round ${one.round}: ${reason}.`)).concat(listed([
    [fair.length, "Which policy was taken where several have the largest product: the rule of the tie-break is the writer's."],
    [walk.coarse, "That the policy has the largest product of decision shares: the drum has too few units to tell."],
    [learns, "That the sets follow from the ratings: it needs a replay with the package and the secrets."],
    [!learns && !receipt, "That the sets follow from the ratings: each member can check her own with her receipt."],
    [!learns && receipt, "That the sets of others follow from their ratings: each can check her own with her receipt."],
    [!head, "That this is the record that others saw: compare its head, or its six words, with one kept elsewhere."],
    [walk.rosters.at(-1).some((one) => one?.key), "That a key belongs to its member and not to the organiser: each member can check that her own key is listed."],
    [true, "That the roster names real people, each once, and that ratings are honest: nobody can prove that here."],
  ]));
  const last = walk.names.at(-1);
  const exit_code = doubtful.length ? 3 : 0;
  const kind = doubtful.length ? "unproven" : "proved";
  return { verdict: kind, sentence, exit_code, head: last, words: words(last), rounds, proved, unproved, notes: walk.notes };
}
