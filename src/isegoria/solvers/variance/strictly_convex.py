"""The least variance where it has one policy only: G is positive definite on the arms in play, and the others cost.

min pᵀGp over the simplex is min zᵀGz/2 − Σz over z ≥ 0, scaled to sum 1. Block principal pivoting exchanges all arms
that are out of place at once; it ends after some five factorisations of ever smaller matrices. A step of Newton's
method with slopes from the rows makes up for what the products in G have lost.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from isegoria import tolerances
from isegoria.solvers.variance.moments import Moments

MOST_EXCHANGES = 30
PATIENCE = 4  # exchanges that may bring nothing before another method is asked
GUESS = 0.03  # of an arm's mean variance: a ridge for the first guess, which saves two of seven exchanges
PROBES = 4  # vectors by which the smallest eigenvalue is estimated
CLEAR = 1e-9  # a curvature, a slack or a probability below is left to those who choose among ties


def only_optimum(moments: Moments, matrix: np.ndarray) -> tuple[np.ndarray, float] | None:
    """(policy, margin) of the only optimum, for G as a `matrix` (K, K); None where there may be several."""
    scale = float(np.trace(matrix)) / len(matrix)
    if scale <= 0:
        return None
    try:
        found = _in_play(matrix, scale)
    except np.linalg.LinAlgError:
        return None
    if found is None:
        return None
    arms, solved, probes = found
    policy = np.zeros(len(matrix))
    policy[arms] = solved[:, 0] / solved[:, 0].sum()
    _, gap, slopes = moments.evaluate(policy)
    if gap > tolerances.OPTIMUM_ROUNDING * scale:  # what the products have lost, by a step of Newton's method
        step, ones = np.linalg.solve(matrix[np.ix_(arms, arms)], slopes[arms] / 2), solved[:, 0]
        policy[arms] -= step - ones * (step.sum() / ones.sum())
        slopes = moments.evaluate(policy)[2]
    slack = np.delete(slopes, arms) - float(slopes[arms] @ policy[arms])
    shrunk = np.linalg.norm(probes, axis=0) / np.linalg.norm(solved[:, 1:], axis=0)
    curvature = float(shrunk.min()) / np.sqrt(len(arms))  # a probe shares that much with any direction
    margin = min(curvature, float(policy[arms].min()), float(slack.min(initial=np.inf)))
    return (policy, margin) if margin > CLEAR else None


@lru_cache(maxsize=1)
def _probes(arms: int) -> np.ndarray:
    """(K, PROBES) directions at random, always the same."""
    return np.random.default_rng(0).standard_normal((arms, PROBES))


def _in_play(matrix: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(arms, solved, probes): the n arms that the z ≥ 0 of least zᵀGz/2 − scale Σz plays, z and what the inverse of G
    on them makes of some `probes` (n, PROBES), as columns of `solved`; None if the exchanges do not end."""
    free, fewest, patience = np.ones(len(matrix), dtype=bool), len(matrix) + 1, PATIENCE
    aims = np.column_stack([np.full(len(matrix), scale), _probes(len(matrix))])
    for _ in range(MOST_EXCHANGES):
        arms = np.flatnonzero(free)
        rows = matrix[arms]
        inside = rows[:, arms]
        if fewest > len(matrix):  # a first guess on all arms: as many as agents leave G without an inverse
            inside.flat[:: len(arms) + 1] += GUESS * scale
        solved = np.linalg.solve(inside, aims[arms])
        wrong = solved[:, 0] @ rows < scale * (1 - tolerances.NEAR_TIE)
        wrong[arms] = solved[:, 0] < 0
        count = int(wrong.sum())
        if count == 0 and fewest <= len(matrix):
            return arms, solved, aims[arms, 1:]
        fewest, patience = (count, PATIENCE) if count < fewest else (fewest, patience - 1)
        free ^= wrong
        if patience < 0 or not free.any():
            break
    return None
