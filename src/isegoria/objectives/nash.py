"""Nash: the largest product of the agents' utilities; an agent whose means are all 0 is left out of the product."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.objectives.utilitarian import arm_utilities
from isegoria.objectives.voices import fair_policies
from isegoria.solvers.fair_nash import nash_within
from isegoria.solvers.log_simplex import maximise


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The geometric mean of the utilities U_i(P) of the agents with a positive mean, each counted with its weight."""
    return instance.nash_welfare(policy).geometric_mean


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of the largest product of utilities; if every mean is 0, all policies are optimal, with value 0."""
    rows, weights, _ = instance.types
    best = rows.max(axis=1)
    if not best.all():
        counted = best > 0
        rows, weights, best = rows[counted], weights[counted], best[counted]
    if not len(rows):
        k = instance.means.shape[1]
        return certified(Solution(np.full(k, 1 / k), "nash", 0.0, 0.0, tie_break, within=within), tolerances.NASH_GAP)
    direction = arm_utilities(instance) if tie_break == "utilitarian" else None
    fair = fair_policies(instance, within)
    scaled, shares = rows / best[:, None], weights / weights.sum()
    if fair is not None:
        policy, gap, margin = nash_within(scaled, shares, fair, tie_break, arm_utilities(instance))
    else:
        policy, gap, margin = maximise(scaled, shares, tie_break, direction)
    logs = np.log(best) + np.log(scaled @ policy)  # in two parts: their product may underflow
    value = float(np.exp(shares @ logs))
    return certified(Solution(policy, "nash", value, max(gap, 0.0), tie_break, margin, within), tolerances.NASH_GAP)
