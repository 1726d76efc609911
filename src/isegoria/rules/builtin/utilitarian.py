"""Utilitarian objective: maximise the total utility, by playing the arms of largest mean utility."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isegoria.profiles import Profile
from isegoria.rules.inputs import fair_polytope_within
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import inner, simplex_point
from isegoria.solvers.ties.selection import build_polytope, select_from_polytope
from isegoria.solvers.ties.tie_break import best_arms
from isegoria.utils import tolerances

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import FairPolytope


def evaluate(instance: Profile, policy: np.ndarray) -> float:
    """Return the mean utility Σ_k p_k c_k of `policy`."""
    return float(instance.arm_means @ policy)


def optimise(instance: Profile, tie_break: str = "centre", within: str | None = None) -> Solution:
    """Maximise the mean utility exactly: the best arms or, within the fair policies, each agent's best favourite."""
    c = instance.arm_means
    fair = fair_polytope_within(instance, within)
    if fair is None:
        found = best_arms(c, tolerances.OPTIMUM_TIE, tie_break == "vertex")
    else:
        found = _solve_fair(c, tie_break, fair, instance.copies)
    return require_certificate(
        Solution(found.policy, "utilitarian", found.value, found.gap, tie_break, found.margin, within),
        tolerances.OPTIMUM_TIE,
    )


def _solve_fair(c: np.ndarray, tie_break: str, fair: FairPolytope, copies: np.ndarray | None) -> SolverResult:
    """Put each type on its favourite of largest c; among such policies take the one that `tie_break` asks for."""
    best = fair.support(c)
    if tie_break == "vertex":
        chosen, margin = fair.corner(c), float("inf")
    else:
        optimal = (c, best - tolerances.OPTIMUM_TIE / 2)
        polytope = build_polytope(len(c), given=[optimal], separate=fair.separate, copies=copies)
        chosen, margin = select_from_polytope(lambda given: polytope, Selection("centre", c, copies))
    policy = simplex_point(chosen)
    if not fair.contains(policy):  # the set of optima is too thin for a projection
        policy, margin = simplex_point(fair.corner(c)), 0.0
    value = inner(c, policy)
    return SolverResult(policy, value, max(best - value, 0.0), margin)
