"""Maximise a concave function over a polytope known by its vertices (simplicial decomposition, von Hohenbalken 1977).

A smaller problem of the same kind finds the best policy in the hull of a few vertices; the gradient there gives the
vertex that would raise the function most, which is added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.utils import tolerances

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import MinimumScorePolytope

ROUNDING = 1e-15  # of one and the same vertex, added up in another order
MAX_STALLED_ROUNDS = 8  # whose gap is rounding and does not fall by half
MAX_VERTICES = 1000  # a point needs at most K + 1; far more mean that the search cycles through rounding


def simplicial_decomposition(fair: MinimumScorePolytope, corners: np.ndarray, master: Callable[..., Any]) -> Any:
    """Maximise a concave function over the fair policies, given `master`, which maximises it over a hull.

    `master(corners)` takes vertices (m, K) and returns the best policy in their hull, the slope there, and anything
    else. The result is that of the best call.
    """
    least, best, stalled = np.inf, None, 0
    for _ in range(MAX_VERTICES):
        found = master(corners)
        policy, slope = found[:2]
        corner = fair.corner(slope)
        gap = float(slope @ (corner - policy))
        stalled = 0 if gap < 0.5 * least or gap > tolerances.OPTIMUM_ROUNDING else stalled + 1
        if best is None or gap < least:
            least, best = gap, found
        if (
            gap <= tolerances.CONSTRAINT_VIOLATION
            or stalled > MAX_STALLED_ROUNDS
            or (np.abs(corners - corner) <= ROUNDING).all(axis=1).any()
        ):
            break
        corners = np.vstack([corners, corner])
    return best
