// A member's receipt, and the names of an open group.

import { encodeText, sanitise, encodeUint64, encodeUint32, toHex, concatBytes, hmacSha256, require, sha256Of, fromHex } from "./bytes.js";
import { MemberLearner } from "./member-learner.js";
import { dumpCanonical, compareDecimals, parseDecimal } from "./schema.js";
import { isValidSignature } from "./signatures.js";

function commitment(number, person) {
  const [salt, secret] = [fromHex(person.salt), fromHex(person.secret)];
  return toHex(sha256Of(encodeText("isegoria member 3\0"), salt, encodeUint32(number), secret, encodeText(person.name)));
}

/** For each fair round with the member on its roster, the type of their weight that holds their pseudonym; away: without units. */
export function checkMember(walk, called, number, person) {
  const entries = walk.rosters.flatMap((roster) => (roster.has(number) ? [roster.get(number)] : []));
  const mayLack = ["pending", "left", "removed"].includes(person.state);
  const opens = (entries.length > 0 || mayLack) && entries.every((entry) => entry.commitment === commitment(number, person));
  require(opens, `${called}: entry ${number} of the roster does not open to this name.`);
  const rows = new Map();
  for (const now of walk.rounds) {
    const promised = person.state === "pending" && person.round === now.round;
    const broken = `${called}: member ${number} was promised a part from round ${now.round}, and is not on its roster.`;
    require(!promised || now.roster.has(number), broken);
    if (now.trial || !now.roster.has(number)) continue;
    const name = derivePseudonym(walk, person.secret, number, now.round);
    const own = [...now.freeze.types, ...now.freeze.absent].find((one) => one.pseudonyms.includes(name));
    const fits = own && own.weight === now.roster.get(number).weight;
    require(fits, `${called}: member ${number} has no row in round ${now.round}.`);
    rows.set(now.round, own);
  }
  return rows;
}

/** A member's pseudonym in a round; with turns the same in every one. */
export const derivePseudonym = (walk, secret, number, round) =>
  toHex(hmacSha256(secret, walk.group, encodeUint64(walk.turns ? 0 : round), encodeUint32(number)).subarray(0, 24));

/** The root of the Merkle tree of RFC 6962 in which a leaf is number `index` of `size`; null if the path does not fit. */
function computeRoot(leaf, index, size, path) {
  if (size === 1) return path.length ? null : sha256Of(Uint8Array.of(0), leaf);
  if (!path.length) return null;
  let half = 1;
  while (half * 2 < size) half *= 2;
  const sibling = fromHex(path.at(-1));
  const below = index < half
    ? computeRoot(leaf, index, half, path.slice(0, -1))
    : computeRoot(leaf, index - half, size - half, path.slice(0, -1));
  if (below === null) return null;
  return index < half ? sha256Of(Uint8Array.of(1), below, sibling) : sha256Of(Uint8Array.of(1), sibling, below);
}

function isUnderRoot(leaf, { index, path }, size, root) {
  if (index >= size || path.length > 64) return false;
  const top = computeRoot(leaf, index, size, path);
  return top !== null && toHex(top) === root;
}

/** What a receipt shows: a member's rows, ratings and sets, all following from each other; {rows, rested, ratings, unsigned}. */
export function checkReceipt(walk, receipt) {
  const say = (ok, sentence) => require(ok, `the receipt: ${sentence}`);
  const both = [...checkMember(walk, "the receipt", receipt.member, receipt)];
  const rows = new Map(both.filter(([, own]) => "units" in own));
  const count = rows.size;
  const rested = both.flatMap(([round, own]) => ("units" in own ? [] : [round]));
  const held = new Map();
  for (const item of receipt.ratings) {
    const [number, leaf, line] = [item.line, item.leaf, walk.lines[item.line - 1] ?? {}];
    const frozen = line.line === "freeze";
    say(line.line === "ratings" || (frozen && !walk.learns), `line ${number} has no such root.`);
    const nonce = toHex(hmacSha256(receipt.secret, concatBytes(encodeText("leaf\0"), walk.group, encodeUint64(line.round), encodeText("ratings"))));
    const fitting = walk.learns ? isRatingOfSlot(walk, line, number, leaf) : !frozen || leaf.slot === null;
    const theirs = leaf.nonce === nonce && leaf.round === line.round && fitting;
    const fits = theirs && isUnderRoot(encodeText(dumpCanonical(leaf)), item, line.leaf_count, line.root);
    say(fits, `a leaf for line ${number} is not theirs, or not under its root.`);
    const name = `${leaf.round} ${leaf.slot}`;
    say(isSigned(walk, receipt.member, number, leaf, frozen), `a leaf for line ${number} is not signed by their key.`);
    say(!held.has(name), `a leaf for line ${number} stands in it twice.`);
    held.set(name, { number, leaf });
  }
  const told = [...held.values()];
  const made = walk.names.indexOf(receipt.head) + 1;
  for (const round of [...rows.keys()]) if (walk.rounds[round - 1].number > made) rows.delete(round);
  const what = !rows.size ? null : walk.learns ? findLearnerFault(walk, receipt, told, rows) : findFavouriteFault(walk, told, rows);
  say(!what, what?.sentence);
  const owed = walk.turns ? walk.turns.describeDebt(derivePseudonym(walk, receipt.secret, receipt.member, 0)) : null;
  return { owed, rested, made, rows: count, ratings: told.length, unsigned: told.filter(({ leaf }) => leaf.signature === null).length };
}

