"""The polytope of procedurally fair policies: every favourite type puts its whole share on its favourites.

A vertex puts each share on one favourite. A facet says that the arms B get at least the shares of the types whose
favourites are all in B. So linear functions are maximised greedily, and a violated facet is found by a flow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.solvers.flow.push_relabel import max_flow, procedural_score
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances
from isegoria.utils.arrays import count_labels


class MinimumScorePolytope(NamedTuple):
    """The policies of procedural score at least `level`: favourite types `rows` (m, K), `shares` (m,) of sum 1."""

    rows: np.ndarray
    shares: np.ndarray
    level: float = 1.0

    def corner(self, slope: np.ndarray) -> np.ndarray:
        """Return a vertex (K,) of the set that maximises slope·p.

        A mass `level` goes to the best favourites of types, in order of that best (lowest index first); the rest goes
        to the best arm of all.
        """
        order = np.argsort(-slope, kind="stable")
        choice = self.rows[:, order].argmax(axis=1)
        heard = np.cumsum(count_labels(choice, weights=self.shares, minlength=len(slope)))
        heard[-1] = 1.0  # the shares sum to 1 up to rounding
        policy = np.empty(len(slope))
        policy[order] = np.diff(np.minimum(heard, self.level), prepend=0.0)
        policy[order[0]] += 1 - self.level
        return policy


class FairPolytope(MinimumScorePolytope):
    """The policies of score 1, a `MinimumScorePolytope` of level 1, with support function and separation."""

    def support(self, slope: np.ndarray) -> float:
        """Return the maximum of slope·p over the fair policies: Σ_i (w_i/W) max over F_i of slope."""
        return float(self.shares @ np.where(self.rows, slope, -np.inf).max(axis=1))

    def contains(self, policy: np.ndarray) -> bool:
        """Return whether the score of `policy` (K,), an exact point of the simplex, is fair with room for rounding."""
        return bool(procedural_score(self.rows, self.shares, policy) >= 1 - tolerances.FAIRNESS_GAP / 2)

    def split(self, owner: np.ndarray, arm: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Return vertices (V, K) of which the policy is a mixture that gives `given[e]` of type `owner[e]` to `arm[e]`.

        Every type spends its share from 0 to 1 in the order of its arms: between two places where someone goes on to
        another arm, each has one arm, which is a vertex. The types are listed in order.

        >>> fair = FairPolytope(np.array([[True, True], [True, True]]), np.array([0.5, 0.5]))
        >>> fair.split(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0.25, 0.25, 0.5])).tolist()
        [[0.5, 0.5], [0.0, 1.0]]
        """
        totals = count_labels(owner, weights=given, minlength=len(self.shares))
        spent = np.cumsum(given) - (np.cumsum(totals) - totals)[owner]  # by each type, up to and with this arm
        places = spent / totals[owner]
        ends = np.unique(np.append(places[places < 1 - tolerances.NEAR_TIE], 1.0))
        ends = ends[np.diff(ends, prepend=0.0) > tolerances.NEAR_TIE]
        middles = ends - np.diff(ends, prepend=0.0) / 2
        first = np.searchsorted(owner, np.arange(len(self.shares)))
        reached = [np.add.reduceat((places < middle).astype(np.int64), first) for middle in middles]
        last = np.append(first[1:], len(owner)) - 1
        chosen = [arm[np.minimum(first + count, last)] for count in reached]
        return np.array([count_labels(arms, weights=self.shares, minlength=self.rows.shape[1]) for arms in chosen])

    def separate(self, point: np.ndarray) -> tuple[np.ndarray, float] | None:
        """Return the cut (normal, bound) that `point` violates most, or None if it is fair up to rounding."""
        policy = simplex_point(point)
        _, _, _, arms, _ = max_flow(self.rows, self.shares, policy)
        bound = float(self.shares @ ~(self.rows & ~arms).any(axis=1))
        if policy[arms].sum() >= bound - tolerances.CONSTRAINT_VIOLATION:
            return None
        return arms.astype(float), bound
