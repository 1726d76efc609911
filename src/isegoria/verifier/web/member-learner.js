// The guided learner as a record has it: what one member's own answers say of their candidates, and who leads them.
// Doubles, with + − × ÷ in the order written, so that every machine finds the same.

import { maximum, minimum } from "./bytes.js";

const PSI_E_VALUES = [
  6.36295e-1, 9.50037e-2, 2.01394e-2, 4.69008e-3, 1.13422e-3, 2.79027e-4, 6.92058e-5, 1.72335e-5, 4.29994e-6,
  1.07394e-6, 2.68352e-7, 6.70717e-8, 1.67659e-8, 4.19121e-9, 1.04777e-9, 2.61939e-10,
]; // prettier-ignore
const LN2_ROUNDED_UP = 0.6931471805599454;

export class MemberLearner {
  /** `price` is their A, `settings` the charter's. */
  constructor(price, { error, resolution }) {
    Object.assign(this, { price, error: Number(error), resolution: Number(resolution), growth: 2 });
    Object.assign(this, { n: [], sum: [], spread: [], capital: [], candidates: [], pairs: new Map(), leader: 0, close: false });
  }

  /** A page of so many arms: new ones are candidates of everyone, and then nothing is close. */
  beginRound(arms, growth) {
    this.growth = growth;
    for (let arm = this.n.length; arm < arms; arm++) {
      this.n.push(0);
      this.sum.push(0);
      this.spread.push(0);
      this.capital.push([1, 1]);
      this.candidates.push(arm);
      this.close = false;
    }
    this.leader = this.bestArm(this.candidates);
  }

  get resolved() {
    return this.candidates.length === 1 || this.close;
  }

  mean(arm) {
    return (this.sum[arm] + 0.5) / (this.n[arm] + 1);
  }

  /** The arm of the largest mean, the lowest of several. */
  bestArm(arms) {
    return arms.reduce((top, arm) => (this.mean(arm) > this.mean(top) ? arm : top));
  }

  /** Between which numbers the mean of an arm lies. */
  bounds(arm) {
    const n = this.n[arm];
    if (n === 0) return [0, 1];
    const wanted = (32 * this.n.length * this.growth * this.price * 10) / this.error;
    let bits = 0;
    for (let power = 1; power < wanted; power *= 2) bits += 1;
    const radii = PSI_E_VALUES.map((height, s) => (bits * LN2_ROUNDED_UP + height * this.spread[arm]) / (0.75 * 2 ** -s * n));
    const [middle, radius] = [this.sum[arm] / n, minimum(radii)];
    return [Math.max(0, middle - radius), Math.min(1, middle + radius)];
  }

  /** A member's set among the available arms, and their leader there: null where they are resolved. */
  selectCandidates(available) {
    const there = new Set(available);
    let set = this.candidates;
    if (!set.every((arm) => there.has(arm))) {
      const limits = available.map((arm) => this.bounds(arm));
      const most = maximum(limits.map(([low]) => low));
      set = available.filter((_, i) => limits[i][1] >= most);
    }
    return { set, leader: this.resolved ? null : this.bestArm(set) };
  }

  /** One reward of an arm; `voices` are those of the round it was played in, null for a trial. An arm that no page had yet is passed over. */
  tell(arm, reward, voices) {
    if (arm >= this.n.length) return;
    const doubting = !this.resolved;
    if (doubting) this.fillPairs(arm, reward, voices);
    const off = reward - this.mean(arm);
    this.spread[arm] += off * off;
    this.n[arm] += 1;
    this.sum[arm] += reward;
    if (doubting && this.settleFullPairs()) {
      this.eliminate();
      if (this.candidates.length > 1) {
        const limits = this.candidates.map((one) => this.bounds(one));
        const width = maximum(limits.map(([, high]) => high)) - minimum(limits.map(([low]) => low));
        this.close = width <= this.resolution;
      }
    }
    this.leader = this.bestArm(this.candidates);
  }

  /** Open what may be opened by a reward of this arm, before it is looked at; then put it where it belongs. */
  fillPairs(arm, reward, voices) {
    for (const k of this.candidates) {
      if (!this.pairs.has(k) && k !== this.leader && (arm === this.leader || arm === k)) this.pairs.set(k, this.buildPair(k, voices));
      const pair = this.pairs.get(k);
      if (!pair) continue;
      if (arm === pair.leader && pair.seen[0] < pair.sizes[0]) {
        pair.sums[0] += reward;
        pair.seen[0] += 1;
      } else if (arm === k && arm !== pair.leader && pair.seen[1] < pair.sizes[1]) {
        pair.sums[1] += reward;
        pair.seen[1] += 1;
      }
    }
  }

  buildPair(k, voices) {
    const j = this.leader;
    const variance = (arm) => (this.spread[arm] + 0.25) / (this.n[arm] + 1);
    const [first, second] = voices ? [voices[j] ?? 0, voices[k] ?? 0] : [1, 1];
    const sizes = [computePairSize(first, second), computePairSize(second, first)];
    const lead = this.mean(j) - this.mean(k);
    const noise = variance(j) / sizes[0] + variance(k) / sizes[1];
    const bet = Math.max(0, lead / (noise + lead * lead));
    return { leader: j, sizes, bets: [Math.min(bet, 0.98), Math.min(bet, 0.5)], sums: [0, 0], seen: [0, 0] };
  }

  settleFullPairs() {
    const full = [...this.pairs].filter(([, { seen, sizes }]) => seen[0] === sizes[0] && seen[1] === sizes[1]);
    for (const [k, pair] of full) this.settlePair(k, pair, pair.sums[1]);
    return full.length > 0;
  }

  settlePair(k, { sums, sizes, bets }, behind) {
    this.pairs.delete(k);
    const gain = sums[0] / sizes[0] - behind / sizes[1];
    bets.forEach((bet, g) => (this.capital[k][g] *= 1 + bet * gain));
  }

  eliminate() {
    for (const k of [...this.candidates]) {
      if (k === this.leader || this.pairs.has(k) || this.candidates.length === 1) continue;
      const needed = (this.candidates.length * this.growth * this.price) / (0.9 * this.error);
      if ((this.capital[k][0] + this.capital[k][1]) / 2 < needed) continue;
      this.candidates = this.candidates.filter((arm) => arm !== k);
      const orphans = [...this.pairs].filter(([, pair]) => pair.leader === k).sort(([a], [b]) => a - b);
      for (const [arm, pair] of orphans) this.settlePair(arm, pair, pair.sums[1] + (pair.sizes[1] - pair.seen[1]));
      this.leader = this.bestArm(this.candidates);
    }
  }
}

/** How often `below` goes into `above`, from 1 to 8; both are whole, so no rounding decides. */
function computePairSize(above, below) {
  return below === 0 ? 8 : Math.min(8, Math.max(1, Number(BigInt(above) / BigInt(below))));
}
