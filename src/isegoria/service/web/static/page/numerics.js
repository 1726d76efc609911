// Maximise Σ w log(Ap) over the simplex: an interior point, polished by Newton on its support; among several optima the one of
// least norm. The gap is computed from the result, and does not know how it was found.

const [MAX_STEPS, SUPPORT_FLOOR, RANK_TOLERANCE] = [100, 1e-9, 1e-9];

/** Solve (H + diagonal) d = b for a symmetric H by Cholesky, in place; H is a flat n × n array, lower half. */
export function solveSymmetric(matrix, vector, n) {
  for (let k = 0; k < n; k++) {
    for (let l = 0; l <= k; l++) {
      let sum = matrix[k * n + l];
      for (let m = 0; m < l; m++) sum -= matrix[k * n + m] * matrix[l * n + m];
      matrix[k * n + l] = k === l ? Math.sqrt(Math.max(sum, 1e-300)) : sum / matrix[l * n + l];
    }
  }
  for (let k = 0; k < n; k++) {
    for (let m = 0; m < k; m++) vector[k] -= matrix[k * n + m] * vector[m];
    vector[k] /= matrix[k * n + k];
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let m = k + 1; m < n; m++) vector[k] -= matrix[m * n + k] * vector[m];
    vector[k] /= matrix[k * n + k];
  }
  return vector;
}

/** Utilities Ap of all rows, and the slope s of each arm, Σ v a / (Ap); at an optimum s ≤ 1, with 1 where p > 0. */
function evaluate(rows, shares, policy) {
  const utilities = rows.map((row) => dot(row, policy));
  const slopes = new Float64Array(policy.length);
  rows.forEach((row, i) => {
    const each = shares[i] / utilities[i];
    for (let k = 0; k < row.length; k++) slopes[k] += each * row[k];
  });
  return { utilities, slopes };
}

export function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** The Hessian Σ v a aᵀ / (Ap)² over some arms, lower half. */
function curvature(rows, shares, utilities, arms) {
  const n = arms.length, matrix = new Float64Array(n * n);
  rows.forEach((row, i) => {
    const each = shares[i] / utilities[i] ** 2;
    for (let k = 0; k < n; k++) {
      const left = each * row[arms[k]];
      if (left) for (let l = 0; l <= k; l++) matrix[k * n + l] += left * row[arms[l]];
    }
  });
  return matrix;
}

/** A primal-dual interior point for min Σ x − Σ v log(Ax), x ≥ 0, whose solutions have the sum 1. */
function approach(rows, shares, arms) {
  const all = Array.from({ length: arms }, (_, k) => k);
  let x = new Float64Array(arms).fill(1 / arms), { utilities, slopes } = evaluate(rows, shares, x);
  let z = slopes.map((slope) => Math.max(1 - slope, 0.1)), best = x, least = Infinity;
  for (let step = 0; step < MAX_STEPS; step++) {
    const total = x.reduce((a, b) => a + b, 0), gap = Math.max(...slopes) * total - 1;
    if (gap < least) [best, least] = [x.map((share) => share / total), gap];
    const mean = dot(x, z) / arms;
    if (gap < 1e-14 || mean < 1e-17) break;
    const centre = mean * 0.05, matrix = curvature(rows, shares, utilities, all);
    const move = slopes.map((slope, k) => slope - 1 + centre / x[k]);
    for (let k = 0; k < arms; k++) matrix[k * arms + k] += z[k] / x[k] + 1e-15;
    solveSymmetric(matrix, move, arms);
    const turn = move.map((d, k) => centre / x[k] - z[k] - (z[k] / x[k]) * d);
    let size = 1;
    for (let k = 0; k < arms; k++) {
      if (move[k] < 0) size = Math.min(size, (-0.995 * x[k]) / move[k]);
      if (turn[k] < 0) size = Math.min(size, (-0.995 * z[k]) / turn[k]);
    }
    x = x.map((share, k) => share + size * move[k]);
    z = z.map((price, k) => price + size * turn[k]);
    if (!x.every(Number.isFinite)) break;
    ({ utilities, slopes } = evaluate(rows, shares, x));
  }
  return best;
}

/** Newton's method on the arms that are played or ask to be: what an interior point leaves undecided becomes exact. */
function polish(rows, shares, start) {
  let x = start.map((share) => (share < SUPPORT_FLOOR ? 0 : share)), best = start, least = gapOf(rows, shares, start);
  for (let step = 0; step < 60; step++) {
    const { utilities, slopes } = evaluate(rows, shares, x);
    if (!utilities.every((one) => one > 0)) break;
    const total = x.reduce((a, b) => a + b, 0), gap = Math.max(...slopes) * total - 1;
    if (gap < least) [best, least] = [x.map((share) => share / total), gap];
    const free = [...x.keys()].filter((k) => x[k] > 0 || slopes[k] > 1 + 1e-14), n = free.length;
    const matrix = curvature(rows, shares, utilities, free);
    for (let k = 0; k < n; k++) matrix[k * n + k] *= 1 + 1e-13;
    for (let k = 0; k < n; k++) matrix[k * n + k] += 1e-13;
    const move = solveSymmetric(matrix, Float64Array.from(free, (k) => slopes[k] - 1), n);
    let size = 1, stop = -1;
    free.forEach((k, i) => {
      if (move[i] < 0 && x[k] + size * move[i] < 0) [size, stop] = [-x[k] / move[i], k];
    });
    free.forEach((k, i) => (x[k] = k === stop ? 0 : Math.max(0, x[k] + size * move[i])));
    if (stop < 0 && Math.max(...move.map(Math.abs)) < 1e-16) break;
  }
  return best;
}

