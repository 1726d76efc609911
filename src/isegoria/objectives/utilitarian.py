"""Utilitarian: the policies of largest total utility, which play the arms of largest mean utility."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.solvers.simplex import simplex_point


def arm_utilities(instance: Instance) -> np.ndarray:
    """(K,) mean utilities c_k = Σ_i (w_i/W) means[i, k] of playing each arm alone."""
    return instance.weights @ instance.means / instance.total_weight


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The mean utility Σ_k p_k c_k of `policy`."""
    return float(arm_utilities(instance) @ policy)


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of largest mean utility: uniform over the tied arms, or the first of them for `vertex`."""
    c = arm_utilities(instance)
    slack = c.max() - c
    tied = slack <= tolerances.OPTIMUM_TIE
    if tie_break == "vertex":
        tied = np.arange(len(c)) == tied.argmax()
    policy = simplex_point(tied)
    value = float(c @ policy)
    rest = slack[slack > tolerances.OPTIMUM_TIE]
    margin = float(rest.min()) if rest.size else float("inf")
    solution = Solution(policy, "utilitarian", value, max(float(c.max()) - value, 0.0), tie_break, margin)
    return certified(solution, 2 * tolerances.OPTIMUM_TIE)
