// Equal voices in whole units: each member's voice, spent on own favourites; and certificates in whole numbers.

import { MAX_SAFE_INTEGER } from "/verify/bytes.js";
import { computeGap } from "/verify/draw.js";

export const UNITS_PER_VOICE = 3724680960; // 16 · lcm(1 … 20)
const SCALE = 2 ** 62, QUOTIENT_BITS = 128n;

/** The units of one voice in a group of this weight: the largest multiple of UNITS_PER_VOICE that fits; null if none does. */
export function unitsPerVoice(weight) {
  const most = Math.floor(MAX_SAFE_INTEGER / (weight * UNITS_PER_VOICE));
  return most < 1 ? null : UNITS_PER_VOICE * most;
}

/** Divide a total in proportion to whole numbers by largest remainder; ties go to the lower one. */
export function apportion(parts, total) {
  if (parts.length === 1) return [total];
  const sum = parts.reduce((a, b) => a + b, 0n), all = BigInt(total);
  const units = parts.map((part) => Number((part * all) / sum)), rest = parts.map((part) => (part * all) % sum);
  const order = [...parts.keys()].sort((i, j) => (rest[i] > rest[j] ? -1 : rest[i] < rest[j] ? 1 : i - j));
  const left = total - units.reduce((a, b) => a + b, 0);
  for (const i of order.slice(0, left)) units[i] += 1;
  return units;
}

/** A row of shares as whole numbers with this sum; entries of 0 stay 0. */
export function roundRow(row, total) {
  const top = Math.max(...row), held = [...row.keys()].filter((k) => row[k] > 0), units = new Array(row.length).fill(0);
  const parts = held.map((k) => BigInt(Math.trunc((row[k] / top) * SCALE)));
  apportion(parts, total).forEach((one, i) => (units[held[i]] = one));
  return units;
}

const compareSets = (a, b) => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
};

/** Members with equal favourites and weight as one type, in the order of a freeze page: {candidates, weight, leader, members}. */
export function groupTypes(sets, weights) {
  const kinds = new Map();
  sets.forEach((set, i) => {
    const name = `${set.join()} ${weights[i]}`;
    if (!kinds.has(name)) kinds.set(name, { candidates: set, leader: null, weight: weights[i], members: [] });
    kinds.get(name).members.push(i);
  });
  return [...kinds.values()].sort((a, b) => compareSets(a.candidates, b.candidates) || a.weight - b.weight);
}

/** The types with the units that one member of each spends on each arm under a fair policy, and the sums of all of them. */
export function allocateVoices(sets, weights, policy, units) {
  const types = groupTypes(sets, weights).map((type) => {
    const row = policy.map((share, k) => (type.candidates.includes(k) ? share : 0));
    return { ...type, units: roundRow(row, type.weight * units) };
  });
  const voices = policy.map((_, k) => types.reduce((sum, type) => sum + type.members.length * type.units[k], 0));
  return { types, voices };
}

/** δ of some types as a double, rounded up, as every verifier computes it: whole numbers up to the last division. */
export function certifyVoices(types, arms, units) {
  return Number(computeGap(types.map((type) => ({ ...type, pseudonyms: type.members })), arms, units)) / 2 ** 128;
}

/** Doubles from 0 up as whole numbers in proportion to them, without any rounding. */
function toWhole(row) {
  const bits = new DataView(new ArrayBuffer(8)), parts = row.map((number) => {
    bits.setFloat64(0, number);
    const exponent = (bits.getUint16(0) >> 4) & 2047, fraction = bits.getBigUint64(0) & ((1n << 52n) - 1n);
    return exponent ? { fraction: fraction | (1n << 52n), exponent } : { fraction, exponent: 1 };
  });
  const least = Math.min(...parts.flatMap(({ fraction, exponent }) => (fraction ? [exponent] : [])));
  return parts.map(({ fraction, exponent }) => (fraction ? fraction << BigInt(exponent - least) : 0n));
}

/** The gap of a policy for the product of utilities, in whole numbers: the means exactly, the policy in units of 2⁻⁵³. */
export function certifyProduct(means, weights, policy) {
  const parts = roundRow(policy, MAX_SAFE_INTEGER).map(BigInt);
  const sums = policy.map(() => 0n);
  let whole = 0n;
  means.forEach((row, i) => {
    const exact = toWhole(row), utility = exact.reduce((sum, mean, k) => sum + mean * parts[k], 0n);
    if (!exact.some((mean) => mean > 0n)) return;
    if (utility === 0n) throw new RangeError("a member with favourites is left with nothing");
    whole += BigInt(weights[i]);
    const share = BigInt(weights[i]) * BigInt(MAX_SAFE_INTEGER) << QUOTIENT_BITS;
    exact.forEach((mean, k) => (sums[k] += (share * mean) / utility));
  });
  const most = sums.reduce((top, sum) => (sum > top ? sum : top), 0n), one = whole << QUOTIENT_BITS;
  return most > one ? Number(((most - one) << 64n) / one + 1n) / 2 ** 64 : 0;
}
