"""Newton's method for min −Σ w log(Ax) + Σx over x ≥ 0 on few arms of a sparse table.

Every step minimises the quadratic model over x ≥ 0 by block principal pivoting, and is halved until the function falls.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.algebra.block_pivoting import least_quadratic
from isegoria.solvers.nash.sparse_rows import SparseRows

MOST_STEPS = 100
HALVINGS = 40
RIDGE = 100 * tolerances.NEWTON_NOISE
"""The proximal ridge, relative to the diagonal: a singular model stays solvable, and its fixed point where it is."""


def newton_on(table: SparseRows, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(K,) a policy whose gap is about 1e-13, from one under which no row has nothing; the best that was met.

    More arms than rows make the model singular, and which of them it would play a matter of rounding. So the pivoting
    begins with half as many as there are rows, those played most: it then ends in a few turns on every table tried,
    where from all arms some took fifty or went round. What goes round still is given up at once.
    """
    x, arms = np.maximum(start, tolerances.FLOW_NOTHING), np.arange(table.arms)
    x /= x.sum()
    values, slopes = table.slopes(weights, x)
    best, least = x, np.inf
    for _ in range(MOST_STEPS):
        gap = float(slopes.max()) - 1
        if not gap < 0.9 * least and least <= tolerances.NASH_GAP:
            break
        if gap < least:
            best, least = x, gap
        if gap <= tolerances.NEWTON_SETTLED:
            break
        hessian = table.curvature(weights / values / values, arms)
        hessian[arms, arms] *= 1 + RIDGE
        pull = hessian @ x + slopes - 1
        aim = least_quadratic(hessian, pull, _most_played(x, len(values)), tolerances.OPTIMUM_ROUNDING)
        if aim is None:
            break
        x, values = _downhill(table, weights, x, values, aim)
        slopes = table.slopes(weights, x)[1]
    return best


def _downhill(
    table: SparseRows, weights: np.ndarray, x: np.ndarray, values: np.ndarray, aim: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(x, values) on the way to `aim`, scaled to the simplex, where the mean logarithm is no lower than here."""
    now = float(weights @ np.log(values))
    for halving in range(HALVINGS):
        trial = x + 0.5**halving * (aim - x)
        trial = trial / trial.sum()
        reached = table.values(trial)
        if reached.min() > tolerances.TINY_ROW and float(weights @ np.log(reached)) >= now - tolerances.NEWTON_NOISE:
            return trial, reached
    return x, values


def _most_played(x: np.ndarray, rows: int) -> np.ndarray:
    """(n,) booleans: the arms in play, or if they are more than the rows those played most, half as many as these."""
    playing = x > 0
    if playing.sum() > rows:
        playing[np.argsort(-x, kind="stable")[max(rows // 2, 1) :]] = False
    return playing
