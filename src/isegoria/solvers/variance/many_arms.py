"""The least variance of utilities over thousands of arms, and of all policies that have it the one that is asked for.

Where there are more arms than agents, the least value is nearly always 0 and every arm can be played. Else the optimum
with a little of |p|² added says which arms cost more than others. The optima are policies on the others that agree in
every direction in which the value is curved (`optimal_face`), and the choice among them is a projection, whose dual has
one variable for each direction, or a corner.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.rows.merge import merge_rows
from isegoria.rows.simplex import simplex_point
from isegoria.solvers.algebra.block_pivoting import least_quadratic
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.ties.least_norm import least_norm
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.solvers.variance.moments import Moments
from isegoria.solvers.variance.optimal_face import Curvature, farthest, settled
from isegoria.solvers.variance.strictly_convex import only_optimum
from isegoria.threads import one_thread

SHRINK, LAST_RIDGE = 0.1, 1e-12  # how |p|² is counted, in units of an arm's mean variance: ever less, down to that


@one_thread()
def least_variance_of_many(moments: Moments, choice: Selection) -> Answer | None:
    """The `Answer`; None if it is not proved to be one, and another method must be asked."""
    curvature = Curvature(moments)
    agents, arms = moments.rows.shape
    if arms > agents:
        answer = _proved(moments, _chosen(curvature, np.arange(arms), choice))
    else:
        answer = _proved(moments, only_optimum(moments, curvature.matrix))
    return answer or _proved(moments, _unbalanced(curvature, choice))


def _proved(moments: Moments, found: tuple[np.ndarray, float] | None) -> Answer | None:
    """The answer that (policy, margin) is, if its gap is small enough."""
    if found is None:
        return None
    answer = moments.answer(simplex_point(found[0]), found[1])
    return answer if answer.gap <= tolerances.INEQUALITY_GAP / 2 else None


def _chosen(curvature: Curvature, tight: np.ndarray, choice: Selection) -> tuple[np.ndarray, float] | None:
    """(policy, margin): the choice where none of the `tight` arms is worse than others; None if some are. Equal ones
    are told once for the least norm."""
    face = curvature.face(tight)
    if choice.tie_break != TieBreak.CENTRE:
        return farthest(face, choice)
    columns, counts, member = merge_rows(np.ascontiguousarray(face.directions.T))
    found = least_norm(np.ascontiguousarray(columns.T), face.values, counts.astype(float))
    if found is None:
        return None
    policy, margin = settled(curvature, tight[found.point[member] > tolerances.NEAR_ACTIVE])
    return policy, min(margin, found.margin, curvature.towards_idle(policy))


def _unbalanced(curvature: Curvature, choice: Selection) -> tuple[np.ndarray, float] | None:
    """(policy, margin) where some get more than others, whatever is done."""
    scale, ridge, shrink = float(np.trace(curvature.matrix)) / len(curvature.matrix), 1.0, SHRINK
    found, pull = np.ones(len(curvature.matrix)), np.full(len(curvature.matrix), scale)
    while scale > 0 and ridge > LAST_RIDGE:
        ridge = max(ridge * shrink, LAST_RIDGE)
        ridged = curvature.matrix + ridge * scale * np.eye(len(pull))
        solved = least_quadratic(ridged, pull, found > 0, scale * tolerances.OPTIMUM_ROUNDING)
        if solved is None:
            break
        shrink = SHRINK if ((solved > 0) != (found > 0)).any() else shrink**2
        found = solved
    policy, margin = settled(curvature, np.flatnonzero(found))
    slopes = curvature.moments.evaluate(policy)[2]
    slack = slopes - slopes.min()
    tight = slack <= tolerances.SLOPE_TIE
    margin = min(margin, float(slack[slack > tolerances.SLOPE_TIE / 2].min(initial=np.inf)))
    if choice.tie_break == TieBreak.CENTRE and (policy[tight] > 0).all():
        return policy, margin
    chosen = _chosen(curvature, np.flatnonzero(tight), choice)
    return None if chosen is None else (chosen[0], min(chosen[1], margin))
