"""Utilitarian: the policies of largest total utility, which play the arms of largest mean utility."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.rows.simplex import inner, simplex_point
from isegoria.rules.inputs import fair_policies
from isegoria.rules.solution import Solution, certified
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import choose
from isegoria.solvers.ties.tie_break import best_arms

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The mean utility Σ_k p_k c_k of `policy`."""
    return float(instance.arm_means @ policy)


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of largest mean utility, exactly: the best arms or, within the fair, each agent's best favourite."""
    c = instance.arm_means
    fair = fair_policies(instance, within)
    if fair is None:
        found = best_arms(c, tolerances.OPTIMUM_TIE, tie_break == "vertex")
    else:
        found = _among_fair(c, tie_break, fair, instance.copies)
    return certified(
        Solution(found.policy, "utilitarian", found.value, found.gap, tie_break, found.margin, within),
        tolerances.OPTIMUM_TIE,
    )


def _among_fair(c: np.ndarray, tie_break: str, fair: Fair, copies: np.ndarray | None) -> Answer:
    """Each type on its favourite of largest c, and among such policies the one that `tie_break` asks for."""
    best = fair.support(c)
    if tie_break == "vertex":
        chosen, margin = fair.corner(c), float("inf")
    else:
        optimal = (c, best - tolerances.OPTIMUM_TIE / 2)
        polytope = Projection(len(c), given=[optimal], separate=fair.separate, copies=copies)
        chosen, margin = choose(lambda given: polytope, Selection("centre", c, copies))
    policy = simplex_point(chosen)
    value = inner(c, policy)
    return Answer(policy, value, max(best - value, 0.0), margin)
