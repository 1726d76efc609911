"""The corner that an optimum of a Gini welfare is near to, exactly, and whether it is the only optimum.

At a corner with s arms in play, s − 1 neighbours in the order of utilities are tied. The ties and Σp = 1 are as many
equations as arms; that every arm in play is worth the same to the mixture y, and that y gives each block of tied agents
what its ranks are given, are as many as agents and the value. Where all that is left loose is loose indeed (arms not in
play are worth less, blocks are apart, y is inside the hull of the orders of each block), no other policy is as good.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import dense, placed
from isegoria.solvers.answer import Answer
from isegoria.solvers.maximin.permutahedron import excess
from isegoria.solvers.maximin.welfare import Gini, Proved

PLAYED = 1e-7  # what a policy that is not exact plays less is not in play
FILLED = 1e-13  # a group that lacks no more of what its ranks are given is a block of its own: the rounding of sums


class Ties(NamedTuple):
    """The rows in `order` of what they get; `starts` (b,) where blocks of tied ones begin, `label` (n,) the block of
    each in that order, and `given` (n,) what the ranks of each are given."""

    order: np.ndarray
    starts: np.ndarray
    label: np.ndarray
    given: np.ndarray


def exact_corner(welfare: Gini, table: Any, near: Proved) -> Answer | None:
    """The `Answer` that the corner is which a proved policy is `near`, for a dense or sparse `table` (n, K).

    None if there is none that is proved to OPTIMUM_TIE. Its margin is 0 unless it is the only optimum.
    """
    arms = np.flatnonzero(near.policy > PLAYED)
    ties = _ties(welfare, near.mixture)
    if len(ties.order) - len(ties.starts) != len(arms) - 1:
        return None
    rows = dense(table[:, arms])
    played, sharpness = _played(rows, ties)
    if played.min() <= 0:
        return None
    exact, mixture = simplex_point(placed(played, arms, len(near.policy))), _mixture(rows, ties)
    worth, utilities = np.asarray(mixture @ table).ravel(), table @ exact
    value = welfare.value(utilities)
    gap = float(worth.max()) + excess(mixture, welfare.weights, welfare.prefix) - value
    if gap > tolerances.OPTIMUM_TIE / 2:
        return None
    others = float(np.delete(worth, arms).max(initial=-np.inf))
    loose = [sharpness, float(played.min()), float(worth.max()) - others]
    loose += [_apart(utilities, ties), _inside(welfare, mixture, ties)]
    margin = min(loose)
    return Answer(exact, value, max(gap, 0.0), margin if margin > tolerances.NEAR_ACTIVE else 0.0)


def _ties(welfare: Gini, mixture: np.ndarray) -> Ties:
    """Who is tied: a mixture of orders gives the first blocks together just what their ranks are given."""
    order = np.argsort(-mixture / welfare.weights, kind="stable")
    ends = np.minimum(np.cumsum(welfare.weights[order]), welfare.deep)
    lacking = welfare.prefix[ends] - np.cumsum(mixture[order])
    new = np.append(True, lacking[:-1] <= FILLED)
    return Ties(order, np.flatnonzero(new), np.cumsum(new) - 1, np.diff(welfare.prefix[ends], prepend=0.0))


def _played(rows: np.ndarray, ties: Ties) -> tuple[np.ndarray, float]:
    """(policy, sharpness): that of the ties, and the smallest squared singular value of what fixes it."""
    later = 1 + np.flatnonzero(np.diff(ties.label) == 0)
    apart = np.vstack([rows[ties.order[later]] - rows[ties.order[later - 1]], np.ones(rows.shape[1])])
    policy, _, _, singular = np.linalg.lstsq(apart, np.append(np.zeros(len(later)), 1.0), rcond=None)
    return policy, float(singular.min()) ** 2


def _mixture(rows: np.ndarray, ties: Ties) -> np.ndarray:
    """(n,) the mixture to which all arms in play are worth the same: who is alone has what the rank is given, and the
    tied ones share what theirs are."""
    alone = np.bincount(ties.label)[ties.label] == 1
    mixture, tied = np.zeros(len(ties.order)), ties.order[~alone]
    mixture[ties.order[alone]] = ties.given[alone]
    blocks, label = np.unique(ties.label[~alone], return_inverse=True)
    equations = np.zeros((len(blocks) + rows.shape[1], len(tied) + 1))
    equations[label, np.arange(len(tied))] = 1.0
    equations[len(blocks) :, :-1], equations[len(blocks) :, -1] = rows[tied].T, -1.0
    shared = np.bincount(label, ties.given[~alone], minlength=len(blocks))
    aim = np.concatenate([shared, -(mixture @ rows)])
    mixture[tied] = np.linalg.lstsq(equations, aim, rcond=None)[0][:-1]
    return mixture


def _apart(utilities: np.ndarray, ties: Ties) -> float:
    """The smallest difference between one block and the next."""
    between = np.diff(utilities[ties.order])[np.diff(ties.label) > 0]
    return float(between.min(initial=np.inf))


def _inside(welfare: Gini, mixture: np.ndarray, ties: Ties) -> float:
    """How far inside the hull of its orders the mixture is on the block where it is least so: what every part of a
    block could be given more."""
    most = np.lexsort((-mixture[ties.order] / welfare.weights[ties.order], ties.label))
    order = ties.order[most]
    ends = np.minimum(np.cumsum(welfare.weights[order]), welfare.deep)
    lacking = (welfare.prefix[ends] - np.cumsum(mixture[order]))[:-1]
    return float(lacking[np.diff(ties.label) == 0].min(initial=np.inf))
