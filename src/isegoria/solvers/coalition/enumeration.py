"""Exact core for few types: enumerate all coalitions, each with its own proof.

A coalition C of share α gives its members α a_i·Q − v_i = (α a_i − v_i)·Q by playing Q: the payoffs of a matrix game.
Weights y on the members with max_k Σ_i y_i (α a_ik − v_i) < 0 prove that somebody loses under every Q. They solve the
dual game, which is as small as the coalition, however many arms there are. Only if nobody need lose does a linear
program compute how much there is to gain.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from isegoria.solvers.coalition.blocking import CoalitionSearchResult, best_deviation, is_blocking
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense

MAX_ENUMERATED_TYPES = 12
"""Up to this many types, all coalitions are enumerated: 4,095 small games, about 0.1 seconds."""


def search_all_coalitions(rows: Any, shares: np.ndarray, values: np.ndarray, deadline: float) -> CoalitionSearchResult:
    """Return a blocking coalition, or the maximum bound over all coalitions; infinity if time runs out first.

    Types that value nothing join every coalition: they cannot lose, and their share helps the others.
    """
    rows = to_dense(rows)
    choosing = np.flatnonzero(rows.any(axis=1))
    bound = 0.0
    for code in range(1, 2 ** len(choosing)):
        members = ~rows.any(axis=1)
        members[choosing] = (code >> np.arange(len(choosing))) & 1 == 1
        if must_hurt_a_member(rows, shares, values, members):
            continue
        if monotonic() > deadline:
            return CoalitionSearchResult(None, None, np.inf)
        found = best_deviation(rows, shares, values, members)
        if found.policy is not None and is_blocking(rows @ found.policy, shares, values, members):
            return CoalitionSearchResult(members, found.policy, np.inf)
        bound = max(bound, found.bound)
    return CoalitionSearchResult(None, None, bound)


def must_hurt_a_member(rows: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> bool:
    """Return whether weights on the members prove that every policy costs one of them more than CORE_LOSS."""
    losses = np.ascontiguousarray((values[members, None] - shares[members].sum() * rows[members]).T)
    weights = play(RowCuts(losses))[0].policy
    return float((losses @ weights).min()) > tolerances.CORE_LOSS
