"""Recheck the policies of a sweep with NumPy and SciPy alone: python recheck_optima.py optima.npz [ROW ...]."""

import sys

import numpy as np
from scipy.optimize import linprog


def bound_ordered_welfare(means: np.ndarray, weights: np.ndarray) -> float:
    """Return the largest Σ w_r u_(r) of utilities in increasing order, by a linear program (Ogryczak)."""
    (n, k), steps = means.shape, weights - np.append(weights[1:], 0)
    gain = np.concatenate([np.zeros(k), steps * np.arange(1, n + 1), np.repeat(-steps, n)])
    least = np.hstack([np.tile(-means, (n, 1)), np.repeat(np.eye(n), n, axis=0), -np.eye(n * n)])
    bounds = [(0, None)] * k + [(None, None)] * n + [(0, None)] * n * n
    return -float(linprog(-gain, least, np.zeros(n * n), [gain * 0 + (np.arange(len(gain)) < k)], [1], bounds).fun)


def measure_gaps(means: np.ndarray, policies: np.ndarray) -> list[float]:
    """Return by how much each policy may miss its optimum: first-order conditions, or a linear program."""
    pf, im, ut, eg, nsw, ggi = policies
    n, liked, wanted = len(means), means == means.max(axis=1, keepdims=True), means[means.max(axis=1) > 0]
    slope = means.T @ (means @ im - (means @ im).mean()) * 4 / (n - 1)
    least, halves = np.eye(n)[0], 0.5 ** np.arange(n)
    off_simplex = policies.min() < 0 or abs(policies.sum(axis=1) - 1).max() > 1e-12
    gaps = [(liked / (liked @ pf)[:, None]).sum(axis=0).max() / n - 1, im @ slope - slope.min()]
    gaps += [means.sum(axis=0).max() - means.sum(axis=0) @ ut, bound_ordered_welfare(means, least) - (means @ eg).min()]
    gaps += [(wanted / (wanted @ nsw)[:, None]).sum(axis=0).max() / len(wanted) - 1]
    return (
        [np.inf] * 6 if off_simplex else [*gaps, bound_ordered_welfare(means, halves) - halves @ np.sort(means @ ggi)]
    )


if __name__ == "__main__":
    data = dict(np.load(sys.argv[1]))
    rows = [int(row) for row in sys.argv[2:]] or range(len(data["agents"]))
    n, k = data["agents"], data["arms"]
    tables, policies = np.split(data["means"], np.cumsum(n * k)[:-1]), np.split(data["policies"], np.cumsum(6 * k)[:-1])
    gaps = [measure_gaps(tables[row].reshape(n[row], -1), policies[row].reshape(6, -1)) for row in rows]
    worst = ", ".join(f"{label} {gap:.0e}" for label, gap in zip(data["labels"], np.max(gaps, axis=0), strict=True))
    print(f"{len(rows):,} instances; largest gap {worst}")
    sys.exit(int(np.max(gaps) > 1e-7))
