"""The highest level that some rows reach while others keep what they have: a linear program, as a few matrix games.

With v(t) the value of the game of the free rows m_i and the held ones raised to the level, m_j + t − u_j, the highest
level is the largest t with v(t) = t, if the held rows can keep what they have at all. Above it v(t) < t, and the
multipliers of the game, of which a part S lies on held rows, prove that no level is above (v(t) − S t)/(1 − S):
Newton's method, from above, on finitely many pieces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.rows.simplex import simplex_point
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.fair_set.simplicial_decomposition import climb
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.welfare import Least
from isegoria.solvers.maximin.whole_game import in_hull

ON_HELD = 1 - 1e-7  # a part of the multipliers on held rows from which on they say nothing about the level
REACHED = 1e-14  # a level that is missed by less is reached: the rounding of some dot products
MOST_STEPS = 60  # of Newton's method; games of a hundred rows have taken five


class Level(NamedTuple):
    """The `level` that no policy exceeds, by the `multipliers` (N,) of all rows; a `policy` that reaches `value`."""

    level: float
    multipliers: np.ndarray
    policy: np.ndarray
    value: float


class Played(NamedTuple):
    """A policy, the least of the rows under it, and the multipliers (n,) of the rows, which bound every such least."""

    policy: np.ndarray
    value: float
    multipliers: np.ndarray
    bound: float


def highest_level(rows: np.ndarray, held: np.ndarray, fair: Fair | None = None) -> Level:
    """The largest t with rows[i] @ p ≥ t for the rows whose `held` (N,) is NaN, and rows[j] @ p ≥ held[j] for the
    others, over all policies or the `fair` ones; the value counts what a held row lacks as well.

    >>> found = highest_level(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([np.nan, 0.25]))
    >>> found.level, found.policy.tolist()
    (0.75, [0.75, 0.25])
    """
    free = np.isnan(held)
    best = rows[free].max(axis=1)
    level = float(best.min())  # no policy gives that row more than its best, …
    multipliers = np.zeros(len(rows))
    multipliers[np.flatnonzero(free)[best.argmin()]] = 1.0  # … which this says
    for _ in range(MOST_STEPS):
        found = played(rows + np.where(free, 0.0, level - held)[:, None], fair)
        on_held = float(found.multipliers[~free].sum())
        lower = (found.bound - on_held * level) / (1 - on_held) if on_held < ON_HELD else level
        if found.value >= level - REACHED or lower >= level:
            break
        level, multipliers = lower, found.multipliers
    return Level(level, multipliers, found.policy, found.value)


def played(rows: np.ndarray, fair: Fair | None = None) -> Played:
    """The game of these rows, among all policies or the `fair` ones, which are mixtures of their corners."""
    if fair is None:
        (policy, value, _, _), mixture = play(RowCuts(np.ascontiguousarray(rows), True))
        arms = rows.shape[1]
        return Played(policy, value, mixture[arms:], float(mixture[:arms].max()))
    start = fair.corner(rows.mean(axis=0))[None, :]
    policy, slope, multipliers = climb(fair, start, lambda corners: in_hull(Least(), rows, corners))
    policy = simplex_point(policy)
    return Played(policy, float((rows @ policy).min()), multipliers, fair.support(slope))
