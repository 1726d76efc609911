// A member's receipt, and the names of an open group.

import { ascii, clean, eight, four, hex, joined, mac, need, sha, unhex } from "./bytes.js";
import { canonical, exactly } from "./reading.js";

function commitment(number, person) {
  const [salt, secret] = [unhex(person.salt), unhex(person.secret)];
  return hex(sha(ascii("isegoria member 1\0"), salt, four(number), secret, ascii(person.name)));
}

/** For each fair round while she was on its roster, the type that holds her pseudonym, and is of her weight. */
export function checkPerson(walk, called, number, person) {
  const entries = walk.rosters.flatMap((roster) => (roster.has(number) ? [roster.get(number)] : []));
  const opens = entries.length > 0 && entries.every((entry) => entry.commitment === commitment(number, person));
  need(opens, `${called}: entry ${number} of the roster does not open to this name.`);
  const rows = new Map();
  for (const now of walk.rounds) {
    if (now.kind !== "fair" || !now.roster.has(number)) continue;
    const name = hex(mac(person.secret, walk.group, eight(now.round), four(number)).subarray(0, 24));
    const own = now.freeze.types.find((one) => one.who.includes(name));
    const fits = own && own.weight === now.roster.get(number).weight;
    need(fits, `${called}: member ${number} has no row in round ${now.round}.`);
    rows.set(now.round, own);
  }
  return rows;
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

/** What a receipt shows, in sentences: her rows, her ratings and her tallies, all following from each other. */
export function checkReceipt(walk, receipt) {
  const say = (ok, sentence) => need(ok, `the receipt: ${sentence}`);
  const rows = checkPerson(walk, "the receipt", receipt.member, receipt);
  const held = new Map();
  const items = [...receipt.ratings.map((item) => [item, "ratings"]), ...receipt.tallies.map((item) => [item, "tally"])];
  for (const [item, kind] of items) {
    const [number, leaf, line] = [item.line, item.leaf, walk.lines[item.line - 1] ?? {}];
    const frozen = line.line === "freeze" && (kind === "tally") === walk.learns;
    say(frozen || kind === line.line, `line ${number} has no such root.`);
    const [size, root] = frozen ? [line.answered, line.tally_root] : [line.count, line.root];
    const nonce = hex(mac(receipt.secret, joined(ascii("leaf\0"), walk.group, eight(line.round), ascii(kind))));
    const hers = leaf.nonce === nonce && (leaf.round ?? line.round) === line.round;
    const fits = hers && under(ascii(canonical(leaf)), item, size, root);
    say(fits, `a leaf for line ${number} is not hers, or not under its root.`);
    const name = kind === "ratings" ? `${leaf.round} ${leaf.slot}` : number;
    say(!held.has(name), `a leaf for line ${number} stands in it twice.`);
    held.set(name, [number, leaf]);
  }
  const told = [...held.values()].flatMap(([number, leaf]) => (leaf.values ? [[number, leaf.values]] : []));
  const what = walk.learns ? "tally" : "set";
  for (const [number, own] of rows) {
    const now = walk.rounds[number - 1];
    const fits = walk.learns ? tallyFits(now, told, held) : setFollows(walk, now, told, own.set);
    say(fits, `the ${what} in round ${number} does not follow from the ratings.`);
  }
  return [
    `Member ${receipt.member} is ${clean(receipt.name)}, with one row in each of her rounds: ${rows.size}.`,
    `Her ratings are under the roots (${told.length}), and her ${what} follows from them in every round.`,
  ];
}

/** A decimal in units of 10^-400: wide enough for every decimal of a record. */
const scaled = (text) => {
  const [number, power] = exactly(text);
  return number * 10n ** (400n - power);
};

/** Whether she has a tally exactly if she rated before, with the number and the sum of her ratings of each arm. */
function tallyFits(now, told, held) {
  const earlier = told.flatMap(([line, values]) => (line < now.number ? [values] : []));
  const { counts, sums } = held.get(now.number)?.[1] ?? { counts: [], sums: [] };
  const arms = earlier.length ? now.freeze.voices.length : 0;
  if (counts.length !== arms || sums.length !== arms) return false;
  return counts.every((count, arm) => {
    const own = earlier.flatMap((values) => ((values[arm] ?? null) === null ? [] : [scaled(values[arm])]));
    return count === own.length && scaled(sums[arm]) === own.reduce((sum, one) => sum + one, 0n);
  });
}

function setFollows(walk, now, told, set) {
  const { available } = now.freeze;
  const values = told.find(([line]) => line === now.number)?.[1] ?? [];
  const rated = available.flatMap((arm) => ((values[arm] ?? null) === null ? [] : [[arm, scaled(values[arm])]]));
  const most = rated.reduce((top, [, value]) => (top === null || value > top ? value : top), null);
  const [low, high] = walk.charter.scale.map(scaled);
  const best = rated.flatMap(([arm, value]) => ((most - value) * 10n ** 12n <= high - low ? [arm] : []));
  return canonical(set) === canonical(best.length ? best : available);
}
