// The freeze: what must fit its source, the trial of an arm, and a fair policy made of equal voices.

import { TOP, clean, exactSum, hex, sha } from "./bytes.js";
import { mostAsked, outcomes } from "./drawing.js";
import { canonical } from "./reading.js";

const union = (sets) => new Set(sets.flat());
const within = (items, all) => [...items].every((item) => all.has(item));

/** When a beacon speaks; other sources: later than any time. What the freeze says must fit its source. */
export function speaks(walk, line) {
  const { source } = walk.charter;
  const { occasion, source_round: given } = line;
  const fair = line.kind === "fair";
  const [beacon, dice, group] = [source.kind === "beacon", source.kind === "dice" && fair, source.kind === "group"];
  let fits = (occasion !== null) === beacon && (given !== null) === (beacon && fair);
  fits = fits && (line.event !== null) === dice && (line.form === null || dice);
  walk.must(fits, "occasion, event, form or source round do not fit the source.");
  walk.must(!line.form || outcomes(line.form) >= 1000000n, "the form has fewer than a million outcomes.");
  walk.must(!(group && fair) || walk.commits.size > 0, "nobody committed.");
  if (!beacon) return BigInt(TOP) + 1n;
  const taken = walk.rounds.flatMap((now) => (now.source === source ? [now.freeze.occasion] : []));
  const skipped = occasion - taken.reduce((last, one) => Math.max(last, one), -1) - 1;
  const number = timetable(source, occasion);
  const timely = skipped >= 0 && (given === null || BigInt(given) === number);
  walk.must(timely, "the occasion is not after the last one, or the source round is not the timetable's.");
  if (skipped) walk.notes.push(`Round ${line.round}: occasions skipped before it: ${skipped}.`);
  return BigInt(source.genesis) + (number - 1n) * BigInt(source.period);
}

function timetable({ first, every, genesis, period }, occasion) {
  const due = BigInt(first) + BigInt(occasion) * BigInt(every) - BigInt(genesis);
  return (due + BigInt(period) - 1n) / BigInt(period) + 1n;
}

export function checkTrial(walk, line) {
  const drawn = walk.rounds.filter((now) => now.state === "drawn");
  const played = new Set(drawn.flatMap((now) => now.arms.map((arm, slot) => now.put.get(slot) ?? arm)));
  const lowest = line.available.find((arm) => !played.has(arm));
  const lists = [line.voices, line.explore, line.types].every((list) => list.length === 0);
  const empty = lists && line.answered === 0 && line.block === 1 && line.tally_root === hex(sha());
  const fits = walk.learns && empty && lowest !== undefined && lowest === line.arm;
  walk.must(fits, "it is not a trial of the lowest available arm never played.");
}

/** Below, equal or above 0: types are in the order of their sets, then of their weights. */
function order(a, b) {
  for (let i = 0; i < Math.min(a.set.length, b.set.length); i++) if (a.set[i] !== b.set[i]) return a.set[i] - b.set[i];
  return a.set.length - b.set.length || a.weight - b.weight;
}

function insideItsSet({ set, units }) {
  const own = new Set(set);
  return units.every((unit, arm) => unit === 0 || own.has(arm));
}

export function checkFair(walk, line, roster) {
  const { types, voices, explore, block } = line;
  const [k, usual, units] = [walk.charter.arms.length, walk.charter.block, BigInt(walk.units)];
  const numeric = (list) => list.sort((a, b) => a - b);
  const weights = numeric([...roster.values()].map((one) => one.weight));
  const weight = exactSum(weights);
  const named = line.arm === null && line.answered <= weights.length;
  walk.must(named, "it names an arm, or has more answers than members.");
  const rows = [voices, explore, ...types.map((one) => one.units)];
  walk.must(rows.every((row) => row.length === k), "a row does not have one entry for each arm.");
  walk.must(types.every((one, i) => i === 0 || order(types[i - 1], one) < 0), "the types are not in order.");
  const allowed = within(union(types.map((one) => one.set)), new Set(line.available));
  walk.must(allowed, "a set holds an arm that is not available.");
  const full = types.every((one) => insideItsSet(one) && exactSum(one.units) === BigInt(one.weight) * units);
  walk.must(full, "a row is not its weight times the units, all inside its set.");
  const who = types.flatMap((one) => one.who);
  const held = numeric(types.flatMap((one) => one.who.map(() => one.weight)));
  const each = new Set(who).size === who.length && canonical(held) === canonical(weights);
  walk.must(each, "the pseudonyms are not one for each member of the roster.");
  const sums = new Array(k).fill(0); // whatever is above 2^53 here is no voice of a record, exact or not
  for (const one of types) one.units.forEach((unit, arm) => (sums[arm] += unit * one.who.length));
  walk.must(voices.every((voice, arm) => voice === sums[arm]), "the voices are not the sums of the rows.");
  const total = weight * units + exactSum(explore);
  const blocks = usual ? [usual] : [Math.min(weights.length, 20), ...(walk.learns ? [1] : [])];
  const divided = blocks.includes(block) && total <= BigInt(TOP) && total % BigInt(block) === 0n;
  walk.must(divided, "the block is not the charter's, or the drum is too large for it, or not divided by it.");
  walk.must(explores(walk, line, total), "exploration is not equal over arms in doubt, or is too much.");
  const million = 1000000n; // 1 + 10^-6 + K·W/U, as a fraction
  const [above, below] = [million * units + units + million * BigInt(k) * weight, million * units];
  const largest = walk.learns || mostAsked(types, voices, units) * below <= above << 128n;
  walk.must(largest, "the policy is not one of largest product.");
}

function explores(walk, { types, explore, block }, total) {
  const tried = explore.flatMap((unit, arm) => (unit ? [arm] : []));
  const doubted = union(types.map((one) => one.set).filter((set) => set.length > 1));
  const even = tried.every((arm) => explore[arm] === explore[tried[0]] && explore[arm] % block === 0);
  const [p, q] = walk.learns ? walk.charter.explore_max.split("/").map(BigInt) : [0n, 1n];
  return even && within(tried, doubted) && exactSum(explore) * q <= p * total;
}

/** The names of the arms that were left out of a freeze. */
export function masked(walk, line) {
  return walk.charter.arms.filter((_, arm) => !line.available.includes(arm)).map(clean);
}
