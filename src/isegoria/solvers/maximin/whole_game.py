"""The highest welfare where agents and arms are few: all are looked at together, as one matrix game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import placed
from isegoria.solvers.algebra.pair_products import products
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.simplicial_decomposition import climb
from isegoria.solvers.maximin.cuts import Cuts
from isegoria.solvers.maximin.largest_total import in_doubt
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import choose, corner_of_cuts
from isegoria.solvers.ties.tie_break import TieBreak

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair
    from isegoria.solvers.ties.selection import Cut

NEAR = 1e-7  # arms whose slack is more play next to nothing
ENOUGH = tolerances.FACE_DEPTH / 5  # a gap at which there is a choice to be made
MOST_LEVELS = 100  # halving a value of at most 1 down to rounding takes half as many


def whole_game(welfare: Least | Gini, rows: np.ndarray, choice: Selection, fair: Fair | None = None) -> Answer:
    """The policy whose lowest cut is highest, among all or among the `fair` ones, for `rows` (N, K)."""
    whole, doubt, tie_break = welfare(rows), np.inf, choice.tie_break
    if fair is None:
        traced = tie_break == TieBreak.UTILITARIAN and isinstance(welfare, Least)
        (policy, value, _, margin), mixture = play(welfare(rows, traced) if traced else whole)
        if traced:
            doubt, mixture = in_doubt(mixture, rows.shape[1]), mixture[: rows.shape[1]]
    else:
        start = fair.corner(choice.direction)[None, :]
        policy, mixture, _ = climb(fair, start, lambda corners: in_hull(welfare, rows, corners))
        policy = simplex_point(policy)
        value, margin = whole.value(policy), 0.0
    bound = _support(mixture, fair)
    proved = bound - value <= ENOUGH
    if not proved:
        policy, value, bound = _tightened(whole, policy, bound, fair)
        margin = 0.0
    found = Answer(policy, value, max(bound - value, 0.0), margin)
    if tie_break is None or (tie_break == TieBreak.VERTEX and margin > 0):  # any will do, or there is no other
        return found
    if choice.copies is not None and fair is None and proved and max(bound - mixture) > NEAR:
        return _on_tight(welfare, rows, choice, bound - mixture, found)
    if tie_break == TieBreak.VERTEX:
        corner, margin = _first_corner(welfare, rows, policy, value, mixture, fair)
        return _kept(whole, corner, margin, found)

    level, separate = value - tolerances.FACE_DEPTH, None if fair is None else fair.separate

    def build(given: list[Cut]) -> Projection:
        return Projection(whole.arms, whole, level, None, given, separate, choice.copies)

    chosen, margin = choose(build, choice)
    return _kept(whole, simplex_point(chosen), min(margin, doubt), found)


def _on_tight(welfare: Least | Gini, rows: np.ndarray, choice: Selection, slack: np.ndarray, found: Answer) -> Answer:
    """The choice among the arms that an optimum can play at all, whose `slack` (K,) is next to nothing."""
    arms = np.flatnonzero((slack <= NEAR) | (found.policy > 0))
    if len(arms) == len(slack):
        arms = np.flatnonzero(slack <= NEAR)
    part = whole_game(welfare, np.ascontiguousarray(rows[:, arms]), choice.on(arms))
    policy = placed(part.policy, arms, len(slack))
    margin = min(part.margin, float(slack[slack > NEAR].min()))
    return _kept(welfare(rows), policy, margin, found)


def _kept(whole: Cuts, chosen: np.ndarray, margin: float, found: Answer) -> Answer:
    """The chosen policy, or the one that was `found` where the set of optima is too thin to choose from."""
    reached, bound = whole.value(chosen), found.value + found.gap
    if margin == 0 or bound - reached > tolerances.OPTIMUM_TIE / 2:
        return found._replace(margin=0.0)
    return Answer(chosen, reached, max(bound - reached, 0.0), margin)


def _first_corner(
    welfare: Least | Gini, rows: np.ndarray, policy: np.ndarray, value: float, mixture: np.ndarray, fair: Fair | None
) -> tuple[np.ndarray, float]:
    """(policy, margin): the lexicographically largest corner of the optima, on the arms that they can play."""
    least = max(mixture.tolist()) - tolerances.NEAR_TIE if fair is None else -np.inf
    arms = ((mixture >= least) | (policy > 0)).nonzero()[0]
    if len(arms) == 1:
        return policy, float("inf")
    alone = placed(1.0, arms[:1], len(policy))
    if fair is None and welfare(rows).value(alone) >= value > tolerances.NEAR_TIE:
        return alone, 1.0  # all on the first arm: no corner is larger
    part, point = rows.take(arms, axis=1), policy.take(arms)
    tight = welfare.tight(part, products(part, point))
    found, margin = corner_of_cuts(welfare(part), value, point, tight, part[:0], fair)
    return placed(found, arms, len(policy)), margin


def _support(mixture: np.ndarray, fair: Fair | None) -> float:
    """The largest mixture·p of an allowed policy, which bounds the value of every one."""
    return max(mixture.tolist()) if fair is None else fair.support(mixture)  # a list: a call of NumPy costs more


def _tightened(whole: Cuts, policy: np.ndarray, high: float, fair: Fair | None) -> tuple[np.ndarray, float, float]:
    """(policy, value, bound) no further apart than is enough, from projections onto levels that either are reached or
    prove that they cannot be. It mends what cuts that differ by almost nothing do to the inverse of a basis."""
    low, step = whole.value(policy), True
    for _ in range(MOST_LEVELS):
        if high - low <= ENOUGH:
            break
        level = low + ENOUGH / 2 if step else (low + high) / 2
        polytope = Projection(whole.arms, whole, level, separate=None if fair is None else fair.separate)
        point = simplex_point(polytope.nearest(np.zeros(whole.arms)))
        mixture, step = polytope.mixture(), False
        if mixture is not None:
            high, step = min(high, _support(mixture, fair)), True
        elif whole.value(point) > low:
            policy, low = point, whole.value(point)
    return policy, low, high


def in_hull(welfare: Least | Gini, rows: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best policy in the hull of `corners`, the mixture of cuts that bounds it there, and how much of each row is
    in that: a corner is an arm of a smaller game."""
    found, mixture = play(welfare(np.ascontiguousarray(rows @ corners.T), traced=True))
    multipliers = mixture[len(corners) :]
    return found.policy @ corners, multipliers @ rows, multipliers
