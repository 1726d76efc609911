"""A primal–dual interior point for min −Σ w log(Ax) + Σx over x ≥ 0, by conjugate gradients.

With the slack z = 1 − s of every arm, s = Aᵀ(w / Ax): (AᵀDA + Z/X) dx = s − 1 + σμ/x, D = w / (Ax)². The diagonal is
the preconditioner. Some ten systems are solved, each to three digits.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.nash.sparse_rows import SparseRows

CENTRING = 0.1  # how far below the present mean of x z the next one is aimed
SHORT = 0.995  # of the way to the boundary
DIGITS = 1e-3  # to which a system is solved
AWAY = 1e-4  # the least slack to begin with
MOST_WORSE = 60  # steps without a smaller gap before it is given up
MOST_STEPS = 400
MOST_TURNS = 400


def interior_point(table: SparseRows, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(K,) a policy whose gap is about 1e-13, from a positive one; the best that was met if that cannot be had: where
    probabilities span many orders of magnitude, conjugate gradients lose their way."""
    x = np.maximum(start, tolerances.FLOW_NOTHING)
    values, slopes = table.slopes(weights, x)
    z = np.maximum(1 - slopes, AWAY)
    best, least, worse = x / x.sum(), np.inf, 0
    for _ in range(MOST_STEPS):
        gap = float(slopes.max()) * float(x.sum()) - 1  # of x scaled to the simplex
        worse = 0 if gap < least else worse + 1
        if gap < least:
            best, least = x / x.sum(), gap
        mu = float(x @ z) / len(x)
        if (gap <= tolerances.NEWTON_SETTLED and mu * len(x) <= tolerances.NEWTON_SETTLED) or worse > MOST_WORSE:
            break
        curves, pull = weights / values / values, CENTRING * mu / x
        step, _ = table.conjugate_gradients(curves, z / x, slopes - 1 + pull, DIGITS, MOST_TURNS)
        slide = pull - z - z / x * step
        x = np.maximum(x + _reach(x, step) * step, tolerances.TINY_ROW)
        z = np.maximum(z + _reach(z, slide) * slide, tolerances.TINY_ROW)
        values, slopes = table.slopes(weights, x)
    return best


def _reach(point: np.ndarray, step: np.ndarray) -> float:
    """How much of the step keeps the point positive."""
    falling = step < 0
    if not falling.any():
        return 1.0
    return min(1.0, SHORT * float((point[falling] / -step[falling]).min()))
