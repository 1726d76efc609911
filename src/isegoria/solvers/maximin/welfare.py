"""Welfare functions that are the least of many linear ones, as a rule that can be asked of some of the agents only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.solvers.maximin.cuts import Cuts, Ranked, Rows


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

    def __call__(self, rows: np.ndarray, carried: int = 0) -> Cuts:
        """Its cuts on `rows`, the last `carried` columns of which are no arms."""
        return Rows(rows, carried)

    def value(self, utilities: np.ndarray) -> float:
        """Of the agents' utilities."""
        return float(utilities.min())

    def worst(self, utilities: np.ndarray, most: int) -> np.ndarray:
        """The places of the up to `most` agents who are worst off."""
        return _lowest(utilities, most)


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
    def enough(self) -> float:
        """A gap that is small enough even where no choice among ties can be made, in units of the sum of weights."""
        return tolerances.GINI_GAP / 2

    def on(self, weights: np.ndarray) -> Gini:
        """The same of other agents, of whom each stands for some."""
        return self._replace(weights=weights)

    def __call__(self, rows: np.ndarray, carried: int = 0) -> Cuts:
        """Its cuts on `rows`, the last `carried` columns of which are no arms."""
        return Ranked(rows, self.weights, self.prefix, carried)

    def value(self, utilities: np.ndarray) -> float:
        """Of the agents' utilities."""
        order = self.worst(utilities, self.deep)
        order = order[np.argsort(utilities[order], kind="stable")]
        counted = np.minimum(np.cumsum(self.weights[order]), self.deep)
        return float(np.diff(self.prefix[counted], prepend=0.0) @ utilities[order])

    def worst(self, utilities: np.ndarray, most: int) -> np.ndarray:
        """The places of the up to `most` agents who are worst off."""
        return _lowest(utilities, most)


def _lowest(utilities: np.ndarray, most: int) -> np.ndarray:
    return np.arange(len(utilities)) if most >= len(utilities) else np.argpartition(utilities, most - 1)[:most]
