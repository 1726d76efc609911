"""The ways to weigh agents that a Gini welfare allows: the hull of all orders of its weights.

The least of Σ y_i u_i over the hull is the welfare of the utilities u, so that every y in it bounds the welfare of all
policies from above. Row i stands for `counts[i]` agents, who share what it is given; `prefix[r]` = g_1 + … + g_r.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances


def nearest(target: np.ndarray, counts: np.ndarray, prefix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(y, order, starts): the point of the hull nearest to `target`, both for a single agent of each row.

    `order` sorts the targets, the largest first; the rows of a block, from one of the `starts` to the next, are tied:
    they share what their ranks are given, and rows alone in a block have just that. It is an isotonic regression, after
    Lim and Wright (2016).

    >>> nearest(np.array([0.0, 0.9, 1.0]), np.ones(3, dtype=int), np.array([0.0, 0.7, 0.9, 1.0]))[0].round(3).tolist()
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


def excess(mixture: np.ndarray, counts: np.ndarray, prefix: np.ndarray) -> float:
    """How much less than the welfare, at most, Σ y_i u_i can be for utilities in [0, 1], of a `mixture` y of rows.

    It is 0 in the hull: nobody, and no group, has more than the first ranks are given.

    >>> excess(np.array([0.75, 0.25]), np.ones(2, dtype=int), np.array([0.0, 0.5, 1.0]))
    0.25
    """
    held, given = _held(mixture, counts, prefix)
    return float(np.max(held - given, initial=0.0)) + abs(float(held[-1]) - float(prefix[-1]))


def room(mixture: np.ndarray, counts: np.ndarray, prefix: np.ndarray) -> float:
    """How far inside the hull a mixture of rows is: what every group could be given more, ranks left out of which next
    to nothing is left; negative outside.

    >>> room(np.array([0.5, 0.5]), np.ones(2, dtype=int), np.array([0.0, 0.75, 1.0]))
    0.25
    """
    held, given = _held(mixture, counts, prefix)
    matters = given < prefix[-1] - tolerances.NEAR_TIE
    return float(np.min((given - held)[matters], initial=np.inf))


def _held(mixture: np.ndarray, counts: np.ndarray, prefix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the rows that have most for each agent hold together, and what as many ranks are given."""
    order = np.argsort(-mixture / counts, kind="stable")
    ends = np.minimum(np.cumsum(counts[order]), len(prefix) - 1)
    return np.cumsum(mixture[order]), prefix[ends]
