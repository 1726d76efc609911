"""The best of a concave function over a polytope known by its corners (von Hohenbalken 1977).

The best policy in the hull of a few corners is found by a smaller problem of the same kind; the slope there names the
corner that would raise it most, which joins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria import tolerances

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import ScoreFloor

MOST_CORNERS = 1000  # a point needs no more than K + 1 of them; far more means that rounding goes round in circles


def climb(fair: ScoreFloor, corners: np.ndarray, master: Callable[..., Any]) -> Any:
    """What `master(corners)` says of the best of a concave function in a hull (m, K), for the best among the fair: a
    policy, the slope there, and whatever it says besides."""
    least, best = np.inf, None
    for _ in range(MOST_CORNERS):
        found = master(corners)
        policy, slope = found[:2]
        corner = fair.corner(slope)
        gap = float(slope @ (corner - policy))
        if best is None or gap < least:
            least, best = gap, found
        if gap <= tolerances.VIOLATION or (corners == corner).all(axis=1).any():
            break
        corners = np.vstack([corners, corner])
    return best
