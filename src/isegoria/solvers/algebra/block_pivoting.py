"""Block principal pivoting by LAPACK, for matrices of hundreds of rows; kernels have `nash/principal_pivoting`."""

from __future__ import annotations

import numpy as np

MOST_EXCHANGES = 50
PATIENCE = 3  # exchanges of whole blocks that may bring nothing


def least_quadratic(
    matrix: np.ndarray, pull: np.ndarray, playing: np.ndarray, noise: float, singly: bool = True
) -> np.ndarray | None:
    """(n,) the z ≥ 0 of least zᵀHz/2 − pull·z, from a guess (n,) which entries are `playing`; None if it is not found.

    All that is out of place is exchanged at once. Where that brings nothing, one entry is at a time, or if not `singly`
    the search is given up. A slope is out of place below −`noise` for each unit of z, and for one at least.

    >>> least_quadratic(np.eye(2), np.array([1.0, -1.0]), np.ones(2, dtype=bool), 0.0).tolist()
    [1.0, 0.0]
    """
    free, fewest, patience = playing.copy(), len(pull) + 1, PATIENCE
    for _ in range(MOST_EXCHANGES):
        z, inside = np.zeros(len(pull)), np.flatnonzero(free)
        rows = matrix[inside]
        if len(inside):
            z[inside] = np.linalg.solve(rows[:, inside], pull[inside])
        wrong = np.where(free, z < 0, z[inside] @ rows - pull < -noise * max(1.0, z.sum()))
        count = int(wrong.sum())
        if count == 0:
            return z
        fewest, patience = (count, PATIENCE) if count < fewest else (fewest, patience - 1)
        if patience < 0:
            if not singly:
                break
            wrong[: np.flatnonzero(wrong)[-1]] = False
        free ^= wrong
    return None
