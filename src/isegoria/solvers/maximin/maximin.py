"""The highest welfare of those who get least, and the policy that reaches it: the lowest cut, as high as it goes.

Where agents and arms are few, all are looked at together (`whole_game`); else those that matter are searched for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer
from isegoria.solvers.maximin.many_ranks import many_ranks
from isegoria.solvers.maximin.row_generation import in_memory
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.solvers.maximin.whole_game import whole_game

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair


def maximin(
    welfare: Least | Gini,
    table: np.ndarray,
    tie_break: str,
    direction: np.ndarray,
    fair: Fair | None = None,
) -> Answer:
    """The policy of highest `welfare`, among all or among the `fair` ones.

    `table` (N, K) holds utilities, dense or sparse; `direction` (K,) is what `tie_break="utilitarian"` maximises.
    """
    if is_large(table):
        found = _searched(welfare, table, tie_break, direction, fair)
        if found is not None:
            return found
        if fair is None and table.shape[0] * table.shape[1] > sizes.GAME_WHOLE:
            raise CertificationError(
                f"the best policy for {table.shape[0]:,} agents and {table.shape[1]:,} arms could not be proved: too "
                "many of them are tied. Merging agents who rate alike, or rounding their means, usually helps."
            )
    rows = table if isinstance(table, np.ndarray) else table.toarray()
    return whole_game(welfare, rows, tie_break, direction, fair)


def is_large(table: Any) -> bool:
    """Whether the agents and arms that matter are worth looking for."""
    return table.shape[1] > sizes.GAME_ARMS or table.shape[0] * table.shape[1] > sizes.GAME_ENTRIES


def _searched(
    welfare: Least | Gini, table: Any, tie_break: str, direction: np.ndarray, fair: Fair | None
) -> Answer | None:
    """The `Answer` from the agents who matter if few can, and else from all of them; None if it is not proved."""
    few = welfare.deep <= sizes.FEW_RANKS or welfare.deep <= min(sizes.RANKS, table.shape[0] // 4)
    few &= not (isinstance(welfare, Gini) and welfare.counts_all)
    if few:
        found = _by_program(welfare, table, tie_break, direction) if fair is None else None
        return in_memory(welfare, table, tie_break, direction, fair) if found is None else found
    return many_ranks(welfare, table, tie_break, direction) if fair is None and isinstance(welfare, Gini) else None


def _by_program(welfare: Least | Gini, table: Any, tie_break: str, direction: np.ndarray) -> Answer | None:
    """The `Answer` from the plain linear program, if the table is sparse enough for it."""
    agents, arms = table.shape
    if arms <= sizes.GAME_ARMS or agents * arms < sizes.PROGRAM_TABLE:
        return None
    entries = np.count_nonzero(table) if isinstance(table, np.ndarray) else table.nnz
    if entries > min(sizes.PROGRAM_ENTRIES, agents * arms * sizes.PROGRAM_DENSITY):
        return None
    from scipy.sparse import csr_array

    from isegoria.solvers.maximin.linear_program import least_utility, optimum

    listed = csr_array(table)
    found = least_utility(listed)
    return None if found is None else optimum(welfare, listed, found, tie_break, direction)
