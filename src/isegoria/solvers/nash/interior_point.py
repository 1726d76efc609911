"""Primal–dual interior-point method for min −Σ w log(Ax) + Σx over x ≥ 0, by conjugate gradients.

With the slack z = 1 − s of every arm, s = Aᵀ(w / Ax): (AᵀDA + Z/X) dx = s − 1 + σμ/x, D = w / (Ax)². The preconditioner
is the diagonal. About ten systems are solved, each to three digits.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.nash.sparse_rows import SparseRows
from isegoria.utils import tolerances

CENTRING_FACTOR = 0.1  # target for the next mean of x z, relative to the current one
BOUNDARY_FRACTION = 0.995  # fraction of the distance to the boundary
CG_TOLERANCE = 1e-3  # tolerance to which a system is solved
MIN_INITIAL_SLACK = 1e-4
MAX_WORSE_STEPS = 60  # steps without a smaller gap before the method gives up
MAX_STEPS = 400
MAX_CG_ITERATIONS = 400


def interior_point(table: SparseRows, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return a policy (K,) whose gap is about 1e-13, from a positive one; the best one seen if that fails.

    It fails where probabilities span many orders of magnitude, because conjugate gradients then stop converging.
    """
    x = np.maximum(start, tolerances.FLOW_NEGLIGIBLE)
    values, slopes = table.slopes(weights, x)
    z = np.maximum(1 - slopes, MIN_INITIAL_SLACK)
    best, least, worse = x / x.sum(), np.inf, 0
    for _ in range(MAX_STEPS):
        gap = float(slopes.max()) * float(x.sum()) - 1  # of x scaled to the simplex
        worse = 0 if gap < least else worse + 1
        if gap < least:
            best, least = x / x.sum(), gap
        mu = float(x @ z) / len(x)
        if (
            gap <= tolerances.NEWTON_CONVERGED and mu * len(x) <= tolerances.NEWTON_CONVERGED
        ) or worse > MAX_WORSE_STEPS:
            break
        curves, pull = weights / values / values, CENTRING_FACTOR * mu / x
        step, _ = table.conjugate_gradients(curves, z / x, slopes - 1 + pull, CG_TOLERANCE, MAX_CG_ITERATIONS)
        slide = pull - z - z / x * step
        x = np.maximum(x + _max_step(x, step) * step, tolerances.TINY_ROW)
        z = np.maximum(z + _max_step(z, slide) * slide, tolerances.TINY_ROW)
        values, slopes = table.slopes(weights, x)
    return best


def _max_step(point: np.ndarray, step: np.ndarray) -> float:
    """Return the fraction of the step that keeps the point positive."""
    falling = step < 0
    if not falling.any():
        return 1.0
    return min(1.0, BOUNDARY_FRACTION * float((point[falling] / -step[falling]).min()))
