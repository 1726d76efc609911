// The rules that the page compares: what each does with the same table, and who is heard under it.

import { dot, maximiseProduct } from "./numerics.js";
import { attribute } from "./attribution.js";

export const FAVOURITE_TIE = 1e-12;

/** The favourites of each row: the arms within rounding of its best. */
export const favouritesOf = (means) =>
  means.map((row) => {
    const top = Math.max(...row);
    return [...row.keys()].filter((k) => row[k] >= top - FAVOURITE_TIE);
  });

const spread = (scores) => {
  const top = Math.max(...scores), best = scores.map((score) => (score >= top - 1e-12 * Math.max(1, Math.abs(top)) ? 1 : 0));
  const count = best.reduce((a, b) => a + b, 0);
  return best.map((one) => one / count);
};

const supporters = ({ sets, weights, arms }) => {
  const found = new Array(arms.length).fill(0);
  sets.forEach((set, i) => set.forEach((k) => (found[k] += weights[i])));
  return found;
};

/** Each rule: the id by which the library knows it (null: it is no rule of the library), and its policy for a table. */
export const RULES = {
  procedural: ({ sets, arms, weights }) => maximiseProduct(sets.map((set) => arms.map((_, k) => (set.includes(k) ? 1 : 0))), weights).policy,
  majority: (table) => spread(supporters(table)),
  utilitarian: ({ means, weights, arms, total }) => spread(arms.map((_, k) => means.reduce((sum, row, i) => sum + (weights[i] / total) * row[k], 0))),
  nash: ({ means, weights }) => maximiseProduct(means, weights).policy,
  cut: (table) => {
    const { sets, weights, arms, total } = table, counts = supporters(table), policy = new Array(arms.length).fill(0);
    sets.forEach((set, i) => {
      const most = Math.max(...set.map((k) => counts[k])), best = set.filter((k) => counts[k] === most);
      for (const k of best) policy[k] += weights[i] / total / best.length;
    });
    return policy;
  },
  uniform: ({ arms }) => arms.map(() => 1 / arms.length),
};

/** A table as the rules need it: {arms, agents, means, weights, sets, total}. */
export function prepare({ arms, agents, means, weights }) {
  return { arms, agents, means, weights, sets: favouritesOf(means), total: weights.reduce((a, b) => a + b, 0) };
}

/** A policy with what it means for everybody: {policy, flow, heard, unheard, worst, average, score}. */
export function judge(table, policy) {
  const flow = attribute(table, policy);
  const favourite = table.sets.map((set) => set.reduce((sum, k) => sum + policy[k], 0));
  const utilities = table.means.map((row) => dot(row, policy));
  return {
    policy, flow, favourite, utilities,
    unheard: [...favourite.keys()].filter((i) => favourite[i] <= 1e-9),
    neglected: [...favourite.keys()].filter((i) => flow.ratios[i] < 1 - 1e-9),
    score: flow.ratios.reduce((sum, ratio, i) => sum + ratio * table.weights[i], 0) / table.total,
    worst: Math.min(...utilities),
    average: utilities.reduce((sum, one, i) => sum + one * table.weights[i], 0) / table.total,
  };
}
