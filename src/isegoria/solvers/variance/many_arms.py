"""The least variance of utilities over thousands of arms, and of all policies that have it the one that is asked for.

Where there are more arms than agents, the least value is nearly always 0 and every arm can be played: the policy of
least norm that gives everybody the same is a projection, whose dual has one variable for each agent. Else exchanges of
blocks of arms say which are played, and the optima are a face of the simplex (`optimal_face`).
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.rows.merge import merge_rows
from isegoria.rows.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.threads import one_thread
from isegoria.solvers.ties.least_norm import least_norm
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.solvers.variance.block_exchanges import arms_of_least_norm
from isegoria.solvers.variance.moments import Moments
from isegoria.solvers.variance.optimal_face import Curvature, Face, farthest, settled
from isegoria.solvers.variance.strictly_convex import only_optimum


@one_thread()
def least_variance_of_many(moments: Moments, tie_break: str, direction: np.ndarray) -> Answer | None:
    """The `Answer`; None if it is not proved to be one, and another method must be asked."""
    curvature = Curvature(moments)
    agents, arms = moments.rows.shape
    answer = None
    if arms > agents:
        answer = _proved(moments, _balanced(curvature, tie_break, direction))
    else:
        answer = _proved(moments, only_optimum(moments, curvature.matrix))
    return answer or _proved(moments, _unbalanced(curvature, tie_break, direction))


def _proved(moments: Moments, found: tuple[np.ndarray, float] | None) -> Answer | None:
    """The answer that (policy, margin) is, if its gap is small enough."""
    if found is None:
        return None
    answer = moments.answer(simplex_point(found[0]), found[1])
    return answer if answer.gap <= tolerances.INEQUALITY_GAP / 2 else None


def _balanced(curvature: Curvature, tie_break: str, direction: np.ndarray) -> tuple[np.ndarray, float] | None:
    """(policy, margin) where no arm is worse than others, as where all can have the same; None where some are."""
    face = curvature.face(np.arange(curvature.moments.rows.shape[1]))
    if tie_break != TieBreak.CENTRE:
        return farthest(face, tie_break, direction)
    played = _arms_in_play(face)
    if played is None:
        return None
    policy, margin = settled(curvature, played[0])
    return policy, min(margin, played[1], curvature.towards_idle(policy))


def _arms_in_play(face: Face) -> tuple[np.ndarray, float] | None:
    """(arms, margin): those that the policy of least norm plays; equal ones are merged first."""
    columns, counts, member = merge_rows(np.ascontiguousarray(face.directions.T))
    found = least_norm(np.ascontiguousarray(columns.T), face.values, counts.astype(float))
    return None if found is None else (np.flatnonzero(found.point[member] > tolerances.NEAR_ACTIVE), found.margin)


def _unbalanced(curvature: Curvature, tie_break: str, direction: np.ndarray) -> tuple[np.ndarray, float] | None:
    """(policy, margin) where some get more than others, whatever is done."""
    policy, margin = settled(curvature, arms_of_least_norm(curvature.matrix))
    slopes = curvature.moments.evaluate(policy)[2]
    slack = slopes - slopes.min()
    margin = min(margin, float(slack[slack > tolerances.SLOPE_TIE / 2].min(initial=np.inf)))
    tight = np.flatnonzero(slack <= tolerances.SLOPE_TIE)
    if tie_break == TieBreak.CENTRE:
        return (policy, margin) if (policy[tight] > 0).all() else _shorter(curvature, tight, policy, margin)
    chosen = farthest(curvature.face(tight), tie_break, direction)
    return None if chosen is None else (chosen[0], min(chosen[1], margin))


def _shorter(curvature: Curvature, tight: np.ndarray, policy: np.ndarray, margin: float) -> tuple[np.ndarray, float]:
    """(policy, margin): the least norm where arms that might be played are not, if exchanges missed it: arms that are
    alike but for rounding may go in and out of play without end."""
    face = curvature.face(tight)
    found = least_norm(face.directions, face.values, np.ones(len(tight)))
    if found is None or float(policy @ policy) <= float(found.point @ found.point) + tolerances.OPTIMUM_TIE:
        return policy, margin
    chosen = np.zeros(len(policy))
    chosen[tight] = np.where(found.point > tolerances.NEAR_ACTIVE, found.point, 0.0)
    return chosen, min(margin, found.margin, face.margin)
