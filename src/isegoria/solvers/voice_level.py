"""The policies whose procedural score is at least ℓ, and the best of them for linear gains.

Such a policy is p = q + r: a mass ℓ attributed to agents who favour what it goes to, each within its share, and a mass
1 − ℓ on anything. So the largest c·p is found by sorting, and it is all that a method needs to search among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Heard(NamedTuple):
    """The policies of a procedural score of at least `level`, for favourite types `rows` (m, K) with `shares` (m,)."""

    rows: np.ndarray
    shares: np.ndarray
    level: float

    def corner(self, slope: np.ndarray) -> np.ndarray:
        """(K,) one of them of largest slope·p."""
        return best_policy(slope, self.rows, self.shares, self.level)


def best_policy(gains: np.ndarray, rows: np.ndarray, shares: np.ndarray, level: float) -> np.ndarray:
    """(K,) a policy of largest gains·p with a procedural score of at least `level`, a corner of the set of them.

    Every agent prefers the best of its favourites; agents are heard in the order of that best until ℓ is spent.
    """
    order = np.argsort(-gains, kind="stable")
    choice = rows[:, order].argmax(axis=1)
    heard = np.cumsum(np.bincount(choice, weights=shares, minlength=len(gains)))
    heard[-1] = 1.0  # the shares sum to 1 up to rounding
    policy = np.empty(len(gains))
    policy[order] = np.diff(np.minimum(heard, level), prepend=0.0)
    policy[order[0]] += 1 - level
    return policy
