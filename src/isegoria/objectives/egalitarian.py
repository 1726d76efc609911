"""Egalitarian: the policy under which the agent who gets least gets as much as possible."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.inputs import direction, fair_policies
from isegoria.objectives.solution import Solution, certified, scanned
from isegoria.solvers.maximin.maximin import maximin
from isegoria.solvers.maximin.welfare import Least

LEAST = Least()


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The least utility min_i U_i(P)."""
    return instance.least_welfare("egalitarian", policy) if instance.is_scan else float((instance.means @ policy).min())


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of largest least utility; the gap is the dual bound, a mixture of agents, minus the value."""
    if instance.is_scan:
        return scanned(instance, "egalitarian", tie_break, within, tolerances.EGALITARIAN_GAP)
    towards, fair = direction(instance, tie_break, within), fair_policies(instance, within)
    found = maximin(
        LEAST if instance.copies is None else Least(copies=instance.copies), instance.means, tie_break, towards, fair
    )
    return certified(
        Solution(found.policy, "egalitarian", found.value, found.gap, tie_break, found.margin, within),
        tolerances.EGALITARIAN_GAP,
    )
