"""Newton's method for min −Σ w log(Ax) + Σx over x ≥ 0 on few arms of a sparse table.

Every step minimises the quadratic model over x ≥ 0 by block principal pivoting, and is halved until the function falls.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.algebra.block_pivoting import minimise_quadratic
from isegoria.solvers.nash.sparse_rows import SparseRows
from isegoria.utils import tolerances

MAX_NEWTON_STEPS = 100
MAX_STEP_HALVINGS = 40
PROXIMAL_RIDGE = 100 * tolerances.NEWTON_NOISE
"""Relative to the diagonal. It keeps a singular model solvable and does not move its fixed point."""


def sparse_newton(table: SparseRows, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return a policy (K,) whose gap is about 1e-13, from one that gives every row something; the best one seen.

    With more arms than rows the model is singular, and rounding decides which of them it plays. So the pivoting begins
    with the most played arms, half as many as there are rows. It then ends in a few iterations on every table tried;
    starting from all arms, some tables took fifty or cycled. If it still cycles, the search ends at once.
    """
    x, arms = np.maximum(start, tolerances.FLOW_NEGLIGIBLE), np.arange(table.arms)
    x /= x.sum()
    values, slopes = table.slopes(weights, x)
    best, least = x, np.inf
    for _ in range(MAX_NEWTON_STEPS):
        gap = float(slopes.max()) - 1
        if not gap < 0.9 * least and least <= tolerances.NASH_GAP:
            break
        if gap < least:
            best, least = x, gap
        if gap <= tolerances.NEWTON_CONVERGED:
            break
        hessian = table.curvature(weights / values / values, arms.astype(np.int64, copy=False))
        hessian[arms, arms] *= 1 + PROXIMAL_RIDGE
        pull = hessian @ x + slopes - 1
        aim = minimise_quadratic(hessian, pull, _initial_support(x, len(values)), tolerances.OPTIMUM_ROUNDING)
        if aim is None:
            break
        x, values = _backtrack(table, weights, x, values, aim)
        slopes = table.slopes(weights, x)[1]
    return best


def _backtrack(
    table: SparseRows, weights: np.ndarray, x: np.ndarray, values: np.ndarray, aim: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (x, values) on the way to `aim`, scaled to the simplex, with a mean logarithm not lower than at x."""
    now = float(weights @ np.log(values))
    for halving in range(MAX_STEP_HALVINGS):
        trial = x + 0.5**halving * (aim - x)
        trial = trial / trial.sum()
        reached = table.values(trial)
        if reached.min() > tolerances.TINY_ROW and float(weights @ np.log(reached)) >= now - tolerances.NEWTON_NOISE:
            return trial, reached
    return x, values


def _initial_support(x: np.ndarray, rows: int) -> np.ndarray:
    """Return (n,) booleans: the arms in play, or if they outnumber the rows, the rows // 2 most played ones."""
    playing = x > 0
    if playing.sum() > rows:
        playing[np.argsort(-x, kind="stable")[max(rows // 2, 1) :]] = False
    return playing
