"""Procedural: equal voice, by the largest product of the agents' decision shares (Definition 4, Theorem 1)."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.rows.codes import unpack
from isegoria.rows.listed import Listed
from isegoria.rows.lists import list_entries
from isegoria.solvers.nash.decision_shares import policy_of_codes
from isegoria.solvers.nash.many_arms import sets_of_many_arms


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The geometric mean of the decision shares β_i(P), each counted with its weight."""
    return instance.nash_welfare(policy, of="shares").geometric_mean


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of the largest product of decision shares; with `within="procedural"` it is the same one."""
    direction = instance.arm_means if tie_break == "utilitarian" else None
    if instance.favourite_codes is None:
        sets, weights, _ = instance.favourite_sets
        found = sets_of_many_arms(sets, weights, tie_break, direction)
    else:
        codes, weights = instance.favourite_counts
        try:
            found = policy_of_codes(codes, weights, len(instance.arms), tie_break, direction)
        except CertificationError:  # the last resort, which always converges
            rows = Listed(*list_entries(unpack(codes, len(instance.arms)).astype(float))[:2], None, len(instance.arms))
            found = sets_of_many_arms(rows, weights, tie_break, direction)
    return certified(
        Solution(found.policy, "procedural", found.value, found.gap, tie_break, found.margin, within),
        tolerances.NASH_GAP,
    )
