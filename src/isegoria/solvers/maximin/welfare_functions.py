"""Welfare functions that are the minimum of many linear ones, and that can be restricted to some of the agents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.solvers.maximin.cuts import Cuts, RankedCuts, RowCuts
from isegoria.solvers.rows.merge import merge_rows
from isegoria.utils import tolerances


class BoundedPolicy(NamedTuple):
    """Best known `policy` and its value, with the smallest bound and the `mixture` (N,) of rows that proves it.

    The margin is above 0 only where there is no other optimum.
    """

    policy: np.ndarray
    value: float
    bound: float
    mixture: np.ndarray
    margin: float = 0.0

    @property
    def gap(self) -> float:
        return max(self.bound - self.value, 0.0)


class MinimumWelfare(NamedTuple):
    """Minimum utility; the number of agents that a row stands for does not matter.

    >>> MinimumWelfare().value(np.array([0.5, 0.2]))
    0.2
    """

    weights: np.ndarray | None = None
    deep: int = 1

    @property
    def enough(self) -> float:
        """A gap that is small enough even where no choice among ties can be made."""
        return tolerances.EGALITARIAN_GAP / 2

    def on(self, weights: np.ndarray) -> MinimumWelfare:
        """Return the same welfare for other agents."""
        return self

    def __call__(self, rows: np.ndarray, traced: bool = False) -> Cuts:
        """Return its cuts on `rows`; with `traced` they also say how much of each row is in them."""
        return RowCuts(rows, traced)

    def value(self, utilities: np.ndarray) -> float:
        """Return the welfare of the agents' utilities."""
        return float(utilities.min())

    def tight(self, rows: np.ndarray, utilities: np.ndarray) -> np.ndarray:
        """Return (m, K) the distinct cuts that are lowest, or nearly so, where the rows have these utilities."""
        return np.asarray(merge_rows(rows[utilities <= utilities.min() + tolerances.NEAR_TIE])[0])


class GiniWelfare(NamedTuple):
    """Gini welfare Σ_r g_r u_(r).

    Row i stands for `weights[i]` agents, and `prefix[r]` = g_1 + … + g_r for the ranks that matter.

    >>> GiniWelfare(np.array([1, 2]), np.array([0.0, 0.75, 1.0])).value(np.array([0.5, 0.2]))
    0.2
    """

    weights: np.ndarray
    prefix: np.ndarray

    @property
    def deep(self) -> int:
        """The number of ranks that matter."""
        return len(self.prefix) - 1

    @property
    def counts_all(self) -> bool:
        """Whether even the best-off agent counts."""
        return self.deep == int(self.weights.sum()) and self.prefix[-2] < 1 - tolerances.NEAR_TIE

    @property
    def enough(self) -> float:
        """A gap that is small enough even where no choice among ties can be made, in units of the sum of weights."""
        return tolerances.GINI_GAP / 2

    def on(self, weights: np.ndarray) -> GiniWelfare:
        """Return the same welfare for other agents, with their weights."""
        return self._replace(weights=weights)

    def __call__(self, rows: np.ndarray, traced: bool = False) -> Cuts:
        """Return its cuts on `rows`; with `traced` they also say how much of each row is in them."""
        return RankedCuts(rows, self.weights, self.prefix, traced)

    def value(self, utilities: np.ndarray) -> float:
        """Return the welfare of the agents' utilities."""
        order = lowest_indices(utilities, self.deep)
        return float(self._shares(order) @ utilities[order])

    def tight(self, rows: np.ndarray, utilities: np.ndarray) -> np.ndarray:
        """Return no cuts (0, K): the lowest ones are generated on demand."""
        return rows[:0]

    def given(self, utilities: np.ndarray) -> np.ndarray:
        """Return the weight (n,) that each row has where the rows have these utilities."""
        order = lowest_indices(utilities, self.deep)
        shares = np.zeros(len(utilities))
        shares[order] = self._shares(order)
        return shares

    def _shares(self, order: np.ndarray) -> np.ndarray:
        counted = np.minimum(np.cumsum(self.weights[order]), self.deep)
        return np.diff(self.prefix[counted], prepend=0.0)


def lowest_indices(utilities: np.ndarray, most: int) -> np.ndarray:
    """Return the indices of the up to `most` worst-off agents, in order of utility.

    >>> lowest_indices(np.array([0.5, 0.2, 0.9]), 2).tolist()
    [1, 0]
    """
    few = most < len(utilities)
    places = np.argpartition(utilities, most - 1)[:most] if few else np.arange(len(utilities))
    return places[np.argsort(utilities[places], kind="stable")]
