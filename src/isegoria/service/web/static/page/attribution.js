// Where each voice goes: the flow of voices into a policy that hears the least heard as well as possible, then the next.

import { groupTypes } from "./voices.js";

const RESIDUAL = 1e-13;

/** A maximum flow by Dinic: types 0 … m − 1 with their dues into arms with their room; {total, carried, reached}. */
function maximumFlow(types, dues, room) {
  const m = types.length, n = m + room.length, sent = types.map(() => new Map());
  const left = dues.slice(), free = room.slice();
  const level = new Array(n);
  const search = () => {
    level.fill(-1);
    const queue = [];
    types.forEach((_, t) => left[t] > RESIDUAL && ((level[t] = 0), queue.push(t)));
    let open = false;
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at];
      if (node < m) {
        for (const k of types[node]) if (level[m + k] < 0) (level[m + k] = level[node] + 1), queue.push(m + k);
      } else {
        if (free[node - m] > RESIDUAL) open = true;
        for (let t = 0; t < m; t++) if (level[t] < 0 && (sent[t].get(node - m) ?? 0) > RESIDUAL) (level[t] = level[node] + 1), queue.push(t);
      }
    }
    return open;
  };
  const push = (node, amount) => {
    if (node >= m) {
      const k = node - m, direct = Math.min(amount, free[k]);
      if (direct > RESIDUAL) return (free[k] -= direct), direct;
      for (let t = 0; t < m; t++) {
        const back = sent[t].get(k) ?? 0;
        if (back <= RESIDUAL || level[t] !== level[node] + 1) continue;
        const moved = push(t, Math.min(amount, back));
        if (moved > 0) return sent[t].set(k, back - moved), moved;
      }
    } else {
      for (const k of types[node]) {
        if (level[m + k] !== level[node] + 1) continue;
        const moved = push(m + k, amount);
        if (moved > 0) return sent[node].set(k, (sent[node].get(k) ?? 0) + moved), moved;
      }
    }
    level[node] = -2;
    return 0;
  };
  while (search()) {
    for (let t = 0; t < m; t++) {
      for (let moved = 1; left[t] > RESIDUAL && moved > 0; ) left[t] -= moved = push(t, left[t]);
    }
  }
  return { total: dues.reduce((a, b) => a + b, 0) - left.reduce((a, b) => a + b, 0), sent, reached: level.slice(0, m).map((one) => one >= 0) };
}

/** The ratio at which each type is heard, by cuts: who lacks most is parted from the rest, and asked again. */
function ratiosOf(types, dues, room) {
  const ratios = new Array(types.length).fill(1);
  const divide = (some, arms, cap) => {
    const due = some.reduce((sum, t) => sum + dues[t], 0), ratio = Math.min(cap, arms.reduce((sum, k) => sum + room[k], 0) / due);
    const inside = some.map((t) => types[t].filter((k) => arms.includes(k)));
    const limited = room.map((one, k) => (arms.includes(k) ? one : 0));
    const { reached } = maximumFlow(inside, some.map((t) => dues[t] * ratio), limited);
    const poor = some.filter((_, i) => reached[i]);
    const wanted = [...new Set(poor.flatMap((t) => types[t]))].filter((k) => arms.includes(k));
    if (!poor.length || (poor.length === some.length && wanted.length === arms.length)) return some.forEach((t) => (ratios[t] = ratio));
    divide(poor, wanted, cap);
    if (poor.length < some.length) divide(some.filter((t) => !poor.includes(t)), arms.filter((k) => !wanted.includes(k)), cap);
  };
  if (types.length) divide([...types.keys()], [...room.keys()], 1);
  return ratios;
}

/** What each member carries: {ratios by member, carried by type, types}. Claims go in proportion to the policy; where an arm is
 * overspent all claims on it are cut by one factor and made up elsewhere. */
export function attribute({ sets, weights, total }, policy) {
  const types = groupTypes(sets, weights), lists = types.map((type) => type.candidates);
  const dues = types.map((type) => (type.weight * type.members.length) / total);
  const ratios = ratiosOf(lists, dues, policy), factor = policy.map(() => 1);
  let carried = [];
  for (let step = 0; step < 500; step++) {
    const sums = policy.map(() => 0);
    carried = types.map(({ candidates: set }, t) => {
      const claim = set.reduce((sum, k) => sum + policy[k] * factor[k], 0), row = policy.map(() => 0);
      if (claim > 0) for (const k of set) sums[k] += row[k] = (ratios[t] * dues[t] * policy[k] * factor[k]) / claim;
      return row;
    });
    const over = sums.map((sum, k) => (policy[k] > 0 && sum > policy[k] ? policy[k] / sum : 1));
    if (Math.min(...over) > 1 - 1e-10) break;
    over.forEach((cut, k) => (factor[k] *= cut));
  }
  const typeOf = new Array(sets.length);
  types.forEach(({ members }, t) => members.forEach((i) => (typeOf[i] = t)));
  return { types, carried, typeOf, ratios: typeOf.map((t) => ratios[t]) };
}
