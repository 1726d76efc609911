"""Newton's method for min −Σ w log(Ax) + Σx over x ≥ 0 on few arms of a sparse table.

Every step minimises the quadratic model over x ≥ 0 by block principal pivoting, and is halved until the function falls.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.nash.sparse_rows import SparseRows

MOST_STEPS = 100
HALVINGS = 40
MOST_PIVOTS = 50
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
        aim = _lowest(hessian, hessian @ x + slopes - 1, _most_played(x, len(values)))
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


def _lowest(hessian: np.ndarray, pull: np.ndarray, playing: np.ndarray) -> np.ndarray | None:
    """(n,) the z ≥ 0 of least zᵀHz/2 − pull·z: all that is out of place is exchanged, one by one if that cycles; None
    if it goes on doing so."""
    free, fewest, patience = playing.copy(), np.inf, 3
    for _ in range(MOST_PIVOTS):
        z = np.zeros(len(pull))
        inside = np.flatnonzero(free)
        if len(inside):
            z[inside] = np.linalg.solve(hessian[np.ix_(inside, inside)], pull[inside])
        wrong = np.where(free, z < 0, hessian @ z - pull < -tolerances.OPTIMUM_ROUNDING)
        count = int(wrong.sum())
        if count == 0:
            return z
        if count < fewest:
            fewest, patience = count, 3
        else:
            patience -= 1
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        free ^= wrong
    return None
