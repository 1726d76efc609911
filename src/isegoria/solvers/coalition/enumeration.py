"""The core of a few types, exactly: every coalition in turn, each with a proof of its own.

A coalition C of share α gives its members α a_i·Q − v_i = (α a_i − v_i)·Q by playing Q: the payoffs of a matrix game.
Weights y on the members with max_k Σ_i y_i (α a_ik − v_i) < 0 prove that somebody loses by every Q. They are the
solution of the game seen from the other side, where it is as small as the coalition, however many arms there are.
Only where nobody need lose is a linear program asked how much there is to gain.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.rows.views import dense
from isegoria.solvers.coalition.blocking import Search, best_deviation, blocks
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play

MOST_TYPES = 12
"""Up to this many types all coalitions are tried: 4,095 small games, about a tenth of a second."""


def every_coalition(rows: Any, shares: np.ndarray, values: np.ndarray, deadline: float) -> Search:
    """A blocking coalition, or the largest bound over all of them; infinity if time ran out before the last.

    Types that value nothing join every coalition: they cannot lose, and their share helps the others.
    """
    rows = dense(rows)
    choosing = np.flatnonzero(rows.any(axis=1))
    bound = 0.0
    for code in range(1, 2 ** len(choosing)):
        members = ~rows.any(axis=1)
        members[choosing] = (code >> np.arange(len(choosing))) & 1 == 1
        if somebody_loses(rows, shares, values, members):
            continue
        if monotonic() > deadline:
            return Search(None, None, np.inf)
        found = best_deviation(rows, shares, values, members)
        if found.policy is not None and blocks(rows @ found.policy, shares, values, members):
            return Search(members, found.policy, np.inf)
        bound = max(bound, found.bound)
    return Search(None, None, bound)


def somebody_loses(rows: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> bool:
    """Whether there are weights on the members that prove a loss above CORE_LOSS to one of them by every policy."""
    losses = np.ascontiguousarray((values[members, None] - shares[members].sum() * rows[members]).T)
    weights = play(RowCuts(losses))[0].policy
    return float((losses @ weights).min()) > tolerances.CORE_LOSS
