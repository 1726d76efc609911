"""The policy under which utilities vary least, among all or among the procedurally fair ones, and the choice of it."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair import Fair, climb
from isegoria.solvers.flat import centred_rows, fixed_directions
from isegoria.solvers.projection import Projection
from isegoria.solvers.quadratic_simplex import Variance
from isegoria.solvers.selection import choose
from isegoria.solvers.simplex import simplex_point


def least_variance(variance: Variance, tie_break: str, direction: np.ndarray) -> Answer:
    """The optimum among all policies: a vertex of the tied arms first, and then the choice if it is not unique."""
    policy, value, gap, reduced, curvature = variance.minimise(tolerances.SLOPE_TIE)
    if curvature <= tolerances.SURELY_CURVED:
        square_root = centred_rows(variance.rows, variance.weights)
        equal, curvature = fixed_directions(square_root, policy, reduced <= tolerances.SLOPE_TIE)
        if tie_break != "vertex" and len(equal) < len(policy) - 1:
            chosen, _ = choose(lambda given: Projection(len(policy), equal=equal, given=given), tie_break, direction)
            policy = simplex_point(chosen)
            value, gap, _ = variance.evaluate(policy)
    apart = reduced[reduced > tolerances.SLOPE_TIE / 2]
    return Answer(policy, value, gap, min(curvature, float(apart.min()) if apart.size else np.inf))


def least_fair_variance(variance: Variance, tie_break: str, direction: np.ndarray, fair: Fair) -> Answer:
    """The optimum among the `fair` policies, which share its utilities (up to a common shift) and its slope."""

    def master(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = Variance(np.ascontiguousarray(variance.rows @ corners.T), variance.weights).minimise(0)[0]
        policy = weights @ corners
        return policy, -variance.evaluate(policy)[2]

    policy, slope = climb(fair, fair.corner(direction), master)
    everywhere = np.ones(len(policy), dtype=bool)
    equal, curvature = fixed_directions(centred_rows(variance.rows, variance.weights), policy, everywhere)
    optimal = (slope, fair.support(slope) - tolerances.SLOPE_TIE)

    def build(given: list) -> Projection:
        return Projection(len(policy), equal=equal, given=[optimal, *given], separate=fair.separate)

    chosen, margin = choose(build, tie_break, direction)
    policy = simplex_point(chosen)
    value, _, slopes = variance.evaluate(policy)
    gap = max(fair.support(-slopes) + float(slopes @ policy), 0.0)
    return Answer(policy, value, gap, min(curvature, margin))
