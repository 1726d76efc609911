"""What rules ask of an instance before they solve: its agents, who supports what, its fair policies."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isegoria.instance import Instance
from isegoria.rows.merge import merge_rows
from isegoria.rows.views import dense, frozen
from isegoria.solvers import sizes
from isegoria.solvers.answer import Selection

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair

SAMPLE = 250
"""Rows that are looked at: among them some are equal if the table has fewer than a few thousand distinct ones."""


FIRST = 8
"""Arms by which they are told apart, if that suffices."""


def agents(instance: Instance) -> tuple[np.ndarray, np.ndarray | None]:
    """(rows (m, K), weights (m,)): means, with equal agents merged where that pays, and how many agents each row stands
    for; None if each is one agent."""
    if instance.means.shape[0] <= sizes.MERGED_ABOVE or not _repeats(instance):
        return instance.means, instance.given_weights
    return instance.types.rows, instance.types.weights


def _repeats(instance: Instance) -> bool:
    """Whether rows seem to repeat, by a sample of a dense table's: to sort them all takes longer than solving."""
    if instance.is_sparse:
        return True
    sample = instance.means[:: len(instance.means) // SAMPLE]
    return all(len(merge_rows(np.ascontiguousarray(part))[0]) < len(part) for part in (sample[:, :FIRST], sample))


def choice(instance: Instance, tie_break: str, within: str | None = None) -> Selection:
    """Which of several optima is asked for; arms' mean utilities are worked out where they are."""
    asked = tie_break == "utilitarian" or within is not None
    direction = instance.arm_means if asked else _nowhere(len(instance.arms))
    return Selection(tie_break, direction, instance.copies)


@lru_cache(maxsize=32)
def _nowhere(arms: int) -> np.ndarray:
    """(K,) zeros, kept: most groups are small, and most choices have no direction."""
    return frozen(np.zeros(arms))


def fair_policies(instance: Instance, within: str | None) -> Fair | None:
    """The polytope of procedurally fair policies, or None when `within` is None and all policies are allowed."""
    return None if within is None else fair_of(instance)


def fair_of(instance: Instance) -> Fair:
    """The polytope of procedurally fair policies."""
    from isegoria.solvers.fair_set.polytope import Fair

    rows, weights, _ = instance.favourite_types
    return Fair(dense(rows), weights / instance.total_weight)


class Support(NamedTuple):
    """Who supports what: entry e says that the favourite type `owner[e]` has the favourite `arm[e]`, type by type.

    `weights` (m,) is how many agents each type stands for, `arms` the number of arms.
    """

    owner: np.ndarray
    arm: np.ndarray
    weights: np.ndarray
    arms: int

    def supporters(self, some: np.ndarray | None = None) -> np.ndarray:
        """(K,) how many agents have each arm as a favourite, in whole numbers; of the types in `some` (m,) alone."""
        weights = self.weights if some is None else np.where(some, self.weights, 0)
        found = np.zeros(self.arms, dtype=np.int64)
        np.add.at(found, self.arm, weights[self.owner])
        return found

    def largest(self, values: np.ndarray) -> np.ndarray:
        """(m,) the largest of `values` (K,) among each type's favourites."""
        starts = np.searchsorted(self.owner, np.arange(len(self.weights)))
        return np.asarray(np.maximum.reduceat(values[self.arm], starts))

    def meets(self, chosen: np.ndarray) -> np.ndarray:
        """(m,) booleans: the types with a favourite among the `chosen` arms (K,)."""
        return np.bincount(self.owner[chosen[self.arm]], minlength=len(self.weights)) > 0

    def spent(self, entries: np.ndarray) -> np.ndarray:
        """(K,) what the arms get if every type that has some of these `entries` (booleans) spreads its voice evenly
        over their arms; in voices, so that it sums to the weight of those types."""
        owner, arm = self.owner[entries], self.arm[entries]
        part = self.weights / np.maximum(np.bincount(owner, minlength=len(self.weights)), 1)
        return np.bincount(arm, part[owner], minlength=self.arms)


def support(instance: Instance) -> Support:
    """Who supports what; of a dense, sparse or scanned table."""
    rows, weights, _ = instance.favourite_types
    owner, arm = rows.nonzero()  # row by row
    return Support(owner, arm, weights, len(instance.arms))
