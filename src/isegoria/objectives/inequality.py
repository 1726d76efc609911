"""Inequality minimisation: the policy under which the agents' utilities differ least."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified
from isegoria.objectives.utilitarian import arm_utilities
from isegoria.solvers.flat import level_rows
from isegoria.solvers.projection import Projection
from isegoria.solvers.quadratic_simplex import Variance
from isegoria.solvers.selection import choose
from isegoria.solvers.simplex import simplex_point


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """D(P): twice the sample variance of the W agents' utilities, their mean squared difference over pairs."""
    return _variance(instance).evaluate(np.ascontiguousarray(policy, dtype=float))[0]


def spread(instance: Instance) -> np.ndarray:
    """(K, K) the matrix G of D(P) = pᵀGp."""
    return _variance(instance).matrix()


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of least D(P); the gap is p·∇D − min_k ∇_k D."""
    variance = _variance(instance)
    equal: list = [None] * len(instance.arms)  # a unique optimum, unless the curvature leaves doubt
    policy, value, gap, reduced, curvature = variance.minimise(tolerances.SLOPE_TIE)
    if curvature <= tolerances.SURELY_CURVED:
        tied = reduced <= tolerances.SLOPE_TIE
        equal, curvature = level_rows(variance.rows, variance.weights, tied, policy)
    if tie_break != "vertex" and len(equal) < len(policy) - 1:

        def build(given: list) -> Projection:
            return Projection(len(policy), equal=equal, given=given)

        policy, _ = choose(build, tie_break, arm_utilities(instance))
        policy = simplex_point(policy)
        value, gap, _ = variance.evaluate(policy)
    apart = reduced[reduced > tolerances.SLOPE_TIE / 2]
    margin = min(curvature, float(apart.min()) if apart.size else np.inf)
    return certified(
        Solution(policy, "inequality", value, gap, tie_break, margin, within), tolerances.INEQUALITY_GAP
    )


def _variance(instance: Instance) -> Variance:
    rows, weights, _ = instance.types
    return Variance(rows, weights.astype(float))
