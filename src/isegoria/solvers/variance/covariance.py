"""Minimise the variance of too many agents to load together: the K × K quadratic gives the policy, the rows prove it.

One pass over the rows computes their moments, another the value of the policy and its gradient. The caller that has the
rows provides them: `minimise_variance_by_covariance` by products with their table, `tables` by a pass over files.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.scan_means import mean_row
from isegoria.solvers.variance.least_variance import minimise_fair_variance, minimise_variance
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.utils import tolerances

MAX_TURNS = 6
CHUNK_ROWS = 16_000
"""Rows of an in-memory table processed per chunk: they stay in the CPU cache."""


class UtilityCovariance(NamedTuple):
    """Moments of W = `weight` agents: `means` (K,) of each arm, and `matrix` (K, K), the G of D(P) = pᵀGp."""

    weight: int
    means: np.ndarray
    matrix: np.ndarray


class UtilityMoments(NamedTuple):
    """Σ w v, Σ w v² and Σ w v a (K,) of v = a·p − level, over the rows a of all agents."""

    total: float
    squares: float
    slopes: np.ndarray


def covariance_from_moments(weight: int, means: np.ndarray, moments: np.ndarray) -> UtilityCovariance:
    """Return the `UtilityCovariance` of the second `moments` Σ w (a − ½)(a − ½)ᵀ."""
    shifted = means - 0.5
    return UtilityCovariance(weight, means, _scale(weight) * (moments - weight * np.outer(shifted, shifted)))


def solve_by_covariance(
    spread: UtilityCovariance, choice: Selection, fair: FairPolytope | None
) -> Generator[tuple[np.ndarray, float], UtilityMoments, SolverResult]:
    """Yield (policy, level) and receive a `UtilityMoments`; return the `SolverResult`, with value and gap from the
    rows."""
    matrix, best = spread.matrix, None
    for _ in range(MAX_TURNS):
        variance = Variance(covariance_rows(matrix))
        found = minimise_variance(variance, choice) if fair is None else minimise_fair_variance(variance, choice, fair)
        policy = np.ascontiguousarray(found.policy)
        value, slopes = _variance(spread, (yield policy, float(policy @ spread.means)))
        gap = _gap(policy, slopes, fair)
        if best is None or gap < best.gap:
            best = SolverResult(policy, value, gap, found.margin)
        if gap <= tolerances.INEQUALITY_GAP:
            break
        missed = slopes - 2 * spread.matrix @ policy  # the quadratic's gradient error there, added as a linear term
        matrix = spread.matrix + (missed[:, None] + missed[None, :]) / 2
    assert best is not None
    return best


def minimise_variance_by_covariance(
    rows: np.ndarray, weights: np.ndarray | None, choice: Selection, fair: FairPolytope | None = None
) -> SolverResult:
    """Return the `SolverResult` for the agents of a table (N, K) in memory."""
    search = solve_by_covariance(_compute_covariance(rows, weights), choice, fair)
    policy, level = next(search)
    while True:
        try:
            policy, level = search.send(_compute_moments(rows, weights, policy, level))
        except StopIteration as done:
            answer: SolverResult = done.value
            return answer


def covariance_rows(spread: np.ndarray) -> np.ndarray:
    """Return rows (2K, K) whose utilities vary as pᵀGp: those of a square root of G, and their negatives.

    >>> rows = covariance_rows(np.array([[2.0, 0.5], [0.5, 1.0]]))
    >>> round(float(2 * np.var(rows @ [0.5, 0.5], ddof=1)), 12)
    1.0
    """
    k = len(spread)
    lift = max(0.0, -float(np.linalg.eigvalsh(spread)[0]))  # 11ᵀ adds a constant on the simplex, but no curvature
    values, vectors = np.linalg.eigh(spread + (lift and 2 * k * lift) * np.ones((k, k)))
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * np.sqrt((2 * k - 1) / 4)
    return np.ascontiguousarray(np.vstack([root, -root]))


def _scale(weight: int) -> float:
    return 2 / (weight - 1) if weight > 1 else 0.0


def _variance(spread: UtilityCovariance, varied: UtilityMoments) -> tuple[float, np.ndarray]:
    """Return (D, ∇D) at the policy that was asked about."""
    scale, mean = _scale(spread.weight), varied.total / spread.weight
    value = scale * max(float(varied.squares - varied.total * mean), 0.0)
    return value, 2 * scale * (varied.slopes - mean * spread.weight * spread.means)


def _gap(policy: np.ndarray, slopes: np.ndarray, fair: FairPolytope | None) -> float:
    if fair is None:
        return max(float(policy @ (slopes - slopes.min())), 0.0)
    return max(fair.support(-slopes) + float(slopes @ policy), 0.0)


def _iter_chunks(rows: np.ndarray, weights: np.ndarray | None) -> Iterator[tuple[Any, ...]]:
    """Yield (rows, weights or 1) a block at a time."""
    for start in range(0, len(rows), CHUNK_ROWS):
        part = slice(start, start + CHUNK_ROWS)
        yield rows[part], 1.0 if weights is None else weights[part].astype(float)


def _compute_covariance(rows: np.ndarray, weights: np.ndarray | None) -> UtilityCovariance:
    """Compute the moments of the rows in one pass."""
    moments = np.zeros((rows.shape[1], rows.shape[1]))
    for part, counted in _iter_chunks(rows, weights):
        shifted = part - 0.5
        moments += shifted.T @ shifted if weights is None else (counted[:, None] * shifted).T @ shifted
    weight = len(rows) if weights is None else int(weights.sum())
    return covariance_from_moments(weight, mean_row(rows, weights), moments)


def _compute_moments(rows: np.ndarray, weights: np.ndarray | None, policy: np.ndarray, level: float) -> UtilityMoments:
    """Compute in one pass how utilities vary around `level` at a policy."""
    parts = []
    for part, counted in _iter_chunks(rows, weights):
        apart = part @ policy - level
        weighed = counted * apart
        parts.append((weighed.sum(), weighed @ apart, weighed @ part))
    return UtilityMoments(*(np.sum(column, axis=0) for column in zip(*parts, strict=True)))
