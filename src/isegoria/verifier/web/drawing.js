// The draw: a drum of T units, a stream of numbers, one ball for each slot; and what makes a policy fair.

import { ascii, exactSum, four, numberOf, sha } from "./bytes.js";

export function ballsOf(freeze, freezeHash, said) {
  const seed = sha(ascii("isegoria draw 1\0"), freezeHash, said);
  let counter = 0;
  const below = (limit) => {
    for (;;) {
      const x = numberOf(sha(seed, four(counter++)).subarray(0, 8));
      if (x < 2n ** 64n - (2n ** 64n % BigInt(limit))) return Number(x % BigInt(limit));
    }
  };
  const step = Number(exactSum(freeze.voices) + exactSum(freeze.explore)) / freeze.block;
  const start = below(step);
  const balls = Array.from({ length: freeze.block }, (_, j) => start + j * step);
  for (let i = freeze.block - 1; i > 0; i--) {
    const j = below(i + 1);
    [balls[i], balls[j]] = [balls[j], balls[i]];
  }
  return balls;
}

/** The arm of a ball, and the pseudonym whose voice it is (null: exploration). */
export function place(freeze, ball) {
  let arm = 0;
  let rest = ball;
  for (; rest >= freeze.voices[arm] + freeze.explore[arm]; arm++) rest -= freeze.voices[arm] + freeze.explore[arm];
  for (const { units, who } of freeze.types) {
    if (rest < units[arm] * who.length) return [arm, who[Math.floor(rest / units[arm])]];
    rest -= units[arm] * who.length;
  }
  return [arm, null];
}

/** Whether dice can show this: a string of digits, or the numbers of a form, each followed by a point. */
export function thrown(said, form) {
  const text = String.fromCharCode(...said);
  if (form === null) return /^[0-9]{6,200}$/.test(text);
  const numbers = /^((0|[1-9][0-9]{0,9})\.)+$/.test(text) ? text.split(".").slice(0, -1).map(Number) : [];
  const [count, low, high, ordered] = form;
  const fits = numbers.length === count && numbers.every((number) => low <= number && number <= high);
  return fits && !(ordered && numbers.some((number, i) => i > 0 && number < numbers[i - 1]));
}

/** How many outcomes a form has, as far as a million matters. */
export function outcomes([count, low, high, ordered]) {
  const span = BigInt(high - low + 1);
  if (!ordered) return span ** BigInt(count);
  let ways = 1n;
  for (let i = 1n; i <= BigInt(count); i++) ways = (ways * (span - 1n + i)) / i;
  return ways;
}

/** Whether no arm is asked for more than `limit` (a fraction) times what it has: then no product is larger. */
export function largestProduct(types, voices, units, [above, under]) {
  const sums = voices.map(() => 0n);
  const exact = voices.map(() => []);
  for (const { set, weight, who } of types) {
    const want = BigInt(who.length) * BigInt(weight) * BigInt(units);
    const have = exactSum(set.map((arm) => voices[arm]));
    const ratio = (want << 128n) / have; // at most one unit of 2^-128 too little
    for (const arm of set) {
      sums[arm] += ratio;
      exact[arm].push([want, have]);
    }
  }
  const limit = above << 128n;
  if (sums.some((total) => total * under > limit)) return false;
  return sums.every((total, arm) => {
    if ((total + BigInt(exact[arm].length)) * under <= limit) return true;
    let [p, q] = [0n, 1n];
    for (const [want, have] of exact[arm]) [p, q] = [p * have + want * q, q * have];
    return p * under <= above * q;
  });
}
