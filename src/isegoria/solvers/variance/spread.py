"""The least variance of agents too many to look at together: the K × K quadratic gives the policy, the rows prove it.

One pass over the rows says how they vary, one more says what the policy is worth and how it could be bettered. Whoever
has the rows answers: `in_memory` by products with their table, `tables` by a pass over files.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from isegoria import tolerances
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.variance.least_variance import least_fair_variance, least_variance
from isegoria.solvers.variance.moments import Moments
from isegoria.solvers.variance.primal_active_set import Variance

MOST_TURNS = 6


def by_spread(
    spread: np.ndarray, choice: Selection, fair: Fair | None
) -> Generator[np.ndarray, tuple[float, np.ndarray], Answer]:
    """The `Answer` for agents who vary as D(P) = pᵀGp, of which `spread` (K, K) is the G, with value and gap from the
    rows; yields policies, and is sent (value, slopes (K,)) there."""
    matrix, best = spread, None
    for _ in range(MOST_TURNS):
        variance = Variance(rows_of_spread(matrix))
        found = least_variance(variance, choice) if fair is None else least_fair_variance(variance, choice, fair)
        policy = np.ascontiguousarray(found.policy)
        value, slopes = yield policy
        gap = _gap(policy, slopes, fair)
        if best is None or gap < best.gap:
            best = Answer(policy, value, gap, found.margin)
        if gap <= tolerances.INEQUALITY_GAP:
            break
        missed = slopes - 2 * spread @ policy  # what the quadratic has wrong there, added as a linear part
        matrix = spread + (missed[:, None] + missed[None, :]) / 2
    assert best is not None
    return best


def in_memory(moments: Moments, choice: Selection, fair: Fair | None = None) -> Answer:
    """The `Answer` for the agents of a table, as they lie."""
    search = by_spread(moments.matrix(), choice, fair)
    policy = next(search)
    while True:
        value, _, slopes = moments.evaluate(policy)
        try:
            policy = search.send((value, slopes))
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


def _gap(policy: np.ndarray, slopes: np.ndarray, fair: Fair | None) -> float:
    if fair is None:
        return max(float(policy @ (slopes - slopes.min())), 0.0)
    return max(fair.support(-slopes) + float(slopes @ policy), 0.0)
