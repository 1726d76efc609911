"""Procedural: equal voice, by the largest product of the agents' decision shares (Definition 4, Theorem 1)."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.solvers.decision_shares import procedural_policy


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The geometric mean of the decision shares β_i(P), each counted with its weight."""
    return instance.nash_welfare(policy, of="shares").geometric_mean


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of the largest product of decision shares; with `within="procedural"` it is the same one."""
    types = instance.favourite_types
    direction = instance.weights @ instance.means / instance.total_weight if tie_break == "utilitarian" else None
    policy, gap, margin = procedural_policy(
        types.rows, types.weights, tie_break=tie_break, direction=direction
    )
    shares = types.rows @ policy
    value = float(np.exp(types.weights @ np.log(shares) / instance.total_weight))
    return certified(Solution(policy, "procedural", value, gap, tie_break, margin, within), tolerances.NASH_GAP)
