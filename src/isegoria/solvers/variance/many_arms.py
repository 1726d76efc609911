"""The least variance of utilities over thousands of arms, and of all policies that have it the one of least norm.

With the centred rows C, |Cp|² is the value of p. Where there are more arms than agents, the least value is nearly
always 0: the policy of least norm with Cp = 0 is a projection, whose dual has one variable for each agent. Else the
value plus a small multiple of |p|² is minimised, whose arms in play are those of the least norm, by exchanging blocks
of arms; then the multiple is driven to 0 on those arms (iterated Tikhonov), which keeps the norm least.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.rows.merge import merge_rows
from isegoria.solvers.algebra.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.ties.least_norm import least_norm
from isegoria.solvers.variance.moments import Moments

PULL = 1e-8  # the multiple of |p|², in units of the mean variance of an arm
MOST_EXCHANGES = 200
PATIENCE = 4  # exchanges of whole blocks that may bring nothing before one arm moves at a time
MOST_TURNS = 60


def least_variance_of_many(moments: Moments) -> Answer | None:
    """The `Answer` of least norm; None if it is not proved to be one, and another method must be asked."""
    agents, arms = moments.rows.shape
    found = _balanced(moments) if arms > agents else None
    if found is None:
        found = _pulled(moments)
    if found is None:
        return None
    answer = moments.answer(simplex_point(found[0]), found[1])
    return answer if answer.gap <= tolerances.INEQUALITY_GAP / 2 else None


def _balanced(moments: Moments) -> tuple[np.ndarray, float] | None:
    """(policy, margin) where all can have the same; None where no policy gives them that. Equal arms are merged."""
    centred = moments.square_root()
    columns, counts, member = merge_rows(np.ascontiguousarray(centred.T))
    found = least_norm(np.ascontiguousarray(columns.T), np.zeros(len(centred)), counts.astype(float))
    return None if found is None else (found.point[member], found.margin)


def _pulled(moments: Moments) -> tuple[np.ndarray, float] | None:
    """(policy, margin) by exchanging arms, with the matrix G."""
    matrix = moments.matrix()
    size = float(np.trace(matrix)) / len(matrix)
    if size <= 0:
        return np.full(len(matrix), 1 / len(matrix)), np.inf
    playing = np.ones(len(matrix), dtype=bool)
    fewest, patience = np.inf, PATIENCE
    for _ in range(MOST_EXCHANGES):
        policy, level, push = _on(matrix, PULL * size, np.flatnonzero(playing))
        slack = matrix @ policy - level
        tied = slack <= tolerances.SLOPE_TIE / 2
        wrong = np.where(playing, policy < -tolerances.VIOLATION, np.where(tied, push > 1e-9, slack < 0))
        count = int(wrong.sum())
        if count == 0:
            return policy, _margin(matrix, policy, slack, playing)
        fewest, patience = (count, PATIENCE) if count < fewest else (fewest, patience - 1)
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        playing ^= wrong
        if not playing.any():
            playing[np.argmin(np.diag(matrix))] = True
    return None


def _on(matrix: np.ndarray, pull: float, arms: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """(policy, level, push): the least norm on the listed arms, the slope that they share, and for every arm how much
    the norm would fall, per unit of `pull` and up to a factor, if it were played: at most 0 at the least norm."""
    inside = matrix[np.ix_(arms, arms)] + pull * np.eye(len(arms))
    inverse = np.linalg.inv(inside)
    ones = inverse.sum(axis=1)
    policy, push, level = np.zeros(len(matrix)), np.zeros(len(matrix)), 0.0
    for _ in range(MOST_TURNS):
        before = policy[arms]
        base = pull * (inverse @ before)
        level = (1 - base.sum()) / ones.sum()
        policy[arms] = base + level * ones
        push += level - matrix @ policy
        if np.abs(policy[arms] - before).max() <= tolerances.VIOLATION:
            break
    return policy, level, push / pull


def _margin(matrix: np.ndarray, policy, slack, playing) -> float:
    """The smallest slack, probability or curvature that was not counted as none."""
    arms = np.flatnonzero(playing)
    curvatures = np.linalg.eigvalsh(matrix[np.ix_(arms, arms)] + 1)
    return min(
        float(slack[slack > tolerances.SLOPE_TIE / 4].min(initial=np.inf)) * 2,
        float(policy[policy > tolerances.NEAR_ACTIVE].min(initial=np.inf)),
        float(curvatures[curvatures > tolerances.CURVATURE_TIE].min(initial=np.inf)),
    )
