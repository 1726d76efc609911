"""Exact vertex close to an optimum of a Gini welfare, and whether it is the only optimum.

At a vertex with s arms in play, s − 1 neighbours in the order of utilities are tied. The ties and Σp = 1 are as many
equations as arms. Every arm in play is worth the same to the mixture y, and y gives each block of tied agents the
weights of its ranks: as many equations as agents and the value. If all inequalities are strict (arms not in play are
worth less, blocks are apart, y is inside the hull of the orders of each block), no other policy is as good.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria.solvers.maximin.permutahedron import hull_excess
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare
from isegoria.solvers.result import SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances
from isegoria.utils.arrays import count_labels, scatter, to_dense

MIN_PLAYED_PROBABILITY = 1e-7  # smaller probabilities of an inexact policy count as 0
BLOCK_FILL_TOLERANCE = (
    1e-13  # a group that misses the total of its ranks by at most this rounding error of sums is a separate block
)


class Ties(NamedTuple):
    """Rows in `order` of utility, with blocks of tied ones.

    `starts` (b,) is where blocks begin, `label` (n,) the block of each row in that order, and `given` (n,) the weight
    of its ranks.
    """

    order: np.ndarray
    starts: np.ndarray
    label: np.ndarray
    given: np.ndarray


def find_exact_vertex(welfare: GiniWelfare, table: Any, near: BoundedPolicy) -> SolverResult | None:
    """Return the `SolverResult` of the vertex close to a proved policy `near`, for a dense or sparse `table` (n, K).

    None if no vertex is proved to OPTIMUM_TIE. Its margin is 0 unless it is the only optimum.
    """
    arms = np.flatnonzero(near.policy > MIN_PLAYED_PROBABILITY)
    ties = _find_ties(welfare, near.mixture)
    if len(ties.order) - len(ties.starts) != len(arms) - 1:
        return None
    rows = to_dense(table[:, arms])
    played, sharpness = _solve_policy(rows, ties)
    if played.min() <= 0:
        return None
    exact, mixture = simplex_point(scatter(played, arms, len(near.policy))), _solve_mixture(rows, ties)
    worth, utilities = np.asarray(mixture @ table).ravel(), table @ exact
    value = welfare.value(utilities)
    gap = float(worth.max()) + hull_excess(mixture, welfare.weights, welfare.prefix) - value
    if gap > tolerances.OPTIMUM_TIE / 2:
        return None
    others = float(np.delete(worth, arms).max(initial=-np.inf))
    loose = [sharpness, float(played.min()), float(worth.max()) - others]
    loose += [_block_separation(utilities, ties), _hull_margin(welfare, mixture, ties)]
    margin = min(loose)
    return SolverResult(exact, value, max(gap, 0.0), margin if margin > tolerances.NEAR_ACTIVE else 0.0)


def _find_ties(welfare: GiniWelfare, mixture: np.ndarray) -> Ties:
    """Return the ties: a mixture of orders gives the first blocks together exactly the weights of their ranks."""
    order = np.argsort(-mixture / welfare.weights, kind="stable")
    ends = np.minimum(np.cumsum(welfare.weights[order]), welfare.deep)
    lacking = welfare.prefix[ends] - np.cumsum(mixture[order])
    new = np.append(True, lacking[:-1] <= BLOCK_FILL_TOLERANCE)
    return Ties(order, np.flatnonzero(new), np.cumsum(new) - 1, np.diff(welfare.prefix[ends], prepend=0.0))


def _solve_policy(rows: np.ndarray, ties: Ties) -> tuple[np.ndarray, float]:
    """Return (policy, sharpness): the policy of the ties, and the smallest squared singular value of its equations."""
    later = 1 + np.flatnonzero(np.diff(ties.label) == 0)
    apart = np.vstack([rows[ties.order[later]] - rows[ties.order[later - 1]], np.ones(rows.shape[1])])
    policy, _, _, singular = np.linalg.lstsq(apart, np.append(np.zeros(len(later)), 1.0), rcond=None)
    return policy, float(singular.min()) ** 2


def _solve_mixture(rows: np.ndarray, ties: Ties) -> np.ndarray:
    """Return the mixture (n,) to which all arms in play are worth the same.

    A row alone in its block has the weight of its rank; tied rows share the weights of theirs.
    """
    alone = count_labels(ties.label)[ties.label] == 1
    mixture, tied = np.zeros(len(ties.order)), ties.order[~alone]
    mixture[ties.order[alone]] = ties.given[alone]
    blocks, label = np.unique(ties.label[~alone], return_inverse=True)
    equations = np.zeros((len(blocks) + rows.shape[1], len(tied) + 1))
    equations[label, np.arange(len(tied))] = 1.0
    equations[len(blocks) :, :-1], equations[len(blocks) :, -1] = rows[tied].T, -1.0
    shared = count_labels(label, ties.given[~alone], minlength=len(blocks))
    aim = np.concatenate([shared, -(mixture @ rows)])
    mixture[tied] = np.linalg.lstsq(equations, aim, rcond=None)[0][:-1]
    return mixture


def _block_separation(utilities: np.ndarray, ties: Ties) -> float:
    """Return the smallest difference between one block and the next."""
    between = np.diff(utilities[ties.order])[np.diff(ties.label) > 0]
    return float(between.min(initial=np.inf))


def _hull_margin(welfare: GiniWelfare, mixture: np.ndarray, ties: Ties) -> float:
    """Return how far inside the hull of its orders the mixture is: the minimum slack over parts of blocks."""
    most = np.lexsort((-mixture[ties.order] / welfare.weights[ties.order], ties.label))
    order = ties.order[most]
    ends = np.minimum(np.cumsum(welfare.weights[order]), welfare.deep)
    lacking = (welfare.prefix[ends] - np.cumsum(mixture[order]))[:-1]
    return float(lacking[np.diff(ties.label) == 0].min(initial=np.inf))