/** With a learner a leaf rates the arm that its slot played, as it stood then, and no other. */
function isRatingOfSlot(walk, line, number, leaf) {
  const now = walk.rounds[line.round - 1];
  const slot = leaf.slot ?? -1;
  const put = now.put.get(slot);
  const arm = put && put.inTime && put.line < number ? put.arm : now.arms[slot];
  const rated = leaf.values.flatMap((value, one) => (value === null ? [] : [one]));
  const [low, high] = walk.charter.scale;
  if (rated.length !== 1 || rated[0] !== arm) return false;
  return compareDecimals(leaf.values[arm], low) >= 0 && compareDecimals(leaf.values[arm], high) <= 0;
}

function isSigned(walk, member, number, leaf, frozen) {
  if (leaf.signature === null || number <= walk.known) return true;
  const key = walk.rosters[walk.rosterAt[number - 2]]?.get(member)?.key;
  const slot = leaf.slot === null ? 0xffffffff : leaf.slot;
  const parts = [encodeUint32(member), encodeUint64(frozen ? 0 : leaf.round), encodeUint32(slot), encodeUint64(leaf.at), sha256Of(encodeText(dumpCanonical(leaf.values)))];
  return Boolean(key) && isValidSignature(key, leaf.signature, concatBytes(encodeText("isegoria rating 3\0"), walk.group, ...parts));
}

const describeFault = (what, round) => ({ sentence: `the ${what} in round ${round} does not follow from the ratings.` });

/** Known ratings: the set of every round is that of the leaf at its freeze. */
function findFavouriteFault(walk, told, rows) {
  for (const [round, own] of rows) {
    const now = walk.rounds[round - 1];
    const values = told.find(({ number }) => number === now.number)?.leaf.values ?? [];
    if (dumpCanonical(own.candidates) !== dumpCanonical(computeFavourites(walk, now, values))) return describeFault("set", round);
  }
  return null;
}

/** A decimal in units of 10^-400: wide enough for every decimal of a record. */
const scaleDecimal = (text) => {
  const [number, power] = parseDecimal(text);
  return number * 10n ** (400n - power);
};

function computeFavourites(walk, now, values) {
  const { available } = now.freeze;
  const rated = available.flatMap((arm) => ((values[arm] ?? null) === null ? [] : [[arm, scaleDecimal(values[arm])]]));
  const most = rated.reduce((top, [, value]) => (top === null || value > top ? value : top), null);
  const [low, high] = walk.charter.scale.map(scaleDecimal);
  const best = rated.flatMap(([arm, value]) => ((most - value) * 10n ** 12n <= high - low ? [arm] : []));
  return best.length ? best : available;
}

/** The learner gone through again from a member's own leaves alone: their set and leader on every page. */
function findLearnerFault(walk, { member }, told, rows) {
  const { settings, scale } = walk.charter;
  const [low, high] = scale.map(Number);
  const first = walk.rounds[0].roster;
  const rank = member - walk.rounds[0].numbers + 1;
  const guided = new MemberLearner(first.has(member) ? 2 * first.size : 2 * rank * (rank + 1), settings);
  const order = [...told].sort((a, b) => a.number - b.number || a.leaf.slot - b.leaf.slot);
  let [next, pages, before] = [0, 0, null];
  for (const now of walk.rounds) {
    const arms = now.trial ? armsAt(walk, now.number) : now.freeze.arm_units.length;
    if (now.roster.has(member) && guided.n.length > 0) {
      for (; next < order.length && order[next].number < now.number; next++) tell(walk, guided, order[next].leaf, low, high);
    }
    if (before !== null && arms > before) pages += 1;
    before = arms;
    if (!now.roster.has(member)) continue;
    guided.beginRound(arms, (pages + 1) * (pages + 2));
    const own = rows.get(now.round);
    if (!own) continue;
    const { set, leader } = guided.selectCandidates(now.freeze.available);
    if (dumpCanonical(own.candidates) !== dumpCanonical(set)) return describeFault("set", now.round);
    if (own.leader !== leader) return describeFault("leader", now.round);
  }
  return null;
}

function tell(walk, guided, leaf, low, high) {
  const then = walk.rounds[leaf.round - 1];
  const arm = leaf.values.findIndex((value) => value !== null);
  const reward = (Number(leaf.values[arm]) - low) / (high - low);
  guided.tell(arm, reward, then.trial ? null : then.freeze.arm_units);
}

/** How many arms there were at a line. */
function armsAt(walk, number) {
  const changes = walk.lines.slice(0, number).filter((line) => line.line === "amend" && line.field === "arms");
  return (changes.at(-1)?.value ?? walk.lines[0].arms).length;
}
