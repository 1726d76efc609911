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

/** How many times what it has an arm is asked for, at most, in units of 2^-128: at 1, no product is larger. */
export function mostAsked(types, voices, units) {
  const sums = voices.map(() => 0n);
  for (const { set, weight, who } of types) {
    const want = BigInt(who.length) * BigInt(weight) * BigInt(units);
    const share = (want << 128n) / exactSum(set.map((arm) => voices[arm]));
    for (const arm of set) sums[arm] += share;
  }
  return sums.reduce((most, sum) => (sum > most ? sum : most));
}
