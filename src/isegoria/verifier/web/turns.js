// Turns with memory: what each pseudonym is owed follows from the lines alone, and decides the next draw.

import { exactSum } from "./bytes.js";
import { locateBall } from "./draw.js";

export const UNITS = 3724680960;
export const TURNS_MISFIT = "worlds, learner or block do not fit the turns.";
const U = BigInt(UNITS);

/** Those who want some of what is on offer and not all of it: {who, weight, set, credit}, one for each pseudonym. */
function listParticipants({ types, arm_units: voices, available }) {
  const everyone = types.reduce((sum, one) => sum + BigInt(one.weight) * BigInt(one.pseudonyms.length), 0n);
  return types
    .filter(({ candidates: set }) => set.length < available.length)
    .flatMap(({ candidates: set, weight, pseudonyms: who }) => {
      const credit = exactSum(set.map((arm) => voices[arm])) / everyone;
      return who.map((name) => ({ who: name, weight: BigInt(weight), set: new Set(set), credit }));
    });
}

export class Ledger {
  constructor(turns) {
    Object.assign(this, turns);
    this.debts = new Map(); // pseudonym: {owed: a BigInt for each world, waited}
    this.spent = new Set();
  }

  /** Whether a charter's other rules go with its turns. */
  fits({ learner, block }) {
    return learner === null && block === null && (this.mode === "lottery" || this.worlds === 1);
  }

  entryOf(who) {
    return this.debts.get(who) ?? { owed: new Array(this.worlds).fill(0n), waited: 0 };
  }

  /** A round is over: each world is charged with the arm it played, all of them with one that was put in in time. */
  charge({ freeze, arms, put }) {
    const instead = put.get(0);
    const played = instead?.inTime ? new Array(this.worlds).fill(instead.arm) : arms;
    if (!played.length) return;
    for (const { who, set, credit } of listParticipants(freeze)) {
      const before = this.entryOf(who);
      const owed = before.owed.map((units, world) => units + credit - (set.has(played[world]) ? U : 0n));
      this.debts.set(who, { owed, waited: set.has(played[0]) ? 0 : before.waited + 1 });
    }
    if (this.single_use) this.spent.add(played[0]);
  }

  /** What the supporters of an arm have on their side in a world; `claim` is what one of them brings. */
  scores(freeze, world, claim) {
    const found = freeze.arm_units.map(() => 0n);
    for (const { who, weight, set, credit } of listParticipants(freeze)) {
      const { owed, waited } = this.entryOf(who);
      for (const arm of set) found[arm] += weight * claim(owed[world] + credit, waited);
    }
    return found;
  }

  /** The balls of a draw, by world, the real one first. */
  balls(freeze, below) {
    return this.mode === "deterministic" ? [this.drawDeterministicBall(freeze, below)] : this.drawLotteryBalls(freeze, below);
  }

  drawDeterministicBall(freeze, below) {
    const { arm_units: voices, types } = freeze;
    const asked = listParticipants(freeze).reduce((sum, { weight }) => sum + weight, 0n);
    const everyone = types.reduce((sum, one) => sum + BigInt(one.weight) * BigInt(one.pseudonyms.length), 0n);
    const waiting = (rounds) => U * BigInt(Math.min(rounds, 12));
    const claims = this.scores(freeze, 0, (units, rounds) => 4n * units + waiting(rounds));
    const scores = voices.map((units, arm) => (units > 0 ? 2n * ((BigInt(units) * asked) / everyone) + claims[arm] : null));
    const best = scores.reduce((top, score) => (score !== null && (top === null || score > top) ? score : top), null);
    const tied = voices.flatMap((_, arm) => (scores[arm] === best ? [arm] : []));
    let number = below(Number(exactSum(tied.map((arm) => voices[arm]))));
    for (const arm of tied) {
      if (number < voices[arm]) return Number(exactSum(voices.slice(0, arm))) + number;
      number -= voices[arm];
    }
    return null; // unreachable: the number is below the sum
  }

  drawLotteryBalls(freeze, below) {
    const step = Number(exactSum(freeze.arm_units)) / this.worlds;
    const start = below(step);
    const held = Array.from({ length: this.worlds }, (_, j) => start + j * step).map((ball) => ({ ball, arm: locateBall(freeze, ball)[0] }));
    const order = held.map((_, world) => world);
    for (let i = this.worlds - 1; i > 0; i--) {
      const j = below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    const scores = order.map((world) => this.scores(freeze, world, (units) => units)); // by position
    const better = (a, b) => {
      const [x, y] = [held[a].arm, held[b].arm];
      return scores[a][y] + scores[b][x] > scores[a][x] + scores[b][y];
    };
    for (let moved = true; moved; ) {
      moved = false;
      for (let a = 0; a < this.worlds; a++) {
        for (let b = a + 1; b < this.worlds; b++) {
          if (!better(a, b)) continue;
          [held[a], held[b]] = [held[b], held[a]];
          moved = true;
        }
      }
    }
    const balls = [];
    order.forEach((world, position) => (balls[world] = held[position].ball));
    return balls;
  }

  /** World 0 of everyone with an entry, by pseudonym. */
  list() {
    const names = [...this.debts.keys()].sort();
    return names.map((who) => ({ pseudonym: who, debt: Number(this.debts.get(who).owed[0]), waiting_rounds: this.debts.get(who).waited }));
  }

  /** What one pseudonym is owed, in words: one decimal, half away from zero. */
  describeDebt(who) {
    const { owed, waited } = this.entryOf(who);
    const size = owed[0] < 0n ? -owed[0] : owed[0];
    const tenths = (size * 20n + U) / (2n * U);
    const sign = owed[0] < 0n && tenths > 0n ? "-" : "";
    return `They are owed ${sign}${tenths / 10n}.${tenths % 10n} of a decision and have waited ${waited} rounds.`;
  }
}
