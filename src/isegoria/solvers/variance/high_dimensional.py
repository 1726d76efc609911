"""Minimise the variance of utilities over thousands of arms, and choose among the optima.

With more arms than agents, the minimum is nearly always 0 and every arm can be played. Otherwise the optimum with a
small ridge |p|² shows which arms cost more than others. The optima are policies on the other arms that agree in every
direction in which the value is curved (`optimal_face`). The choice among them is a projection, whose dual has one
variable for each direction, or a vertex.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.algebra.block_pivoting import minimise_quadratic
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.merge import merge_rows
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.equation_face import select_on_face
from isegoria.solvers.ties.least_norm import least_norm
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.solvers.variance.moments import StreamingVariance
from isegoria.solvers.variance.optimal_face import Curvature, least_norm_on
from isegoria.solvers.variance.strictly_convex import find_unique_optimum
from isegoria.utils import tolerances
from isegoria.utils.threads import single_blas_thread

RIDGE_SHRINK_FACTOR, LAST_RIDGE = (
    0.1,
    1e-12,
)  # weight of |p|², in units of an arm's mean variance: it shrinks by the factor, down to the last


@single_blas_thread()
def minimise_variance_high_dimensional(moments: StreamingVariance, choice: Selection) -> SolverResult | None:
    """Return the `SolverResult`; None if it is not proved, so that another method is needed."""
    curvature = Curvature(moments)
    agents, arms = moments.rows.shape
    if arms > agents:
        answer = _certify(moments, _break_ties(curvature, np.arange(arms), choice))
    else:
        answer = _certify(moments, find_unique_optimum(moments, curvature.matrix))
    return answer or _certify(moments, _follow_ridge_path(curvature, choice))


def _certify(moments: StreamingVariance, found: tuple[np.ndarray, float] | None) -> SolverResult | None:
    """Return the answer of (policy, margin), if its gap is small enough; else None."""
    if found is None:
        return None
    answer = moments.answer(simplex_point(found[0]), found[1])
    return answer if answer.gap <= tolerances.INEQUALITY_GAP / 2 else None


def _break_ties(curvature: Curvature, tight: np.ndarray, choice: Selection) -> tuple[np.ndarray, float] | None:
    """Return (policy, margin): the choice if no `tight` arm is worse than others; else None.

    Duplicate arms are merged for the minimum norm.
    """
    face = curvature.face(tight)
    if choice.tie_break != TieBreak.CENTRE:
        return select_on_face(face, choice)
    columns, counts, member = merge_rows(np.ascontiguousarray(face.directions.T))
    found = least_norm(np.ascontiguousarray(columns.T), face.values, counts.astype(float))
    if found is None:
        return None
    policy, margin = least_norm_on(curvature, tight[found.point[member] > tolerances.NEAR_ACTIVE])
    return policy, min(margin, found.margin, curvature.towards_idle(policy))


def _follow_ridge_path(curvature: Curvature, choice: Selection) -> tuple[np.ndarray, float] | None:
    """Return (policy, margin) if utilities cannot be made equal."""
    scale, ridge, shrink = float(np.trace(curvature.matrix)) / len(curvature.matrix), 1.0, RIDGE_SHRINK_FACTOR
    found, pull = np.ones(len(curvature.matrix)), np.full(len(curvature.matrix), scale)
    while scale > 0 and ridge > LAST_RIDGE:
        ridge = max(ridge * shrink, LAST_RIDGE)
        ridged = curvature.matrix + ridge * scale * np.eye(len(pull))
        solved = minimise_quadratic(ridged, pull, found > 0, scale * tolerances.OPTIMUM_ROUNDING)
        if solved is None:
            break
        shrink = RIDGE_SHRINK_FACTOR if ((solved > 0) != (found > 0)).any() else shrink**2
        found = solved
    policy, margin = least_norm_on(curvature, np.flatnonzero(found))
    slopes = curvature.moments.evaluate(policy)[2]
    slack = slopes - slopes.min()
    tight = slack <= tolerances.SLOPE_TIE
    margin = min(margin, float(slack[slack > tolerances.SLOPE_TIE / 2].min(initial=np.inf)))
    if choice.tie_break == TieBreak.CENTRE and (policy[tight] > 0).all():
        return policy, margin
    chosen = _break_ties(curvature, np.flatnonzero(tight), choice)
    return None if chosen is None else (chosen[0], min(chosen[1], margin))
