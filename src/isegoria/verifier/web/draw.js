// The draw: a drum of T units, a stream of numbers, one ball for each slot; what dice can show; what makes a policy fair.

import { encodeText, exactSum, encodeUint32, numberOf, sha256Of } from "./bytes.js";

/** The numbers of a draw: a function that gives the next one below a limit. */
export function makeStream(freezeHash, said) {
  const seed = sha256Of(encodeText("isegoria draw 1\0"), freezeHash, said);
  let counter = 0;
  return (limit) => {
    for (;;) {
      const x = numberOf(sha256Of(seed, encodeUint32(counter++)).subarray(0, 8));
      if (x < 2n ** 64n - (2n ** 64n % BigInt(limit))) return Number(x % BigInt(limit));
    }
  };
}

export function drawBalls(freeze, below) {
  const step = Number(exactSum(freeze.arm_units)) / freeze.block;
  const start = below(step);
  const balls = Array.from({ length: freeze.block }, (_, j) => start + j * step);
  for (let i = freeze.block - 1; i > 0; i--) {
    const j = below(i + 1);
    [balls[i], balls[j]] = [balls[j], balls[i]];
  }
  return balls;
}

/** The arm of a ball, and the pseudonym whose voice it is. */
export function locateBall(freeze, ball) {
  let arm = 0;
  let rest = ball;
  for (; rest >= freeze.arm_units[arm]; arm++) rest -= freeze.arm_units[arm];
  for (const { units, pseudonyms: who } of freeze.types) {
    if (rest < units[arm] * who.length) return [arm, who[Math.floor(rest / units[arm])]];
    rest -= units[arm] * who.length;
  }
  return [arm, null]; // unreachable where the voices are the sums of the rows
}

/** Whether dice can show this: the numbers of a form, each followed by a point. */
export function isValidThrow(said, { count, low, high, order }) {
  const text = Array.from(said, (byte) => String.fromCharCode(byte)).join("");
  const numbers = /^((0|[1-9][0-9]{0,9})\.)+$/.test(text) ? text.split(".").slice(0, -1).map(Number) : [];
  const fits = numbers.length === count && numbers.every((number) => low <= number && number <= high);
  return fits && !(order === "sorted" && numbers.some((number, i) => i > 0 && number < numbers[i - 1]));
}

/** How many outcomes a form has. */
export function countOutcomes({ count, low, high, order }) {
  const span = BigInt(high - low + 1);
  if (order !== "sorted") return span ** BigInt(count);
  let ways = 1n;
  for (let i = 1n; i <= BigInt(count); i++) ways = (ways * (span - 1n + i)) / i;
  return ways;
}

/** δ of the resolved types, in units of 2^-128: how far an arm is asked for above what it has, at most; 0 without any. */
export function computeGap(types, arms, units) {
  const resolved = types.filter((one) => one.leader === null);
  if (!resolved.length) return 0n;
  const rows = Array.from({ length: arms }, () => 0n);
  for (const { units: row, pseudonyms: who } of resolved) row.forEach((unit, arm) => (rows[arm] += BigInt(unit) * BigInt(who.length)));
  const sums = rows.map(() => 0n);
  for (const { candidates: set, weight, pseudonyms: who } of resolved) {
    const want = BigInt(who.length) * BigInt(weight) * BigInt(units);
    const share = (want << 128n) / set.reduce((total, arm) => total + rows[arm], 0n);
    for (const arm of set) sums[arm] += share;
  }
  const most = sums.reduce((top, sum) => (sum > top ? sum : top));
  return most > 1n << 128n ? most - (1n << 128n) : 0n;
}

/** The row of a member in doubt: 1 − x of it on their leader, x evenly on the others, by largest remainder. */
export function buildExploringRow({ candidates: set, leader, weight }, explore, units, arms) {
  const row = new Array(arms).fill(0n);
  const whole = BigInt(weight) * BigInt(units);
  if (set.length === 1) row[set[0]] = whole;
  else {
    const [x, ten] = [explore[0], 10n ** explore[1]];
    const others = BigInt(set.length - 1);
    const below = ten * others; // quotas are numerators over this
    const parts = set.map((arm) => {
      const quota = arm === leader ? whole * (ten - x) * others : whole * x;
      return { arm, floor: quota / below, rest: quota % below };
    });
    let left = whole - parts.reduce((sum, { floor }) => sum + floor, 0n);
    parts.sort((a, b) => (a.rest > b.rest ? -1 : a.rest < b.rest ? 1 : a.arm - b.arm));
    for (const { arm, floor } of parts) {
      row[arm] = floor + (left > 0n ? 1n : 0n);
      left -= left > 0n ? 1n : 0n;
    }
  }
  return row.map(Number);
}
