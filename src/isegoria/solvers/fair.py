"""The procedurally fair policies as a polytope: every favourite type lays its whole share on its own favourites.

Its corners lay each share on one favourite; its facets say that the arms B get at least the shares of those who want
nothing outside B. So linear functions are maximised by a greedy choice, and a violated facet is found by a flow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.solvers.flow import max_flow
from isegoria.solvers.simplex import simplex_point
from isegoria.solvers.voice_level import Heard, best_policy

MOST_CORNERS = 1000  # a point needs no more than K + 1 of them; far more means that rounding goes round in circles


class Fair(NamedTuple):
    """Favourite types `rows` (m, K) booleans with their `shares` (m,), which sum to 1."""

    rows: np.ndarray
    shares: np.ndarray

    def corner(self, slope: np.ndarray) -> np.ndarray:
        """(K,) the fair policy of largest slope·p: every type on its favourite of largest slope, lowest index first."""
        return best_policy(slope, self.rows, self.shares, 1.0)

    def support(self, slope: np.ndarray) -> float:
        """The largest slope·p of a fair policy: Σ_i (w_i/W) max over F_i of slope."""
        return float(self.shares @ np.where(self.rows, slope, -np.inf).max(axis=1))

    def separate(self, point: np.ndarray) -> tuple[np.ndarray, float] | None:
        """The cut (normal, bound) that `point` violates most, or None if it is fair up to rounding."""
        policy = simplex_point(point)
        _, _, _, arms, _ = max_flow(self.rows, self.shares, policy)
        bound = float(self.shares @ ~(self.rows & ~arms).any(axis=1))
        if policy[arms].sum() >= bound - tolerances.VIOLATION:
            return None
        return arms.astype(float), bound


def climb(fair: Fair | Heard, corners: np.ndarray, master: Callable) -> tuple[np.ndarray, np.ndarray]:
    """(policy, slope): the best policy of a concave function among the fair ones, found in the hull of a few corners.

    `master(corners)` returns the best policy in the hull of `corners` (m, K) and the slope there; the corner that the
    slope likes best joins until it is no better than the policy.
    """
    best = None
    for _ in range(MOST_CORNERS):
        policy, slope = master(corners)
        corner = fair.corner(slope)
        gap = float(slope @ (corner - policy))
        if best is None or gap < best[0]:
            best = gap, policy, slope
        if gap <= tolerances.VIOLATION or (corners == corner).all(axis=1).any():
            break
        corners = np.vstack([corners, corner])
    return best[1], best[2]
