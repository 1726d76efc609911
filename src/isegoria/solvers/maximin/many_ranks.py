"""The highest Gini welfare where nearly all ranks matter, so that nobody can be left out: linear weights, say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import dense, placed
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.maximin.augmented_lagrangian import by_mixtures
from isegoria.solvers.maximin.column_generation import NEAR, on_few_arms
from isegoria.solvers.maximin.exact_corner import PLAYED, exact_corner
from isegoria.solvers.maximin.transport_program import by_transports
from isegoria.solvers.maximin.welfare import Gini, Proved
from isegoria.solvers.maximin.whole_game import whole_game

FEW = 12  # arms among which the choice is made exactly
CLOSE = 1e-5  # agents who get more apart than this keep their order where the choice is made


def many_ranks(welfare: Gini, table: Any, choice: Selection) -> Answer | None:
    """The `Answer` for a dense or sparse `table` (N, K); None if it cannot be proved.

    Most often it is the only optimum. Where it is not, or rounding cannot tell, and more than a few arms hold it, it is
    not chosen among ties but found, and the margin is 0.
    """
    agents, arms = table.shape
    if agents * arms <= sizes.GAME_CUTS and (arms <= sizes.GAME_ARMS or agents * welfare.deep <= sizes.FEW_TRANSPORTS):
        found = _as_a_game(welfare, dense(table), choice)
        if found.gap <= welfare.enough:
            return found
    best = None
    for proved in _proofs(welfare, table):
        corner = exact_corner(welfare, table, proved)
        if corner is not None and corner.margin > 0:
            return corner
        if best is None or proved.bound - proved.value < best.bound - best.value:
            best = proved
    assert best is not None
    policy = simplex_point(best.policy)
    value = welfare.value(table @ policy)
    if best.bound - value > welfare.enough:
        return None
    return _chosen(welfare, table, best, choice) or Answer(policy, value, max(best.bound - value, 0.0), 0.0)


def _as_a_game(welfare: Gini, rows: np.ndarray, choice: Selection) -> Answer:
    if rows.shape[1] <= sizes.GAME_ARMS:
        return whole_game(welfare, rows, choice)
    return on_few_arms(welfare, rows, choice, np.zeros(0, dtype=np.int64))


def _proofs(welfare: Gini, table: Any) -> Iterator[Proved]:
    """Policies with proofs, by the method that serves the size, and by another while that does not suffice."""
    transports = table.shape[0] * welfare.deep
    proved = by_transports(welfare, dense(table)) if transports <= sizes.TRANSPORTS else None
    if proved is not None:
        yield proved
        if proved.bound - proved.value <= welfare.enough:
            return
    proved = by_mixtures(welfare, table, welfare.enough / 2)
    yield proved
    if proved.bound - proved.value <= welfare.enough:
        if (proved.policy > PLAYED).sum() > FEW:
            yield by_mixtures(welfare, table, tolerances.FACE_DEPTH / 5)  # the ties are clear to those who look closer
    elif sizes.TRANSPORTS < transports <= sizes.MOST_TRANSPORTS:
        proved = by_transports(welfare, dense(table))
        if proved is not None:
            yield proved


def _chosen(welfare: Gini, table: Any, proved: Proved, choice: Selection) -> Answer | None:
    """The optimum that `tie_break` asks for, if few arms can be played at all."""
    worth = np.asarray(proved.mixture @ table).ravel()
    arms = np.flatnonzero(worth >= worth.max() - NEAR)
    if len(arms) > FEW:
        return None
    rows, weights = _in_runs(welfare, dense(table[:, arms]), proved.policy[arms])
    found = whole_game(welfare.on(weights), rows, choice.on(arms))
    policy = placed(found.policy, arms, len(worth))
    value, bound = welfare.value(table @ policy), found.value + found.gap
    others = float(np.delete(worth, arms).max(initial=-np.inf))
    if bound - value > welfare.enough or others >= bound:
        return None
    exact = bound - value <= tolerances.OPTIMUM_TIE / 2
    return Answer(policy, value, max(bound - value, 0.0), found.margin if exact else 0.0)


def _in_runs(welfare: Gini, rows: np.ndarray, policy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows, weights): those who are far from others in what they get, one after the other, as one row.

    A run of them keeps its ranks near the policy, so its row is their mean by the weights of those ranks. Elsewhere the
    welfare of the runs is that of some of the orders, and so no less than that of all: it still bounds the best.
    """
    utilities = rows @ policy
    order = np.argsort(utilities, kind="stable")
    apart = np.diff(utilities[order], prepend=-np.inf, append=np.inf) > CLOSE
    alone = apart[:-1] & apart[1:]
    starts = np.flatnonzero(~(alone & np.append(False, alone[:-1])))
    shares = welfare.given(utilities)[order]
    total = np.add.reduceat(shares, starts)
    mixed = np.add.reduceat(shares[:, None] * rows[order], starts, axis=0)
    first = rows[order][starts]
    merged = np.where(total[:, None] > 0, mixed / np.where(total > 0, total, 1.0)[:, None], first)
    return np.ascontiguousarray(merged), np.add.reduceat(welfare.weights[order], starts)
