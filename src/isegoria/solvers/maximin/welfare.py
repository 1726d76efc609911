"""Welfare functions that are the least of many linear ones, as a rule that can be asked of some of the agents only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.solvers.maximin.cuts import Cuts, Ranked, RowCuts


class Proved(NamedTuple):
    """The best `policy` known and its value; the least bound of all, the `mixture` (N,) of rows that proves it, and a
    margin above 0 where there is no other optimum."""

    policy: np.ndarray
    value: float
    bound: float
    mixture: np.ndarray
    margin: float = 0.0

    @property
    def gap(self) -> float:
        return max(self.bound - self.value, 0.0)


class Least(NamedTuple):
    """The least utility; how many agents a row stands for does not matter to it.

    >>> Least().value(np.array([0.5, 0.2]))
    0.2
    """

    weights: np.ndarray | None = None
    deep: int = 1

    @property
    def enough(self) -> float:
        """A gap that is small enough even where no choice among ties can be made."""
        return tolerances.EGALITARIAN_GAP / 2

    def on(self, weights: np.ndarray) -> Least:
        """The same of other agents."""
        return self

    def __call__(self, rows: np.ndarray, traced: bool = False) -> Cuts:
        """Its cuts on `rows`; with `traced` they say how much of each row is in them."""
        return RowCuts(rows, traced)

    def value(self, utilities: np.ndarray) -> float:
        """Of the agents' utilities."""
        return float(utilities.min())

    def tight(self, rows: np.ndarray, utilities: np.ndarray) -> np.ndarray:
        """(m, K) cuts that are the lowest where the rows get these utilities, or nearly so: more than one, if known."""
        return rows[utilities <= utilities.min() + tolerances.NEAR_TIE]


class Gini(NamedTuple):
    """The Gini welfare Σ_r g_r u_(r): row i stands for `weights[i]` agents, and `prefix[r]` = g_1 + … + g_r for the
    ranks that matter.

    >>> Gini(np.array([1, 2]), np.array([0.0, 0.75, 1.0])).value(np.array([0.5, 0.2]))
    0.2
    """

    weights: np.ndarray
    prefix: np.ndarray

    @property
    def deep(self) -> int:
        """How many ranks matter."""
        return len(self.prefix) - 1

    @property
    def counts_all(self) -> bool:
        """Whether even the one who gets most counts."""
        return self.deep == int(self.weights.sum()) and self.prefix[-2] < 1 - tolerances.NEAR_TIE

    @property
    def enough(self) -> float:
        """A gap that is small enough even where no choice among ties can be made, in units of the sum of weights."""
        return tolerances.GINI_GAP / 2

    def on(self, weights: np.ndarray) -> Gini:
        """The same of other agents, of whom each stands for some."""
        return self._replace(weights=weights)

    def __call__(self, rows: np.ndarray, traced: bool = False) -> Cuts:
        """Its cuts on `rows`; with `traced` they say how much of each row is in them."""
        return Ranked(rows, self.weights, self.prefix, traced)

    def value(self, utilities: np.ndarray) -> float:
        """Of the agents' utilities."""
        order = lowest(utilities, self.deep)
        return float(self._shares(order) @ utilities[order])

    def tight(self, rows: np.ndarray, utilities: np.ndarray) -> np.ndarray:
        """(m, K) cuts that are the lowest where the rows get these utilities; none, since they are asked for."""
        return rows[:0]

    def given(self, utilities: np.ndarray) -> np.ndarray:
        """(n,) the weight that each row has where the rows get these utilities."""
        order = lowest(utilities, self.deep)
        shares = np.zeros(len(utilities))
        shares[order] = self._shares(order)
        return shares

    def _shares(self, order: np.ndarray) -> np.ndarray:
        counted = np.minimum(np.cumsum(self.weights[order]), self.deep)
        return np.diff(self.prefix[counted], prepend=0.0)


def lowest(utilities: np.ndarray, most: int) -> np.ndarray:
    """The places of the up to `most` agents who get least, in order of what they get.

    >>> lowest(np.array([0.5, 0.2, 0.9]), 2).tolist()
    [1, 0]
    """
    few = most < len(utilities)
    places = np.argpartition(utilities, most - 1)[:most] if few else np.arange(len(utilities))
    return places[np.argsort(utilities[places], kind="stable")]