function gapOf(rows, shares, policy) {
  return Math.max(...evaluate(rows, shares, policy).slopes) * policy.reduce((a, b) => a + b, 0) - 1;
}

/** An orthonormal basis of the span of some rows, by Gram and Schmidt, twice. */
function basisOf(rows) {
  const basis = [];
  for (const row of rows) {
    const size = Math.sqrt(dot(row, row)), left = Float64Array.from(row);
    if (basis.length === row.length) break;
    for (let again = 0; again < 2; again++) {
      for (const one of basis) {
        const part = dot(one, left);
        for (let k = 0; k < left.length; k++) left[k] -= part * one[k];
      }
    }
    const norm = Math.sqrt(dot(left, left));
    if (norm > RANK_TOLERANCE * size) basis.push(left.map((entry) => entry / norm));
  }
  return basis;
}

/** The policy of least norm that gives every row the same utility as `policy`: Newton's method on the dual,
 * p = max(0, Qᵀy), whose pieces are the sets of arms that are played. */
export function centre(rows, policy, slopes) {
  const arms = [...policy.keys()].filter((k) => slopes[k] > 1 - 1e-7), n = arms.length;
  const inside = (row) => Float64Array.from(arms, (k) => row[k]);
  const basis = basisOf([new Float64Array(n).fill(1), ...rows.map(inside)]), r = basis.length;
  if (r === n) return policy;
  const wanted = basis.map((one) => dot(one, inside(policy)));
  const at = (y) => {
    const point = new Float64Array(n);
    basis.forEach((one, j) => one.forEach((entry, k) => (point[k] += y[j] * entry)));
    return point;
  };
  const value = (y, point) => 0.5 * point.reduce((sum, p) => sum + (p > 0 ? p * p : 0), 0) - dot(wanted, y);
  let y = Float64Array.from(wanted), point = at(y), best = null, least = Infinity;
  for (let step = 0; step < 200; step++) {
    const held = point.map((p) => Math.max(0, p)), slope = basis.map((one, j) => wanted[j] - dot(one, held));
    const missing = Math.max(...slope.map(Math.abs));
    if (missing < least) [best, least] = [held, missing];
    if (missing < 1e-15) break;
    const matrix = new Float64Array(r * r);
    for (let j = 0; j < r; j++) {
      for (let l = 0; l <= j; l++) {
        let sum = j === l ? Math.min(1e-10, 1e-3 * missing) + 1e-15 : 0;
        for (let k = 0; k < n; k++) if (point[k] > 0) sum += basis[j][k] * basis[l][k];
        matrix[j * r + l] = sum;
      }
    }
    const move = solveSymmetric(matrix, Float64Array.from(slope), r), from = value(y, point), gain = dot(slope, move);
    let size = 1, next = y;
    for (; size > 1e-12; size /= 2) {
      next = y.map((entry, j) => entry + size * move[j]);
      if (value(next, at(next)) <= from - 1e-4 * size * gain + 1e-16) break;
    }
    [y, point] = [next, at(next)];
  }
  if (!best || least > 1e-10) return policy;
  const found = new Float64Array(policy.length), total = best.reduce((a, b) => a + b, 0);
  arms.forEach((k, i) => (found[k] = best[i] / total));
  return found;
}

/** Equal rows as one with their weights together: {rows, weights}. */
function merge(rows, weights) {
  const kinds = new Map();
  rows.forEach((row, i) => {
    const top = Math.max(...row);
    if (!(top > 0)) return; // who likes nothing at all has no say in a product
    const name = row.join();
    const known = kinds.get(name);
    if (known) known.weight += weights[i];
    else kinds.set(name, { row: Float64Array.from(row, (entry) => entry / top), weight: weights[i] });
  });
  return { rows: [...kinds.values()].map((one) => one.row), weights: [...kinds.values()].map((one) => one.weight) };
}

/** The policy of the largest weighted product of utilities, and its gap; of several the one of least norm. */
export function maximiseProduct(means, given) {
  const arms = means[0].length, { rows, weights } = merge(means, given), total = weights.reduce((a, b) => a + b, 0);
  if (!rows.length || arms === 1) return { policy: new Array(arms).fill(1 / arms), gap: 0 };
  const shares = weights.map((weight) => weight / total);
  const found = polish(rows, shares, approach(rows, shares, arms));
  const middle = centre(rows, found, evaluate(rows, shares, found).slopes);
  const [one, two] = [gapOf(rows, shares, found), gapOf(rows, shares, middle)];
  const [policy, gap] = two <= Math.max(one, 1e-11) ? [middle, two] : [found, one];
  return { policy: Array.from(policy), gap: Math.max(0, gap) };
}
