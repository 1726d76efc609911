"""The variance of utilities for tables of any kind, sparse or dense, in plain arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.rows.views import dense
from isegoria.solvers.answer import Answer

BLOCK = 16_000
"""Rows whose products are added up together: they stay in the near cache."""


def per_pair(weight: float) -> float:
    """What turns a sum of squares over so many agents into twice their variance: 2/(W − 1), and 0 for a single one."""
    return 2 / (weight - 1) if weight > 1 else 0.0


class Moments:
    """Twice the variance of Ap over agents of whole weights w (all 1 if None), for a dense or sparse table A (N, K).

    It answers as `Variance` does, in doubles, and for sparse tables in what a pass over their entries costs.
    """

    def __init__(self, rows: Any, weights: np.ndarray | None = None) -> None:
        self.rows, self.weights = rows, weights
        self.counted = np.ones(rows.shape[0]) if weights is None else weights.astype(float)
        self.total = float(self.counted.sum())
        self.scale = per_pair(self.total)

    def evaluate(self, policy: np.ndarray) -> tuple[float, float, np.ndarray]:
        """(value, gap, slopes ∇) of any policy."""
        utilities = self.rows @ policy
        apart = utilities - (self.counted @ utilities) / self.total
        slopes = 2 * self.scale * np.asarray((self.counted * apart) @ self.rows)
        value = self.scale * float(self.counted @ apart**2)
        return value, float((slopes - slopes.min()) @ policy), slopes

    def values(self, policies: np.ndarray) -> np.ndarray:
        """(P,) the value of each row of `policies` (P, K)."""
        return np.array([self.evaluate(policy)[0] for policy in policies])

    def matrix(self) -> np.ndarray:
        """(K, K) the matrix G of pᵀGp."""
        if isinstance(self.rows, np.ndarray):
            parts = (self.square_root(slice(start, start + BLOCK)) for start in range(0, len(self.rows), BLOCK))
            return np.sum([part.T @ part for part in parts], axis=0)
        mean = self._mean()
        squares = (self.rows.T @ self.rows.multiply(self.counted[:, None]).tocsr()).toarray()
        return self.scale * (squares - self.total * np.outer(mean, mean))

    def _mean(self) -> np.ndarray:
        return np.asarray(self.counted @ self.rows) / self.total

    def square_root(self, some: slice = slice(None)) -> np.ndarray:
        """(N, K) the centred rows C, or `some` of them, each with the root of its weight: |Cp|² is the value of p."""
        return (dense(self.rows[some]) - self._mean()) * np.sqrt(self.scale * self.counted[some])[:, None]

    def answer(self, policy: np.ndarray, margin: float) -> Answer:
        """The `Answer` that a policy is, with its gap recomputed."""
        value, gap, _ = self.evaluate(policy)
        return Answer(policy, value, gap, margin)
