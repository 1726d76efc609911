"""The largest least utility for a large sparse table, by the plain linear program: HiGHS looks at all agents at once.

Where many hold the least down, each a little, as ballots for a single arm do, asking for a few at a time would take
hours. The program's policy and its mixture of agents are proved in plain arithmetic. The choice among several optima is
made on the arms that those who hold the least down leave open; where their mixture is one of orders, a Gini welfare has
the same optima.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.maximin.column_generation import NEAR, choose_among
from isegoria.solvers.maximin.permutahedron import excess, room
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.solvers.nash.sparse_rows import SparseRows, fixed_arms
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.tie_break import TieBreak

if TYPE_CHECKING:
    from isegoria.solvers.ties.selection import Cut


class LeastUtility(NamedTuple):
    """A policy and the least utility under it; the bound of all, and the `mixture` (N,) of agents that proves it."""

    policy: np.ndarray
    value: float
    bound: float
    mixture: np.ndarray


def least_utility(table: csr_array) -> LeastUtility | None:
    """The best policy for the agents of a sparse `table` (N, K); None if it is not proved.

    >>> least_utility(csr_array([[1.0, 0.0], [0.0, 0.5]])).policy.round(6).tolist()
    [0.333333, 0.666667]
    """
    from scipy.optimize import linprog

    agents, arms = table.shape
    solved = linprog(
        np.append(np.zeros(arms), -1.0),
        A_ub=hstack([-table, np.ones((agents, 1))], format="csr"),
        b_ub=np.zeros(agents),
        A_eq=csr_array(np.append(np.ones(arms), 0.0)[None]),
        b_eq=[1.0],
        bounds=[(0, None)] * arms + [(None, None)],
        method="highs",
    )
    if solved.status != 0:
        return None
    policy = simplex_point(np.maximum(solved.x[:-1], 0.0))
    mixture = np.maximum(-solved.ineqlin.marginals, 0.0)
    mixture /= mixture.sum()
    found = LeastUtility(policy, float((table @ policy).min()), float((mixture @ table).max()), mixture)
    return found if found.bound - found.value <= tolerances.EGALITARIAN_GAP / 2 else None


def optimum(
    welfare: Least | Gini, table: csr_array, found: LeastUtility, tie_break: str, direction: np.ndarray
) -> Answer | None:
    """The `Answer` among the optima for the least, for a Gini welfare if it has the same ones; else None."""
    spare, beyond = np.inf, 0.0
    if isinstance(welfare, Gini):
        spare = room(found.mixture, welfare.weights, welfare.prefix)
        beyond = excess(found.mixture, welfare.weights, welfare.prefix)
    if spare <= tolerances.NEAR_TIE or beyond > tolerances.OPTIMUM_TIE / 4:
        return None
    policy, margin = _chosen(table, found, tie_break, direction, welfare.copies)
    value, bound = welfare.value(table @ policy), found.bound + beyond
    if bound - value > tolerances.OPTIMUM_TIE / 2:
        policy, value, margin = found.policy, welfare.value(table @ found.policy), 0.0
    gap = max(bound - value, 0.0)
    return Answer(policy, value, gap, min(margin, spare)) if gap <= welfare.enough else None


def _chosen(
    table: csr_array, found: LeastUtility, tie_break: str, direction: np.ndarray, copies: np.ndarray | None
) -> tuple[np.ndarray, float]:
    """(policy, margin): the choice among the optima, on the arms that those who hold the least down leave open."""
    holding = found.mixture > tolerances.NEAR_TIE
    slack = found.bound - np.asarray(found.mixture @ table).ravel()
    arms = np.flatnonzero(slack <= NEAR)
    margin = min(float(found.mixture[holding].min()), float(slack[slack > NEAR].min(initial=np.inf)))
    held = table[holding][:, arms]
    held.sort_indices()
    fixed = fixed_arms(SparseRows(held.indptr.astype(np.int64), held.indices.astype(np.int32), held.data, len(arms)))
    policy = np.where(np.isin(np.arange(len(slack)), arms[fixed]), found.policy, 0.0)
    share = 1 - policy.sum()
    if fixed.all() or share <= tolerances.NEAR_TIE:
        return found.policy, margin
    if tie_break == TieBreak.VERTEX:  # the corner in which the program ended is one of several
        return found.policy, 0.0
    least = (found.value - tolerances.FACE_DEPTH - table @ policy) / share
    played, chosen, sharpness = choose_among(
        lambda some: _polytope(table[:, some], least, holding, None if copies is None else copies[some]),
        arms[~fixed],
        tie_break,
        direction,
        copies,
    )
    if sharpness == 0:
        return found.policy, 0.0
    policy[played] = share * chosen
    return simplex_point(policy), min(margin, sharpness)


def _polytope(
    rows: csr_array, least: np.ndarray, holding: np.ndarray, copies: np.ndarray | None
) -> Callable[[list[Cut]], Projection]:
    """The policies under which each row gets its `least`: rows that hold it down from the beginning, others as they
    are found to get less."""

    def cut(i: int) -> tuple[np.ndarray, float]:
        return rows[[i]].toarray().ravel(), float(least[i])

    def separate(point: np.ndarray) -> tuple[np.ndarray, float] | None:
        spare = rows @ point - least
        worst = int(spare.argmin())
        return cut(worst) if spare[worst] < -tolerances.FACE_DEPTH / 10 else None

    first = [cut(i) for i in np.flatnonzero(holding & (np.diff(rows.indptr) > 0)).tolist()]
    return lambda given: Projection(rows.shape[1], given=first + given, separate=separate, copies=copies)
