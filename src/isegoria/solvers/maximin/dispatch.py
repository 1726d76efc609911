"""Maximise the welfare of the worst-off (the lowest cut), by the method that serves the size.

With few agents and arms, all are considered together (`solve_whole_game`); otherwise those that matter are searched
for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers import method_limits
from isegoria.solvers.maximin.column_generation import solve_by_columns
from isegoria.solvers.maximin.linear_program import solve_by_program
from isegoria.solvers.maximin.many_rank_gini import solve_many_ranks
from isegoria.solvers.maximin.matrix_game import solve_whole_game
from isegoria.solvers.maximin.row_generation import solve_by_rows
from isegoria.solvers.maximin.welfare_functions import GiniWelfare, MinimumWelfare
from isegoria.solvers.result import Selection, SolverResult
from isegoria.utils.threads import single_blas_thread

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import FairPolytope


def solve_maximin(
    welfare: MinimumWelfare | GiniWelfare, table: np.ndarray, choice: Selection, fair: FairPolytope | None = None
) -> SolverResult:
    """Maximise `welfare` over all or the `fair` policies; `table` (N, K) holds utilities, dense or sparse."""
    if is_large(table):
        found = _search_large(welfare, table, choice, fair)
        if found is not None:
            return found
        if fair is None and table.shape[0] * table.shape[1] > method_limits.MAX_RETRY_ENTRIES:
            raise CertificationError(
                f"the best policy for {table.shape[0]:,} agents and {table.shape[1]:,} arms could not be proved: too "
                "many of them are tied. Merging agents with equal ratings, or rounding their means, usually helps."
            )
    rows = table if isinstance(table, np.ndarray) else table.toarray()
    return solve_whole_game(welfare, rows, choice, fair)


def is_large(table: Any) -> bool:
    """Return whether searching for the agents and arms that matter pays."""
    return table.shape[1] > method_limits.GAME_ARMS or table.shape[0] * table.shape[1] > method_limits.GAME_ENTRIES


def _is_one_game(table: Any) -> bool:
    """Return whether one game of all agents and arms is quicker than several of those that matter."""
    agents, arms = table.shape
    return (
        isinstance(table, np.ndarray)
        and arms <= min(method_limits.SQUARE_LP_SIDE, 2 * agents)
        and agents * arms <= method_limits.MAX_SIMPLEX_ENTRIES
    )


@single_blas_thread()
def _search_large(
    welfare: MinimumWelfare | GiniWelfare, table: Any, choice: Selection, fair: FairPolytope | None
) -> SolverResult | None:
    """Return the `SolverResult` from the agents that matter if few can, else from all of them; None if it is not
    proved."""
    few = welfare.deep <= method_limits.FEW_GINI_RANKS or welfare.deep <= min(
        method_limits.MAX_ROW_GENERATION_RANKS, table.shape[0] // 4
    )
    few &= not (isinstance(welfare, GiniWelfare) and welfare.counts_all)
    if few and fair is None and _is_one_game(table):
        whole = solve_by_columns(welfare, table, choice, np.arange(table.shape[1]))
        if whole.gap <= welfare.enough:
            return whole
    if few:
        found = solve_by_program(welfare, table, choice) if fair is None else None
        return solve_by_rows(welfare, table, choice, fair) if found is None else found
    return solve_many_ranks(welfare, table, choice) if fair is None and isinstance(welfare, GiniWelfare) else None
