"""Variance of utilities for sparse or dense tables, in plain arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.solvers.result import SolverResult
from isegoria.utils.arrays import to_dense


class StreamingVariance:
    """Twice the variance of Ap over agents of integer weights w (all 1 if None), for a dense or sparse table A (N, K).

    It has the interface of `Variance`, in doubles; for sparse tables an evaluation costs a pass over their entries.
    """

    def __init__(self, rows: Any, weights: np.ndarray | None = None) -> None:
        self.rows, self.weights = rows, weights
        self.counted = np.ones(rows.shape[0]) if weights is None else weights.astype(float)
        self.total = float(self.counted.sum())
        self.scale = 2 / (self.total - 1) if self.total > 1 else 0.0

    def evaluate(self, policy: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Return (value, gap, slopes ∇) of any policy."""
        utilities = self.rows @ policy
        apart = utilities - (self.counted @ utilities) / self.total
        slopes = 2 * self.scale * np.asarray((self.counted * apart) @ self.rows)
        value = self.scale * float(self.counted @ apart**2)
        return value, float((slopes - slopes.min()) @ policy), slopes

    def values(self, policies: np.ndarray) -> np.ndarray:
        """Return the value (P,) of each row of `policies` (P, K)."""
        return np.array([self.evaluate(policy)[0] for policy in policies])

    def matrix(self) -> np.ndarray:
        """Return the matrix G (K, K) of pᵀGp."""
        if isinstance(self.rows, np.ndarray):
            centred = self.square_root()
            return centred.T @ centred
        mean = np.asarray(self.counted @ self.rows) / self.total
        squares = (self.rows.T @ self.rows.multiply(self.counted[:, None]).tocsr()).toarray()
        return self.scale * (squares - self.total * np.outer(mean, mean))

    def square_root(self) -> np.ndarray:
        """Return the centred rows C (N, K), scaled by the root of their weight, such that |Cp|² is the value of p."""
        rows = to_dense(self.rows)
        mean = self.counted @ rows / self.total
        return (rows - mean) * np.sqrt(self.scale * self.counted)[:, None]

    def answer(self, policy: np.ndarray, margin: float) -> SolverResult:
        """Return the `SolverResult` of a policy, with its gap recomputed."""
        value, gap, _ = self.evaluate(policy)
        return SolverResult(policy, value, gap, margin)
