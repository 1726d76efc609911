"""Procedural: equal voice, by the largest product of the agents' decision shares (Definition 4, Theorem 1)."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.instance import Instance
from isegoria.rules.inputs import choice
from isegoria.rules.solution import Solution, certified
from isegoria.solvers.answer import Answer
from isegoria.solvers.nash.decision_shares import policy_of_codes


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The geometric mean of the decision shares β_i(P), each counted with its weight."""
    return instance.nash_welfare(policy, of="shares").geometric_mean


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of the largest product of decision shares; with `within="procedural"` it is the same one."""
    if instance.favourite_codes is None:
        found = _on_lists(instance, tie_break)
    else:
        codes, weights = instance.favourite_counts
        direction = instance.arm_means if tie_break == "utilitarian" else None
        try:
            found = policy_of_codes(codes, weights, len(instance.arms), tie_break, direction)
        except CertificationError:
            found = _on_lists(instance, tie_break)
    return certified(
        Solution(found.policy, "procedural", found.value, found.gap, tie_break, found.margin, within),
        tolerances.NASH_GAP,
    )


def _on_lists(instance: Instance, tie_break: str) -> Answer:
    """The answer for many arms, and the last resort for few."""
    from isegoria.solvers.nash.many_arms import sets_of_many_arms

    sets, weights, _ = instance.favourite_sets
    return sets_of_many_arms(sets, weights, choice(instance, tie_break))
