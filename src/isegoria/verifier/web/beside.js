// A member's receipt, and the names of an open group.

import { ascii, eight, four, hex, joined, mac, need, sha, unhex } from "./bytes.js";
import { canonical, check, exactly } from "./reading.js";

function commitment(number, person) {
  const [salt, secret] = [unhex(person.salt), unhex(person.secret)];
  return hex(sha(ascii("isegoria member 1\0"), salt, four(number), secret, ascii(person.name)));
}

/** The type that holds a member's pseudonym in a round; undefined if there is none of her weight. */
function row(walk, now, number, secret) {
  const name = hex(mac(secret, walk.group, eight(now.round), four(number)).subarray(0, 24));
  return now.freeze.types.find((one) => one.weight === now.roster[number].weight && one.who.includes(name));
}

const fairRounds = (walk, number) => walk.rounds.filter((now) => now.kind === "fair" && now.roster[number]);

export function checkNames(walk, people) {
  const say = (ok, sentence) => need(ok, `the names file: ${sentence}`);
  say(people.length === walk.rosters.at(-1).length, "it does not have one entry for each member.");
  for (const [number, person] of people.entries()) {
    if (!person) continue;
    const entry = walk.rosters.findLast((roster) => roster[number])[number];
    say(entry.commitment === commitment(number, person), `the name of member ${number} does not open the commitment.`);
    for (const now of fairRounds(walk, number)) {
      say(row(walk, now, number, person.secret), `member ${number} has no row in round ${now.round}.`);
    }
  }
}

/** The root of the Merkle tree of RFC 6962 in which a leaf is number `index` of `size`; null if the path does not fit. */
function folded(leaf, index, size, path) {
  if (size === 1) return path.length ? null : sha(Uint8Array.of(0), leaf);
  if (!path.length) return null;
  let half = 1;
  while (half * 2 < size) half *= 2;
  const sibling = unhex(path.at(-1));
  const below = index < half
    ? folded(leaf, index, half, path.slice(0, -1))
    : folded(leaf, index - half, size - half, path.slice(0, -1));
  if (below === null) return null;
  return index < half ? sha(Uint8Array.of(1), below, sibling) : sha(Uint8Array.of(1), sibling, below);
}

function under(leaf, { index, path }, size, root) {
  if (index >= size || path.length > 64) return false;
  const top = folded(leaf, index, size, path);
  return top !== null && hex(top) === root;
}

/** What a receipt shows: the rounds with a row of the member's, her ratings, her tallies by line. */
export function checkReceipt(walk, receipt) {
  const { member, secret } = receipt;
  const say = (ok, sentence) => need(ok, `the receipt: ${sentence}`);
  const entries = walk.rosters.flatMap((roster) => (roster[member] ? [roster[member]] : []));
  const opens = entries.length > 0 && entries.every((entry) => entry.commitment === commitment(member, receipt));
  say(opens, `entry ${member} of the roster does not open to this name.`);
  const rounds = fairRounds(walk, member);
  for (const now of rounds) say(row(walk, now, member, secret), `no row in round ${now.round} belongs to this member.`);
  const told = [];
  const tallied = new Map();
  const items = [...receipt.ratings.map((item) => [item, "ratings"]), ...receipt.tallies.map((item) => [item, "tally"])];
  for (const [item, kind] of items) {
    const [number, leaf, line] = [item.line, item.leaf, walk.lines[item.line - 1] ?? {}];
    const freeze = line.line === "freeze" && line.kind === "fair" && (kind === "tally") === walk.learns;
    say(freeze || (kind === "ratings" && line.line === "ratings"), `line ${number} has no such root.`);
    say(belongs(walk, line, leaf, kind, freeze, secret, number), `a leaf for line ${number} is not this member's.`);
    const [size, root] = freeze ? [line.answered, line.tally_root] : [line.count, line.root];
    say(under(ascii(canonical(leaf)), item, size, root), `a leaf for line ${number} is not under its root.`);
    if (kind === "tally") {
      tallied.set(number, leaf);
      continue;
    }
    const { round, slot } = leaf;
    const twice = told.some(([, one]) => one.round === round && one.slot === slot);
    say(!twice, `round ${round}, slot ${slot} is rated twice.`);
    told.push([number, leaf]);
  }
  for (const now of rounds) {
    if (walk.learns) say(tallyFits(walk, now, told, tallied), `the tally in round ${now.round} is not the sum of the ratings.`);
    else say(setFollows(walk, now, told, row(walk, now, member, secret).set), `the set in round ${now.round} does not follow from the ratings.`);
  }
  return { rounds, told, tallied };
}

function belongs(walk, line, leaf, kind, freeze, secret, number) {
  const nonce = hex(mac(secret, joined(ascii("leaf\0"), walk.group, eight(line.round), ascii(kind))));
  if (!check(`${kind} leaf`)(leaf) || leaf.nonce !== nonce || (leaf.round ?? line.round) !== line.round) return false;
  const lists = ["values", "counts", "sums"].flatMap((key) => (key in leaf ? [leaf[key]] : []));
  return lists.every((list) => list.length === walk.widths[number - 1]) && !(freeze && (leaf.slot ?? null) !== null);
}

/** A decimal in units of 10^-400: wide enough for every decimal of a record. */
const scaled = (text) => {
  const [number, power] = exactly(text);
  return number * 10n ** (400n - power);
};

function tallyFits(walk, now, told, tallied) {
  const number = walk.lines.indexOf(now.freeze) + 1;
  const earlier = told.flatMap(([line, leaf]) => (line < number ? [leaf.values] : []));
  if (tallied.has(number) !== earlier.length > 0) return false;
  const leaf = tallied.get(number);
  return !leaf || leaf.counts.every((count, arm) => {
    const own = earlier.flatMap((values) => (arm < values.length && values[arm] !== null ? [scaled(values[arm])] : []));
    return count === own.length && scaled(leaf.sums[arm]) === own.reduce((sum, one) => sum + one, 0n);
  });
}

function setFollows(walk, now, told, set) {
  const { available } = now.freeze;
  const values = told.find(([line]) => walk.lines[line - 1] === now.freeze)?.[1].values ?? [];
  const rated = available.flatMap((arm) => (values.length && values[arm] !== null ? [[arm, scaled(values[arm])]] : []));
  const most = rated.reduce((top, [, value]) => (top === null || value > top ? value : top), null);
  const [low, high] = walk.charter.scale.map(scaled);
  const best = rated.flatMap(([arm, value]) => ((most - value) * 10n ** 12n <= high - low ? [arm] : []));
  return canonical(set) === canonical(best.length ? best : available);
}
