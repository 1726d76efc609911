"""Maximise the level of some rows while others keep what they have: a linear program, as a few matrix games.

Let v(t) be the value of the game of the free rows m_i and the held ones shifted to the level, m_j + t − u_j. The
maximum level is the largest t with v(t) = t, if the held rows can keep what they have. Above it v(t) < t, and the
multipliers of the game, of which a part S is on held rows, prove that no level exceeds (v(t) − S t)/(1 − S): Newton's
method, from above, on finitely many pieces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.fair_set.simplicial_decomposition import simplicial_decomposition
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.matrix_game import solve_in_hull
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.welfare_functions import MinimumWelfare
from isegoria.solvers.rows.simplex import simplex_point

MAX_HELD_MULTIPLIER = 1 - 1e-7  # if held rows have a larger share of the multipliers, these do not bound the level
LEVEL_TOLERANCE = 1e-14  # a level missed by less counts as reached: the rounding of some dot products
MAX_NEWTON_STEPS = 60  # games of a hundred rows have taken five


class Level(NamedTuple):
    """The `level` that no policy exceeds, by the `multipliers` (N,) of all rows; a `policy` that reaches `value`."""

    level: float
    multipliers: np.ndarray
    policy: np.ndarray
    value: float

    @property
    def gap(self) -> float:
        return self.level - self.value


class GameResult(NamedTuple):
    """A policy, the minimum of the rows under it, and the multipliers (n,) of the rows, which prove the `bound`."""

    policy: np.ndarray
    value: float
    multipliers: np.ndarray
    bound: float


def highest_level(rows: np.ndarray, held: np.ndarray, fair: FairPolytope | None = None) -> Level:
    """Maximise t with rows[i] @ p ≥ t for free rows (`held` is NaN) and rows[j] @ p ≥ held[j] for the others.

    The maximum is over all policies or the `fair` ones. The value also counts what a held row lacks.

    >>> found = highest_level(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([np.nan, 0.25]))
    >>> found.level, found.policy.tolist()
    (0.75, [0.75, 0.25])
    """
    free = np.isnan(held)
    best = rows[free].max(axis=1)
    level = float(best.min())  # no policy gives that row more than its best, …
    multipliers = np.zeros(len(rows))
    multipliers[np.flatnonzero(free)[best.argmin()]] = 1.0  # … which this multiplier proves
    for _ in range(MAX_NEWTON_STEPS):
        found = solve_restricted_game(rows + np.where(free, 0.0, level - held)[:, None], fair)
        on_held = float(found.multipliers[~free].sum())
        lower = (found.bound - on_held * level) / (1 - on_held) if on_held < MAX_HELD_MULTIPLIER else level
        if found.value >= level - LEVEL_TOLERANCE or lower >= level:
            break
        level, multipliers = lower, found.multipliers
    return Level(level, multipliers, found.policy, found.value)


def solve_restricted_game(rows: np.ndarray, fair: FairPolytope | None = None) -> GameResult:
    """Solve the game of these rows, over all policies or the `fair` ones, which are mixtures of their vertices."""
    if fair is None:
        (policy, value, _, _), mixture = play(RowCuts(np.ascontiguousarray(rows), True))
        arms = rows.shape[1]
        return GameResult(policy, value, mixture[arms:], float(mixture[:arms].max()))
    start = fair.corner(rows.mean(axis=0))[None, :]
    policy, slope, multipliers, _ = simplicial_decomposition(
        fair, start, lambda corners: solve_in_hull(MinimumWelfare(), rows, corners)
    )
    policy = simplex_point(policy)
    return GameResult(policy, float((rows @ policy).min()), multipliers, fair.support(slope))
