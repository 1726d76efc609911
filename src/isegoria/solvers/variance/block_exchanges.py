"""Which arms the policy of least variance and then of least norm plays, by exchanging whole blocks of them.

The value plus a small multiple of |p|² is minimised on the arms in play; then the multiple is driven to 0 on them
(iterated Tikhonov), which keeps the norm least. Arms that would play less than nothing leave, arms that would lower the
value or the norm join, all at once while that helps and one at a time when it does not.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances

PULL = 1e-8  # the multiple of |p|², in units of the mean variance of an arm
MOST_EXCHANGES = 200
PATIENCE = 4  # exchanges of whole blocks that may bring nothing before one arm moves at a time
MOST_TURNS = 60


def arms_of_least_norm(matrix: np.ndarray) -> np.ndarray:
    """(n,) the arms that the least norm plays among the least pᵀGp, or those last in play if the exchanges do not end.

    >>> arms_of_least_norm(np.diag([1.0, 1.0, 4.0]) + 0.5).tolist()
    [0, 1, 2]
    """
    size = float(np.trace(matrix)) / len(matrix)
    playing = np.ones(len(matrix), dtype=bool)
    if size <= 0:
        return np.flatnonzero(playing)
    fewest, patience = np.inf, PATIENCE
    for _ in range(MOST_EXCHANGES):
        policy, level, push = _on(matrix, PULL * size, np.flatnonzero(playing))
        slack = matrix @ policy - level
        tied = slack <= tolerances.SLOPE_TIE / 2
        wrong = np.where(playing, policy < -tolerances.VIOLATION, np.where(tied, push > 1e-9, slack < 0))
        count = int(wrong.sum())
        if count == 0:
            return np.flatnonzero(policy > tolerances.NEAR_ACTIVE)
        fewest, patience = (count, PATIENCE) if count < fewest else (fewest, patience - 1)
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        playing ^= wrong
        if not playing.any():
            playing[np.argmin(np.diag(matrix))] = True
    return np.flatnonzero(policy > tolerances.NEAR_ACTIVE)


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
