"""Block principal pivoting by LAPACK, for matrices of hundreds of rows; kernels use `nash/principal_pivoting`."""

from __future__ import annotations

import numpy as np

MAX_EXCHANGES = 50
MAX_FRUITLESS_EXCHANGES = 3  # block exchanges without progress that are allowed


def minimise_quadratic(
    matrix: np.ndarray, pull: np.ndarray, playing: np.ndarray, noise: float, singly: bool = True
) -> np.ndarray | None:
    """Minimise zᵀHz/2 − pull·z over z ≥ 0 (n,), from a guess (n,) of the `playing` entries; None if it fails.

    All misplaced entries are exchanged at once. Where that makes no progress, they are exchanged one at a time, or if
    not `singly` the search ends. A slope is misplaced if it is below −`noise` · max(1, Σz).

    >>> minimise_quadratic(np.eye(2), np.array([1.0, -1.0]), np.ones(2, dtype=bool), 0.0).tolist()
    [1.0, 0.0]
    """
    free, fewest, patience = playing.copy(), len(pull) + 1, MAX_FRUITLESS_EXCHANGES
    for _ in range(MAX_EXCHANGES):
        z, inside = np.zeros(len(pull)), np.flatnonzero(free)
        rows = matrix[inside]
        if len(inside):
            z[inside] = np.linalg.solve(rows[:, inside], pull[inside])
        wrong = np.where(free, z < 0, z[inside] @ rows - pull < -noise * max(1.0, z.sum()))
        count = int(wrong.sum())
        if count == 0:
            return z
        fewest, patience = (count, MAX_FRUITLESS_EXCHANGES) if count < fewest else (fewest, patience - 1)
        if patience < 0:
            if not singly:
                break
            wrong[: np.flatnonzero(wrong)[-1]] = False
        free ^= wrong
    return None
