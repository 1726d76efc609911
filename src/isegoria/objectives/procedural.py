"""Procedural: equal voice, by the largest product of the agents' decision shares (Definition 4, Theorem 1)."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.objectives.utilitarian import arm_utilities
from isegoria.solvers.decision_shares import policy_of_sets, rows_of


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The geometric mean of the decision shares β_i(P), each counted with its weight."""
    return instance.nash_welfare(policy, of="shares").geometric_mean


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of the largest product of decision shares; with `within="procedural"` it is the same one."""
    rows, weights = _favourite_sets(instance)
    direction = arm_utilities(instance) if tie_break == "utilitarian" else None
    policy, gap, margin, value = policy_of_sets(rows, weights, tie_break, direction)
    return certified(Solution(policy, "procedural", value, gap, tie_break, margin, within), tolerances.NASH_GAP)


def _favourite_sets(instance: Instance) -> tuple[np.ndarray, np.ndarray]:
    """The distinct favourite sets as rows of 0.0 and 1.0, and how many agents have each."""
    if instance.favourite_codes is None:
        return instance.favourite_types.rows.astype(float), instance.favourite_types.weights
    codes, weights = instance.favourite_counts
    return rows_of(codes, len(instance.arms)), weights
