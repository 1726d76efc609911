"""The highest welfare of those who get least, and the policy that reaches it: the lowest cut, as high as it goes.

Where agents and arms are few, all are looked at together (`whole_game`); else those that matter are searched for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.maximin.linear_program import by_program
from isegoria.solvers.maximin.many_ranks import many_ranks
from isegoria.solvers.maximin.row_generation import in_memory
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.solvers.maximin.whole_game import whole_game
from isegoria.threads import one_thread

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair


def maximin(welfare: Least | Gini, table: np.ndarray, choice: Selection, fair: Fair | None = None) -> Answer:
    """The policy of highest `welfare`, among all or among the `fair` ones; `table` (N, K) holds utilities, dense or
    sparse."""
    if is_large(table):
        found = _searched(welfare, table, choice, fair)
        if found is not None:
            return found
        if fair is None and table.shape[0] * table.shape[1] > sizes.GAME_WHOLE:
            raise CertificationError(
                f"the best policy for {table.shape[0]:,} agents and {table.shape[1]:,} arms could not be proved: too "
                "many of them are tied. Merging agents who rate alike, or rounding their means, usually helps."
            )
    rows = table if isinstance(table, np.ndarray) else table.toarray()
    return whole_game(welfare, rows, choice, fair)


def is_large(table: Any) -> bool:
    """Whether the agents and arms that matter are worth looking for."""
    return table.shape[1] > sizes.GAME_ARMS or table.shape[0] * table.shape[1] > sizes.GAME_ENTRIES


@one_thread()
def _searched(welfare: Least | Gini, table: Any, choice: Selection, fair: Fair | None) -> Answer | None:
    """The `Answer` from the agents who matter if few can, and else from all of them; None if it is not proved."""
    few = welfare.deep <= sizes.FEW_RANKS or welfare.deep <= min(sizes.RANKS, table.shape[0] // 4)
    few &= not (isinstance(welfare, Gini) and welfare.counts_all)
    if few:
        found = by_program(welfare, table, choice) if fair is None else None
        return in_memory(welfare, table, choice, fair) if found is None else found
    return many_ranks(welfare, table, choice) if fair is None and isinstance(welfare, Gini) else None
