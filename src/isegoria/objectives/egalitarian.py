"""Egalitarian: the policy under which the agent who gets least gets as much as possible."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.objectives.utilitarian import arm_utilities
from isegoria.objectives.voices import fair_policies
from isegoria.solvers.cuts import Rows
from isegoria.solvers.maximin import maximin


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The least utility min_i U_i(P)."""
    return float((instance.means @ policy).min())


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of largest least utility; the gap is the dual bound, a mixture of agents, minus the value."""
    rows, direction = instance.types.rows, arm_utilities(instance)
    found = maximin(Rows, rows, tie_break, direction, fair_policies(instance, within))
    return certified(
        Solution(found.policy, "egalitarian", found.value, found.gap, tie_break, found.margin, within),
        tolerances.EGALITARIAN_GAP,
    )
