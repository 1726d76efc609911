// The freeze and the trial: what must fit the source, and a fair policy made of equal voices.

import { MAX_SAFE_INTEGER, sanitise, exactSum, toHex, sha256Of } from "./bytes.js";
import { buildExploringRow, computeGap, countOutcomes } from "./draw.js";
import { dumpCanonical, parseDecimal } from "./schema.js";

const union = (sets) => new Set(sets.flat());
const within = (items, all) => [...items].every((item) => all.has(item));
const MIN_DICE_OUTCOMES = 10000000n;

/** When a beacon speaks, or null; what a freeze or a trial says must fit its source. */
export function checkSource(walk, line) {
  const { source } = walk.charter;
  const { occurrence } = line;
  const [beacon, fair] = [source.kind === "beacon", line.line === "freeze"];
  let fits = (occurrence !== null) === beacon;
  if (fair) fits = fits && (line.source_round !== null) === beacon && (line.dice_form !== null) === (source.kind === "dice");
  walk.require(fits, "occurrence, dice form or source round do not fit the source.");
  if (fair) {
    walk.require(!line.dice_form || countOutcomes(line.dice_form) >= MIN_DICE_OUTCOMES, "the dice form has fewer than ten million outcomes.");
    walk.require(source.kind !== "commit_reveal" || walk.commits.size > 0, "nobody committed.");
  }
  if (!beacon) return null;
  const skipped = occurrence - walk.lastOccurrence - 1;
  const number = computeBeaconRound(source, occurrence);
  const timely = skipped >= 0 && (!fair || BigInt(line.source_round) === number);
  walk.require(timely, "the occurrence is not after the last one, or the source round is not the timetable's.");
  walk.lastOccurrence = occurrence;
  if (skipped) walk.notes.push(`Round ${line.round}: occurrences skipped before it: ${skipped}.`);
  return BigInt(source.genesis) + (number - 1n) * BigInt(source.period);
}

function computeBeaconRound({ first_at: first, interval_seconds: every, genesis, period }, occurrence) {
  const due = BigInt(first) + BigInt(occurrence) * BigInt(every) - BigInt(genesis);
  return (due + BigInt(period) - 1n) / BigInt(period) + 1n;
}

export function checkTrial(walk, line) {
  const lowest = line.available.find((arm) => !walk.played.has(arm));
  const fits = walk.learns && lowest !== undefined && lowest === line.arm;
  walk.require(fits, "it is not a trial of the lowest available arm never played.");
}

/** Below, equal or above 0: types are in the order of their sets, then of their leaders (none first), then of their weights. */
function compareTypes(a, b) {
  const [x, y] = [a.candidates, b.candidates];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length || (a.leader ?? -1) - (b.leader ?? -1) || a.weight - b.weight;
}

function isInsideSet({ candidates: set, units }) {
  const own = new Set(set);
  return units.every((unit, arm) => unit === 0 || own.has(arm));
}

/** Everything that makes a freeze fair; δ, in units of 2^-128, is what comes back. */
export function checkFair(walk, line, roster) {
  const { types, arm_units: voices, block, absent } = line;
  const [k, usual, units] = [walk.charter.arms.length, walk.charter.block ?? walk.turns?.worlds, BigInt(line.units)];
  const weights = [...roster.values()].map((one) => one.weight).sort((a, b) => a - b);
  const here = types.reduce((sum, one) => sum + one.pseudonyms.length, 0);
  const answered = line.leaf_count <= here && !(walk.learns && (line.leaf_count > 0 || line.root !== toHex(sha256Of())));
  walk.require(answered, "its answers do not fit the roster or the learner.");
  const rows = [voices, ...types.map((one) => one.units)];
  walk.require(rows.every((row) => row.length === k), "a row does not have one entry for each arm.");
  const led = ({ leader, candidates: set }) => leader === null || (walk.learns && set.includes(leader));
  const sorted = types.every((one, i) => led(one) && (i === 0 || compareTypes(types[i - 1], one) < 0));
  walk.require(sorted, "the types are not in order.");
  const allowed = within(union(types.map((one) => one.candidates)), new Set(line.available));
  walk.require(allowed, "a set holds an arm that is not available.");
  const full = types.every((one) => isInsideSet(one) && exactSum(one.units) === BigInt(one.weight) * units);
  walk.require(full, "a row is not its weight times the units, all inside its set.");
  const explore = walk.learns ? parseDecimal(walk.charter.settings.explore) : null;
  const own = (one) => one.leader === null || dumpCanonical(one.units) === dumpCanonical(buildExploringRow(one, explore, units, k));
  walk.require(types.every(own), "the row of a member in doubt is not the one of their leader.");
  const rowsOf = [...types, ...absent];
  const who = rowsOf.flatMap((one) => one.pseudonyms);
  const held = rowsOf.flatMap((one) => one.pseudonyms.map(() => one.weight)).sort((a, b) => a - b);
  const ordered = types.length > 0 && absent.every((one, i) => i === 0 || absent[i - 1].weight < one.weight);
  const each = ordered && new Set(who).size === who.length && dumpCanonical(held) === dumpCanonical(weights);
  walk.require(each, "the pseudonyms are not one for each member of the roster.");
  const sums = new Array(k).fill(0); // whatever is above 2^53 here is no voice of a record, exact or not
  for (const one of types) one.units.forEach((unit, arm) => (sums[arm] += unit * one.pseudonyms.length));
  walk.require(voices.every((voice, arm) => voice === sums[arm]), "the units of the arms are not the sums of the rows.");
  const total = types.reduce((sum, one) => sum + BigInt(one.weight) * BigInt(one.pseudonyms.length), 0n) * units;
  const blocks = usual ? [usual] : [Math.min(here, 20), ...(walk.learns ? [1] : [])];
  const divided = blocks.includes(block) && total <= BigInt(MAX_SAFE_INTEGER) && total % BigInt(block) === 0n;
  walk.require(divided, "the block is not the charter's, or the drum is too large for it, or not divided by it.");
  const delta = computeGap(types, k, units);
  walk.require(delta * 100000n <= 1n << 128n, "the policy is not one of largest product.");
  const resolved = types.filter((one) => one.leader === null);
  return delta * resolved.reduce((sum, one) => sum + BigInt(one.weight) * BigInt(one.pseudonyms.length), 0n);
}

/** The names of the arms that were left out of a freeze or a trial. */
export function listMaskedArms(walk, line) {
  const there = new Set(line.available);
  return walk.charter.arms.filter((_, arm) => !there.has(arm)).map(sanitise);
}
