"""Rows that vary as a K × K quadratic says, so that what is made for rows serves the quadratic."""

from __future__ import annotations

import numpy as np


def rows_of_spread(spread: np.ndarray) -> np.ndarray:
    """(2K, K) rows whose utilities vary as pᵀGp says: those of a square root of G, and their opposites.

    >>> rows = rows_of_spread(np.array([[2.0, 0.5], [0.5, 1.0]]))
    >>> round(float(2 * np.var(rows @ [0.5, 0.5], ddof=1)), 12)
    1.0
    """
    k = len(spread)
    lift = max(0.0, -float(np.linalg.eigvalsh(spread)[0]))  # 11ᵀ adds a constant on the simplex, and no curvature
    values, vectors = np.linalg.eigh(spread + (lift and 2 * k * lift) * np.ones((k, k)))
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * np.sqrt((2 * k - 1) / 4)
    return np.ascontiguousarray(np.vstack([root, -root]))
