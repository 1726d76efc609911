"""Egalitarian objective (maximin): maximise the minimum utility."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Instance, Profile, is_streamed, require_instance
from isegoria.rules.inputs import fair_polytope_within, make_selection
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers.maximin.dispatch import is_large, solve_maximin
from isegoria.solvers.maximin.maximin_then_total import maximin_then_total
from isegoria.solvers.maximin.welfare_functions import MinimumWelfare
from isegoria.solvers.result import SolverResult
from isegoria.utils import tolerances

MINIMUM_WELFARE = MinimumWelfare()


def evaluate(instance: Profile, policy: np.ndarray) -> float:
    """Return the minimum utility min_i U_i(P)."""
    if is_streamed(instance):
        return instance.least_welfare("egalitarian", policy)
    return float((require_instance(instance).means @ policy).min())


def optimise(instance: Profile, tie_break: str = "utilitarian", within: str | None = None) -> Solution:
    """Maximise the minimum utility; the gap is the dual bound, from a mixture of agents, minus the value."""
    found = (
        instance.answer("egalitarian", tie_break, within)
        if is_streamed(instance)
        else _search(require_instance(instance), tie_break, within)
    )
    return require_certificate(
        Solution(found.policy, "egalitarian", found.value, found.gap, tie_break, found.margin, within),
        tolerances.EGALITARIAN_GAP,
    )


def _search(instance: Instance, tie_break: str, within: str | None) -> SolverResult:
    if tie_break == "utilitarian" and within is None and not instance.is_sparse and not is_large(instance.means):
        found = maximin_then_total(instance.means, instance.arm_means, instance.copies)
        if found is not None:
            return found
    return solve_maximin(
        MINIMUM_WELFARE,
        instance.means,
        make_selection(instance, tie_break, within),
        fair_polytope_within(instance, within),
    )
