"""Maximise a Gini welfare in which nearly all ranks matter, so that no agent can be left out (linear weights, say)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from isegoria.solvers import method_limits
from isegoria.solvers.maximin.augmented_lagrangian import solve_augmented_lagrangian
from isegoria.solvers.maximin.column_generation import solve_by_columns
from isegoria.solvers.maximin.exact_vertex import MIN_PLAYED_PROBABILITY, find_exact_vertex
from isegoria.solvers.maximin.matrix_game import solve_whole_game
from isegoria.solvers.maximin.tied_optima import IDLE_ARM_SLACK
from isegoria.solvers.maximin.transport_program import solve_by_transports
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter, to_dense

MAX_EXACT_TIE_ARMS = 12  # maximum arms for an exact choice among ties
SEPARATION_TOLERANCE = 1e-5  # agents whose utilities differ by more keep their order during the choice


def solve_many_ranks(welfare: GiniWelfare, table: Any, choice: Selection) -> SolverResult | None:
    """Return the `SolverResult` for a dense or sparse `table` (N, K); None if it cannot be proved.

    Most often it is the only optimum. If it is not, or rounding cannot tell, and more than a few arms are involved, no
    choice among ties is made, and the margin is 0.
    """
    agents, arms = table.shape
    if agents * arms <= method_limits.MAX_SIMPLEX_ENTRIES and (
        arms <= method_limits.GAME_ARMS or agents * welfare.deep <= method_limits.TRANSPORT_LP_MIN
    ):
        found = _solve_as_game(welfare, to_dense(table), choice)
        if found.gap <= welfare.enough:
            return found
    best = None
    for proved in _iter_bounded_policies(welfare, table):
        corner = find_exact_vertex(welfare, table, proved)
        if corner is not None and corner.margin > 0:
            return corner
        if best is None or proved.bound - proved.value < best.bound - best.value:
            best = proved
    assert best is not None
    policy = simplex_point(best.policy)
    value = welfare.value(table @ policy)
    if best.bound - value > welfare.enough:
        return None
    return _break_ties(welfare, table, best, choice) or SolverResult(policy, value, max(best.bound - value, 0.0), 0.0)


def _solve_as_game(welfare: GiniWelfare, rows: np.ndarray, choice: Selection) -> SolverResult:
    if rows.shape[1] <= method_limits.GAME_ARMS:
        return solve_whole_game(welfare, rows, choice)
    return solve_by_columns(welfare, rows, choice, np.zeros(0, dtype=np.int64))


def _iter_bounded_policies(welfare: GiniWelfare, table: Any) -> Iterator[BoundedPolicy]:
    """Yield policies with proofs, by the method for this size, then by another while that is not enough."""
    transports = table.shape[0] * welfare.deep
    proved = solve_by_transports(welfare, to_dense(table)) if transports <= method_limits.TRANSPORT_LP_MAX else None
    if proved is not None:
        yield proved
        if proved.bound - proved.value <= welfare.enough:
            return
    proved = solve_augmented_lagrangian(welfare, table, welfare.enough / 2)
    yield proved
    if proved.bound - proved.value <= welfare.enough:
        if (proved.policy > MIN_PLAYED_PROBABILITY).sum() > MAX_EXACT_TIE_ARMS:
            yield solve_augmented_lagrangian(
                welfare, table, tolerances.FACE_DEPTH / 5
            )  # a tighter solution identifies the ties
    elif method_limits.TRANSPORT_LP_MAX < transports <= method_limits.TRANSPORT_LP_FALLBACK_MAX:
        proved = solve_by_transports(welfare, to_dense(table))
        if proved is not None:
            yield proved


def _break_ties(welfare: GiniWelfare, table: Any, proved: BoundedPolicy, choice: Selection) -> SolverResult | None:
    """Return the optimum that `tie_break` asks for, if only few arms can be played at all; else None."""
    worth = np.asarray(proved.mixture @ table).ravel()
    arms = np.flatnonzero(worth >= worth.max() - IDLE_ARM_SLACK)
    if len(arms) > MAX_EXACT_TIE_ARMS:
        return None
    rows, weights = _merge_separated_runs(welfare, to_dense(table[:, arms]), proved.policy[arms])
    found = solve_whole_game(welfare.on(weights), rows, choice.on(arms))
    policy = scatter(found.policy, arms, len(worth))
    value, bound = welfare.value(table @ policy), found.value + found.gap
    others = float(np.delete(worth, arms).max(initial=-np.inf))
    if bound - value > welfare.enough or others >= bound:
        return None
    exact = bound - value <= tolerances.OPTIMUM_TIE / 2
    return SolverResult(policy, value, max(bound - value, 0.0), found.margin if exact else 0.0)


def _merge_separated_runs(welfare: GiniWelfare, rows: np.ndarray, policy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (rows, weights): consecutive agents whose utilities are far from all others, merged to one row per run.

    Near the policy a run keeps its ranks, so its row is their mean by the weights of those ranks. Elsewhere the welfare
    of the runs is that of some of the orders, and so no less than that of all: it still bounds the optimum.
    """
    utilities = rows @ policy
    order = np.argsort(utilities, kind="stable")
    apart = np.diff(utilities[order], prepend=-np.inf, append=np.inf) > SEPARATION_TOLERANCE
    alone = apart[:-1] & apart[1:]
    starts = np.flatnonzero(~(alone & np.append(False, alone[:-1])))
    shares = welfare.given(utilities)[order]
    total = np.add.reduceat(shares, starts)
    mixed = np.add.reduceat(shares[:, None] * rows[order], starts, axis=0)
    first = rows[order][starts]
    merged = np.where(total[:, None] > 0, mixed / np.where(total > 0, total, 1.0)[:, None], first)
    return np.ascontiguousarray(merged), np.add.reduceat(welfare.weights[order], starts)
