"""The least variance of agents too many to look at together: the K × K quadratic gives the policy, the rows prove it.

One pass over the rows says how they vary, one more says what the policy is worth and how it could be bettered. Whoever
has the rows answers: `in_memory` by products with their table, `tables` by a pass over files.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.scan import mean_row
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.variance.least_variance import least_fair_variance, least_variance
from isegoria.solvers.variance.primal_active_set import Variance

MOST_TURNS = 6
BLOCK = 16_000
"""Rows of a table in memory that are looked at together: they stay in the near cache."""


class Spread(NamedTuple):
    """How W = `weight` agents vary: `means` (K,), what each arm gives on average, and `matrix` (K, K), the G of
    D(P) = pᵀGp."""

    weight: int
    means: np.ndarray
    matrix: np.ndarray


class Varied(NamedTuple):
    """Σ w v, Σ w v² and Σ w v a (K,) of v = a·p − level, over the rows a of all agents."""

    total: float
    squares: float
    slopes: np.ndarray


def spread_of(weight: int, means: np.ndarray, moments: np.ndarray) -> Spread:
    """The `Spread` that the second `moments` Σ w (a − ½)(a − ½)ᵀ say."""
    shifted = means - 0.5
    return Spread(weight, means, _scale(weight) * (moments - weight * np.outer(shifted, shifted)))


def by_spread(
    spread: Spread, choice: Selection, fair: Fair | None
) -> Generator[tuple[np.ndarray, float], Varied, Answer]:
    """The `Answer`, with value and gap from the rows; yields (policy, level), and is sent how they have `Varied`."""
    matrix, best = spread.matrix, None
    for _ in range(MOST_TURNS):
        variance = Variance(rows_of_spread(matrix))
        found = least_variance(variance, choice) if fair is None else least_fair_variance(variance, choice, fair)
        policy = np.ascontiguousarray(found.policy)
        value, slopes = _variance(spread, (yield policy, float(policy @ spread.means)))
        gap = _gap(policy, slopes, fair)
        if best is None or gap < best.gap:
            best = Answer(policy, value, gap, found.margin)
        if gap <= tolerances.INEQUALITY_GAP:
            break
        missed = slopes - 2 * spread.matrix @ policy  # what the quadratic has wrong there, added as a linear part
        matrix = spread.matrix + (missed[:, None] + missed[None, :]) / 2
    assert best is not None
    return best


def in_memory(rows: np.ndarray, weights: np.ndarray | None, choice: Selection, fair: Fair | None = None) -> Answer:
    """The `Answer` for the agents of a table (N, K), as they lie."""
    search = by_spread(_look(rows, weights), choice, fair)
    policy, level = next(search)
    while True:
        try:
            policy, level = search.send(_vary(rows, weights, policy, level))
        except StopIteration as done:
            answer: Answer = done.value
            return answer


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


def _scale(weight: int) -> float:
    return 2 / (weight - 1) if weight > 1 else 0.0


def _variance(spread: Spread, varied: Varied) -> tuple[float, np.ndarray]:
    """(D, ∇D) at the policy that was asked about."""
    scale, mean = _scale(spread.weight), varied.total / spread.weight
    value = scale * max(float(varied.squares - varied.total * mean), 0.0)
    return value, 2 * scale * (varied.slopes - mean * spread.weight * spread.means)


def _gap(policy: np.ndarray, slopes: np.ndarray, fair: Fair | None) -> float:
    if fair is None:
        return max(float(policy @ (slopes - slopes.min())), 0.0)
    return max(fair.support(-slopes) + float(slopes @ policy), 0.0)


def _blocks(rows: np.ndarray, weights: np.ndarray | None) -> Iterator[tuple[Any, ...]]:
    """(rows, weights or 1) a block at a time."""
    for start in range(0, len(rows), BLOCK):
        part = slice(start, start + BLOCK)
        yield rows[part], 1.0 if weights is None else weights[part].astype(float)


def _look(rows: np.ndarray, weights: np.ndarray | None) -> Spread:
    """One pass: how the rows vary."""
    moments = np.zeros((rows.shape[1], rows.shape[1]))
    for part, counted in _blocks(rows, weights):
        shifted = part - 0.5
        moments += shifted.T @ shifted if weights is None else (counted[:, None] * shifted).T @ shifted
    weight = len(rows) if weights is None else int(weights.sum())
    return spread_of(weight, mean_row(rows, weights), moments)


def _vary(rows: np.ndarray, weights: np.ndarray | None, policy: np.ndarray, level: float) -> Varied:
    """Another: how utilities vary around `level` at a policy."""
    parts = []
    for part, counted in _blocks(rows, weights):
        apart = part @ policy - level
        weighed = counted * apart
        parts.append((weighed.sum(), weighed @ apart, weighed @ part))
    return Varied(*(np.sum(column, axis=0) for column in zip(*parts, strict=True)))
