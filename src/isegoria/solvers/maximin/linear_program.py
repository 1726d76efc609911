"""Maximin by the plain linear program: HiGHS considers all agents and arms at once.

It serves where many agents hold the minimum down, each a little: dense tables of hundreds of agents and arms, and large
sparse ones, such as ballots for a single arm. Generating a few rows at a time would take hours there. From the vertex
of HiGHS, `basis` computes an exact one, with its proof. If it is not the only optimum, the choice is made on the arms
that the tight agents leave open. If their mixture is one of orders, a Gini welfare has the same optima.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.solvers import method_limits
from isegoria.solvers.maximin.exact_basis import bound_policy, refine_basis
from isegoria.solvers.maximin.permutahedron import hull_excess, hull_margin
from isegoria.solvers.maximin.tied_optima import choose_tied_optimum
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare, MinimumWelfare
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.csr_rows import to_csr_rows
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def solve_by_program(welfare: MinimumWelfare | GiniWelfare, table: Any, choice: Selection) -> SolverResult | None:
    """Return the `SolverResult` for a table (N, K) from the program, if it serves such tables and is proved; else None.

    The table is dense or sparse.
    """
    agents, arms = table.shape
    square, large = _prefers_lp(agents, arms), agents * arms >= method_limits.SPARSE_LP_MIN_SIZE
    if not square and not (large and arms > method_limits.GAME_ARMS):
        return None
    entries = np.count_nonzero(table) if isinstance(table, np.ndarray) else table.nnz
    square = square and bool(entries <= method_limits.SQUARE_LP_MAX_ENTRIES)
    if not square and entries > min(
        method_limits.SPARSE_LP_MAX_ENTRIES, agents * arms * method_limits.SPARSE_LP_MAX_DENSITY
    ):
        return None
    table = (
        to_csr_rows(table).matrix() if entries <= method_limits.MAX_SPARSE_DENSITY * agents * arms else to_dense(table)
    )
    found = maximise_minimum(table)
    return None if found is None else choose_lp_optimum(welfare, table, found, choice)


def _prefers_lp(agents: int, arms: int) -> bool:
    """Return whether so many agents may be tight that searching for them takes longer than the whole program."""
    short, long = min(agents, arms), max(agents, arms)
    oblong = (
        short > method_limits.OBLONG_LP_SIDE
        and agents * arms > method_limits.SQUARE_LP_SIDE**2
        and long <= method_limits.OBLONG_LP_MAX_RATIO * short
    )
    return short > method_limits.SQUARE_LP_SIDE or oblong


def maximise_minimum(table: np.ndarray | csr_array) -> BoundedPolicy | None:
    """Maximise the minimum utility of a dense or sparse `table` (N, K); return a vertex, or None if not proved.

    HiGHS solves for the mixture of agents if the table is dense and for the policy if it is sparse, which takes half
    the time.

    >>> maximise_minimum(np.array([[1.0, 0.0], [0.0, 0.5]])).policy.round(6).tolist()
    [0.333333, 0.666667]
    """
    full = isinstance(table, np.ndarray)
    low, high = float(table.min()) if full else 0.0, float(table.max())
    stuck = np.ravel(table.max(axis=1) if full else table.max(axis=1).toarray()) <= low
    if stuck.any():  # some agent gets the minimum under every policy, and HiGHS would cycle for seconds
        return bound_policy(table, np.eye(1, table.shape[1])[0], stuck.astype(float))
    game = (table - low) / (high - low) if full else table / high  # the same game, scaled to HiGHS's tolerances
    solved = _solve_lp(-game.T, 1.0, presolve=False) if full else _solve_lp(game, -1.0, presolve=True)
    if solved.status != 0:
        return None
    policy, mixture = solved.x[:-1], -solved.ineqlin.marginals
    found = refine_basis(game, bound_policy(game, *((mixture, policy) if full else (policy, mixture))))
    found = bound_policy(table, found.policy, found.mixture, found.margin * (high - low) ** 2)
    return found if found.gap <= tolerances.EGALITARIAN_GAP / 2 else None


def _solve_lp(rows: Any, sign: float, presolve: bool) -> Any:
    """Solve by SciPy for x ≥ 0 of sum 1 with the maximum v such that `rows` (m, n) x ≥ v.

    With a `sign` of 1 it minimises −v instead. The last variable is v, or −v.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    m, n = rows.shape
    border = np.full((m, 1), -sign)
    return linprog(
        np.append(np.zeros(n), sign),
        A_ub=np.hstack([-rows, border]) if isinstance(rows, np.ndarray) else hstack([-rows, border], format="csr"),
        b_ub=np.zeros(m),
        A_eq=csr_array(np.append(np.ones(n), 0.0)[None]),
        b_eq=[1.0],
        bounds=np.column_stack([np.append(np.zeros(n), -np.inf), np.full(n + 1, np.inf)]),
        method="highs-ds" if isinstance(rows, np.ndarray) else "highs",
        options={"presolve": presolve},
    )


def choose_lp_optimum(
    welfare: MinimumWelfare | GiniWelfare, table: Any, found: BoundedPolicy, choice: Selection
) -> SolverResult | None:
    """Return the `SolverResult` among the maximin optima; for a Gini welfare only if it has the same optima, else
    None."""
    spare, beyond = np.inf, 0.0
    if isinstance(welfare, GiniWelfare):
        spare = hull_margin(found.mixture, welfare.weights, welfare.prefix)
        beyond = hull_excess(found.mixture, welfare.weights, welfare.prefix)
    if spare <= tolerances.NEAR_TIE or beyond > tolerances.OPTIMUM_TIE / 4:
        return None
    policy, margin = found.policy, found.margin
    if margin == 0 and choice.tie_break == TieBreak.VERTEX:
        pass  # the vertex at which the solver stopped is one of several
    elif margin == 0 and choice.tie_break is not None:
        policy, margin = choose_tied_optimum(MinimumWelfare(), table, found, choice, maximise_minimum)
    value, bound = welfare.value(table @ policy), found.bound + beyond
    if bound - value > tolerances.OPTIMUM_TIE / 2:
        policy, value, margin = found.policy, welfare.value(table @ found.policy), 0.0
    gap = max(bound - value, 0.0)
    return SolverResult(policy, value, gap, min(margin, spare)) if gap <= welfare.enough else None
