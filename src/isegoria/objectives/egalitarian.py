"""Egalitarian: the policy under which the agent who gets least gets as much as possible."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.rules.inputs import choice, fair_policies
from isegoria.rules.solution import Solution, certified
from isegoria.solvers.answer import Answer
from isegoria.solvers.maximin.largest_total import largest_total
from isegoria.solvers.maximin.maximin import is_large, maximin
from isegoria.solvers.maximin.welfare import Least

LEAST = Least()


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The least utility min_i U_i(P)."""
    told = instance.least_welfare("egalitarian", policy)
    return float((instance.means @ policy).min()) if told is None else told


def optimise(instance: Instance, tie_break: str = "utilitarian", within: str | None = None) -> Solution:
    """The policy of largest least utility; the gap is the dual bound, a mixture of agents, minus the value."""
    found = instance.searched("egalitarian", tie_break, within) or _found(instance, tie_break, within)
    return certified(
        Solution(found.policy, "egalitarian", found.value, found.gap, tie_break, found.margin, within),
        tolerances.EGALITARIAN_GAP,
    )


def _found(instance: Instance, tie_break: str, within: str | None) -> Answer:
    if tie_break == "utilitarian" and within is None and not instance.is_sparse and not is_large(instance.means):
        found = largest_total(instance.means, instance.arm_means, instance.copies)
        if found is not None:
            return found
    return maximin(LEAST, instance.means, choice(instance, tie_break, within), fair_policies(instance, within))
