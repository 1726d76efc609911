"""Mixtures of agents that a Gini welfare allows: the hull of all orders of its weights (a permutahedron).

The minimum of Σ y_i u_i over the hull is the welfare of the utilities u, so every y in it bounds the welfare of all
policies from above. Row i stands for `counts[i]` agents, who share its weight; `prefix[r]` = g_1 + … + g_r.
"""

from __future__ import annotations

import numpy as np

from isegoria.utils import tolerances


def project_on_permutahedron(
    target: np.ndarray, counts: np.ndarray, prefix: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (y, order, starts): the point of the hull nearest to `target`, both per single agent of each row.

    `order` sorts the targets, largest first. The rows of a block, from one of the `starts` to the next, are tied: they
    share the weights of their ranks, and a row alone in a block has exactly its own. It is an isotonic regression,
    after Lim and Wright (2016).

    >>> project_on_permutahedron(np.array([0.0, 0.9, 1.0]), np.ones(3, dtype=int), np.array([0.0, 0.7, 0.9,
    ... 1.0]))[0].round(3).tolist()
    [0.1, 0.4, 0.5]
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(-target, kind="stable")
    counted = counts[order]
    ends = np.minimum(np.cumsum(counted), len(prefix) - 1)
    given = np.diff(prefix[ends], prepend=0.0) / counted
    along = target[order]
    fitted = isotonic_regression(along - given, weights=counted, increasing=False)
    point = np.empty(len(target))
    point[order] = along - fitted.x
    return point, order, fitted.blocks


def hull_excess(mixture: np.ndarray, counts: np.ndarray, prefix: np.ndarray) -> float:
    """Return an upper bound on welfare minus Σ y_i u_i for utilities in [0, 1], of a `mixture` y of rows.

    It is 0 in the hull: no agent, and no group, has more than the weights of the first ranks.

    >>> hull_excess(np.array([0.75, 0.25]), np.ones(2, dtype=int), np.array([0.0, 0.5, 1.0]))
    0.25
    """
    held, given = _cumulative_weights(mixture, counts, prefix)
    return float(np.max(held - given, initial=0.0)) + abs(float(held[-1]) - float(prefix[-1]))


def hull_margin(mixture: np.ndarray, counts: np.ndarray, prefix: np.ndarray) -> float:
    """Return how far inside the hull a mixture of rows is: the minimum slack of any group; negative outside.

    Ranks beyond which next to nothing remains are left out.

    >>> hull_margin(np.array([0.5, 0.5]), np.ones(2, dtype=int), np.array([0.0, 0.75, 1.0]))
    0.25
    """
    held, given = _cumulative_weights(mixture, counts, prefix)
    matters = given < prefix[-1] - tolerances.NEAR_TIE
    return float(np.min((given - held)[matters], initial=np.inf))


def _cumulative_weights(mixture: np.ndarray, counts: np.ndarray, prefix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cumulative weights: of the rows with the largest weight per agent, and of as many first ranks."""
    order = np.argsort(-mixture / counts, kind="stable")
    ends = np.minimum(np.cumsum(counts[order]), len(prefix) - 1)
    return np.cumsum(mixture[order]), prefix[ends]
