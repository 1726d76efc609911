"""Minimise the variance where the optimum is unique: G is positive definite on the arms in play.

min pᵀGp over the simplex is min zᵀ(G + c11ᵀ)z/2 − Σz over z ≥ 0, scaled to sum 1, for any c > 0. Block principal
pivoting ends after about five factorisations of ever smaller matrices. A Newton step with slopes from the rows recovers
what the products in G have lost.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.algebra.block_pivoting import minimise_quadratic
from isegoria.solvers.variance.moments import StreamingVariance
from isegoria.utils import tolerances

GUESS_RIDGE = 0.03  # relative to an arm's mean variance; this ridge for the first guess saves two of seven exchanges
EIGENVALUE_PROBES = 4  # number of vectors that estimate the smallest eigenvalue
UNIQUENESS_MARGIN = 1e-9  # a smaller curvature, slack or probability is left to the tie-breaking solvers


def find_unique_optimum(moments: StreamingVariance, matrix: np.ndarray) -> tuple[np.ndarray, float] | None:
    """Return (policy, margin) of the only optimum, for G as a `matrix` (K, K); None if there may be several."""
    scale = float(np.trace(matrix)) / len(matrix)
    if scale <= 0:
        return None
    matrix = matrix + scale  # adds `scale` to every value, and keeps z bounded where the least is 0
    pull, lifted = np.full(len(matrix), scale), matrix + GUESS_RIDGE * scale * np.eye(len(matrix))
    try:
        z = minimise_quadratic(
            matrix, pull, np.linalg.solve(lifted, pull) > 0, scale * tolerances.NEAR_TIE, singly=False
        )
        if z is None or not z.any():
            return None
        arms, policy = np.flatnonzero(z > 0), z / z.sum()
        slopes, probes = (
            moments.evaluate(policy)[2],
            np.random.default_rng(0).standard_normal((len(arms), EIGENVALUE_PROBES)),
        )
        solved = np.linalg.solve(matrix[arms][:, arms], np.column_stack([slopes[arms] / 2, probes]))
    except np.linalg.LinAlgError:
        return None
    policy[arms] -= solved[:, 0] - policy[arms] * solved[:, 0].sum()
    slopes = moments.evaluate(policy)[2]
    slack = np.delete(slopes, arms) - float(slopes[arms] @ policy[arms])
    shrunk = np.linalg.norm(probes, axis=0) / np.linalg.norm(solved[:, 1:], axis=0)
    curvature = float(shrunk.min()) / np.sqrt(len(arms))  # the overlap of a probe with any direction
    margin = min(curvature, float(policy[arms].min()), float(slack.min(initial=np.inf)))
    return (policy, margin) if margin > UNIQUENESS_MARGIN else None
