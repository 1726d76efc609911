"""The first pass, reduced over the chunks: the starting point of everything else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.out_of_core.map_tasks import (
    AgentRows,
    ChunkSummary,
    MapTask,
    Search,
    concat_agents,
    exact_sum,
    summarise_chunk,
)
from isegoria.solvers.rows.codes import pack, unpack
from isegoria.solvers.rows.duplicate_arms import DuplicateArms
from isegoria.solvers.rows.merge import merge_codes, merge_rows
from isegoria.solvers.variance.covariance import UtilityCovariance, covariance_from_moments

MAX_FAVOURITE_SETS = 1_000_000
"""Distinct favourite sets that are counted; beyond it a table says more than its sets."""


class ProfileSummary(NamedTuple):
    """Sums over all rows of a table of K arms.

    - `weight`: the number of agents W; `nothing`: how many of them have means that are all 0.
    - `gap`: the smallest distance from an agent's best that is not a tie.
    - `sets`, `counts`: the distinct favourite sets, as codes (m,) or rows (m, K), and how many agents have each.
    - `means` (K,): the average mean of each arm; `spread`: the variation between agents, with the G of D(P) = pᵀGp.
    - `sample`, `worst`: some agents, and the worst-off agents under the uniform policy.
    - `kinds`: the groups of duplicate arms, None if there are none. After they are merged, `copies` (K,) is the number
      of arms that each one represents.
    """

    weight: int
    nothing: float
    gap: float
    sets: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    spread: UtilityCovariance
    sample: AgentRows
    worst: AgentRows
    kinds: DuplicateArms | None = None
    copies: np.ndarray | None = None

    def told_once(self) -> ProfileSummary:
        """Return the same result with duplicate arms merged."""
        assert self.kinds is not None
        arms = self.kinds.first
        rows = unpack(self.sets, len(self.means)) if self.sets.ndim == 1 else self.sets
        rows = np.ascontiguousarray(rows[:, arms])
        some, worst = (agents._replace(rows=agents.rows[:, arms]) for agents in (self.sample, self.worst))
        return self._replace(
            sets=rows.astype(float) if len(arms) > 64 else pack(rows.astype(bool)),
            means=self.means[arms],
            spread=UtilityCovariance(self.weight, self.means[arms], self.spread.matrix[np.ix_(arms, arms)]),
            sample=some,
            worst=worst,
            kinds=None,
            copies=self.kinds.copies,
        )


def summarise_profile(tolerance: float) -> Search[ProfileSummary]:
    """Run one pass as a generator; return `ProfileSummary`."""
    answers: list[ChunkSummary] = yield MapTask(summarise_chunk, (tolerance,))
    weight = sum(unit.weight for unit in answers)
    means = exact_sum([part for unit in answers for part in (unit.high, unit.low)]) / weight
    lower = exact_sum([unit.moments for unit in answers])
    moments = np.tril(lower) + np.tril(lower, -1).T
    sets, counts = _merge_favourite_sets(answers)
    return ProfileSummary(
        weight,
        float(exact_sum([unit.nothing for unit in answers])),
        min(unit.gap for unit in answers),
        sets,
        counts,
        means,
        covariance_from_moments(weight, means, moments),
        concat_agents([unit.sample for unit in answers]),
        concat_agents([unit.worst for unit in answers]),
        _find_duplicate_arms(np.array([unit.alike for unit in answers])),
    )


def _find_duplicate_arms(alike: np.ndarray) -> DuplicateArms | None:
    """Return the groups of arms that are duplicates in every chunk, a row of `alike` (U, K) each; else None."""
    if (alike == np.arange(alike.shape[1])).all(axis=0).all():
        return None
    member = np.unique(alike, axis=1, return_inverse=True)[1].ravel()
    return DuplicateArms.of(member) if member.max() + 1 < len(member) else None


def _merge_favourite_sets(answers: list[ChunkSummary]) -> tuple[np.ndarray, np.ndarray]:
    """Merge the distinct favourite sets of all chunks, with their counts."""
    sets = np.concatenate([unit.sets for unit in answers])
    counts = np.concatenate([unit.counts for unit in answers])
    merged = merge_codes(sets, counts) if sets.ndim == 1 else merge_rows(np.ascontiguousarray(sets), counts)
    if len(merged[0]) > MAX_FAVOURITE_SETS:
        raise InputError(
            f"the table has {len(merged[0]):,} different favourite sets, more than {MAX_FAVOURITE_SETS:,}; ties "
            "at the top that "
            "differ from agent to agent cause this. Raise tie_tolerance, merge arms, or scan a sample of the rows."
        )
    return merged[0], merged[1]
