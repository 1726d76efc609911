"""What rules derive from an instance before solving: agent types, supporters of arms, the fair policies."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isegoria.profiles import Instance, Profile
from isegoria.solvers import method_limits
from isegoria.solvers.flow.network import Network
from isegoria.solvers.result import Selection
from isegoria.solvers.rows.codes import shares, unpack
from isegoria.solvers.rows.merge import merge_rows
from isegoria.utils.arrays import count_labels, freeze, to_dense
from isegoria.utils.caching import cached_per_object

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import FairPolytope

MAX_CACHED_LINKS = 1_000_000
"""Networks of up to this many types times arms are cached with their instance: at most 20 MB."""

DUPLICATE_SAMPLE_ROWS = 250
"""Approximate number of rows sampled: some are equal if the table has fewer than a few thousand distinct rows."""


DUPLICATE_SAMPLE_ARMS = 8
"""Sampled rows are compared on this many arms first; all arms are compared only if some rows are equal on these."""


def merge_agents(instance: Instance) -> tuple[np.ndarray, np.ndarray | None]:
    """Return (rows (m, K), weights (m,)): the means, with equal agents merged where that pays.

    `weights` is how many agents each row stands for; None if each is one agent.
    """
    if instance.means.shape[0] <= method_limits.MERGE_AGENTS_ABOVE or not _has_repeated_rows(instance):
        return instance.means, instance.given_weights
    return instance.types.rows, instance.types.weights


def _has_repeated_rows(instance: Instance) -> bool:
    """Return whether rows seem to repeat, from a sample of a dense table: sorting all takes longer than solving."""
    if instance.is_sparse:
        return True
    sample = instance.means[:: len(instance.means) // DUPLICATE_SAMPLE_ROWS]
    return all(
        len(merge_rows(np.ascontiguousarray(part))[0]) < len(part)
        for part in (sample[:, :DUPLICATE_SAMPLE_ARMS], sample)
    )


def make_selection(instance: Profile, tie_break: str, within: str | None = None) -> Selection:
    """Return the `Selection` among several optima; the mean utilities of arms are computed only where needed."""
    asked = tie_break == "utilitarian" or within is not None
    direction = instance.arm_means if asked else _zero_direction(len(instance.arms))
    return Selection(tie_break, direction, instance.copies)


@lru_cache(maxsize=32)
def _zero_direction(arms: int) -> np.ndarray:
    """Return (K,) zeros, cached: most groups are small, and most selections have no direction."""
    return freeze(np.zeros(arms))


def fair_polytope_within(instance: Profile, within: str | None) -> FairPolytope | None:
    """Return the polytope of procedurally fair policies, or None if `within` is None and all policies are allowed."""
    return None if within is None else fair_polytope(instance)


def fair_polytope(instance: Profile) -> FairPolytope:
    """Return the polytope of procedurally fair policies."""
    from isegoria.solvers.fair_set.polytope import FairPolytope

    rows, weights, _ = instance.favourite_types
    return FairPolytope(to_dense(rows), weights / instance.total_weight)


class SupportGraph(NamedTuple):
    """Support graph: entry e says that the favourite type `owner[e]` has the favourite `arm[e]`, ordered by type.

    `weights` (m,) is how many agents each type stands for, `arms` the number of arms.
    """

    owner: np.ndarray
    arm: np.ndarray
    weights: np.ndarray
    arms: int

    def supporters(self, some: np.ndarray | None = None) -> np.ndarray:
        """Count the agents that have each arm as a favourite (K,); if `some` (m,) is given, only those of its types."""
        weights = self.weights if some is None else np.where(some, self.weights, 0)
        found = np.zeros(self.arms, dtype=np.int64)
        np.add.at(found, self.arm, weights[self.owner])
        return found

    def largest(self, values: np.ndarray) -> np.ndarray:
        """Return the maximum of `values` (K,) over each type's favourites (m,)."""
        starts = np.searchsorted(self.owner, np.arange(len(self.weights)))
        return np.asarray(np.maximum.reduceat(values[self.arm], starts))

    def meets(self, chosen: np.ndarray) -> np.ndarray:
        """Return (m,) booleans that mark the types with a favourite among the `chosen` arms (K,)."""
        return count_labels(self.owner[chosen[self.arm]], minlength=len(self.weights)) > 0

    def spent(self, entries: np.ndarray) -> np.ndarray:
        """Return what each arm gets (K,) if every type spreads its weight evenly over the arms of its `entries`.

        `entries` are booleans. The result is in units of agents, so it sums to the weight of the types that have such
        entries.
        """
        owner, arm = self.owner[entries], self.arm[entries]
        part = self.weights / np.maximum(count_labels(owner, minlength=len(self.weights)), 1)
        return count_labels(arm, part[owner], minlength=self.arms)


def support_graph(instance: Profile) -> SupportGraph:
    """Return the support graph of a dense, sparse or scanned table."""
    rows, weights, _ = instance.favourite_types
    owner, arm = rows.nonzero()  # row by row
    return SupportGraph(owner, arm, weights, len(instance.arms))


@cached_per_object
def favourite_shares(instance: Profile) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct favourite sets (m, K), in the order of `instance.favourite_types`, and their shares (m,).

    Membership is not computed, so that scoring many agents does not require sorting them.
    """
    if instance.favourite_codes is None:
        rows, weights, _ = instance.favourite_types
    else:
        codes, weights = instance.favourite_counts
        rows = unpack(codes, len(instance.arms))
    return rows, shares(weights)


def flow_network(instance: Profile) -> tuple[Network, np.ndarray]:
    """Return the `favourite_shares` as input of a flow: the network from favourite sets to arms, and the shares.

    The network is cached on the instance unless it is very large.
    """
    kept = _cached_flow_network(instance)
    if kept is not None:
        return kept
    rows, parts = favourite_shares(instance)
    return Network(rows), parts


@cached_per_object
def _cached_flow_network(instance: Profile) -> tuple[Network, np.ndarray] | None:
    rows, parts = favourite_shares(instance)
    return (Network(rows), parts) if rows.shape[0] * rows.shape[1] <= MAX_CACHED_LINKS else None
