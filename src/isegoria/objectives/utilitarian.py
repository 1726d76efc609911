"""Utilitarian: the policies of largest total utility, which play the arms of largest mean utility."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.objectives.voices import arm_utilities, fair_policies
from isegoria.solvers.projection import Projection
from isegoria.solvers.selection import choose
from isegoria.solvers.simplex import best_arms, inner, simplex_point


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The mean utility Σ_k p_k c_k of `policy`."""
    return float(arm_utilities(instance) @ policy)


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of largest mean utility, exactly: the best arms or, within the fair, each agent's best favourite."""
    c = arm_utilities(instance)
    fair = fair_policies(instance, within)
    if fair is None:
        policy, best, margin = best_arms(c, tolerances.OPTIMUM_TIE, tie_break == "vertex")
    else:
        policy, best, margin = _among_fair(c, tie_break, fair)
    value = inner(c, policy)
    solution = Solution(policy, "utilitarian", value, max(best - value, 0.0), tie_break, margin, within)
    return certified(solution, tolerances.OPTIMUM_TIE)


def _among_fair(c: np.ndarray, tie_break: str, fair) -> tuple[np.ndarray, float, float]:
    """Each type on its favourite of largest c, and among such policies the one that `tie_break` asks for."""
    best = fair.support(c)
    if tie_break == "vertex":
        return simplex_point(fair.corner(c)), best, float("inf")
    optimal = (c, best - tolerances.OPTIMUM_TIE / 2)
    polytope = Projection(len(c), given=[optimal], separate=fair.separate)
    chosen, margin = choose(lambda given: polytope, "centre", c)
    return simplex_point(chosen), best, margin
