"""The procedurally fair policies as a polytope: every favourite type lays its whole share on its own favourites.

Its corners lay each share on one favourite; its facets say that the arms B get at least the shares of those who want
nothing outside B. So linear functions are maximised by a greedy choice, and a violated facet is found by a flow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.solvers.flow.dinic import max_flow


class ScoreFloor(NamedTuple):
    """The policies of a procedural score of at least `level`: favourite types `rows` (m, K), `shares` (m,) of sum 1."""

    rows: np.ndarray
    shares: np.ndarray
    level: float = 1.0

    def corner(self, slope: np.ndarray) -> np.ndarray:
        """(K,) one of them of largest slope·p, a corner of the set of them.

        A mass `level` goes to the best favourites of types, which are heard in the order of that best (lowest index
        first); the rest to the best arm of all.
        """
        order = np.argsort(-slope, kind="stable")
        choice = self.rows[:, order].argmax(axis=1)
        heard = np.cumsum(np.bincount(choice, weights=self.shares, minlength=len(slope)))
        heard[-1] = 1.0  # the shares sum to 1 up to rounding
        policy = np.empty(len(slope))
        policy[order] = np.diff(np.minimum(heard, self.level), prepend=0.0)
        policy[order[0]] += 1 - self.level
        return policy


class Fair(ScoreFloor):
    """The policies of a score of 1, all that `ScoreFloor` of that level are, with their support and cuts."""

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
