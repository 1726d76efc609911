"""The least variance where it has one policy only: G is positive definite on the arms in play, and the others cost.

min pᵀGp over the simplex is min zᵀGz/2 − Σz over z ≥ 0, scaled to sum 1. Block principal pivoting ends after some five
factorisations of ever smaller matrices. A step of Newton's method with slopes from the rows makes up for what the
products in G have lost.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.algebra.block_pivoting import least_quadratic
from isegoria.solvers.variance.moments import Moments

GUESS = 0.03  # of an arm's mean variance: a ridge for the first guess, which saves two of seven exchanges
PROBES = 4  # vectors by which the smallest eigenvalue is estimated
CLEAR = 1e-9  # a curvature, a slack or a probability below is left to those who choose among ties


def only_optimum(moments: Moments, matrix: np.ndarray) -> tuple[np.ndarray, float] | None:
    """(policy, margin) of the only optimum, for G as a `matrix` (K, K); None where there may be several."""
    scale = float(np.trace(matrix)) / len(matrix)
    if scale <= 0:
        return None
    pull, lifted = np.full(len(matrix), scale), matrix + GUESS * scale * np.eye(len(matrix))
    try:
        z = least_quadratic(matrix, pull, np.linalg.solve(lifted, pull) > 0, scale * tolerances.NEAR_TIE, singly=False)
        if z is None or not z.any():
            return None
        arms, policy = np.flatnonzero(z > 0), z / z.sum()
        slopes, probes = moments.evaluate(policy)[2], np.random.default_rng(0).standard_normal((len(arms), PROBES))
        solved = np.linalg.solve(matrix[arms][:, arms], np.column_stack([slopes[arms] / 2, probes]))
    except np.linalg.LinAlgError:
        return None
    policy[arms] -= solved[:, 0] - policy[arms] * solved[:, 0].sum()
    slopes = moments.evaluate(policy)[2]
    slack = np.delete(slopes, arms) - float(slopes[arms] @ policy[arms])
    shrunk = np.linalg.norm(probes, axis=0) / np.linalg.norm(solved[:, 1:], axis=0)
    curvature = float(shrunk.min()) / np.sqrt(len(arms))  # a probe shares that much with any direction
    margin = min(curvature, float(policy[arms].min()), float(slack.min(initial=np.inf)))
    return (policy, margin) if margin > CLEAR else None
