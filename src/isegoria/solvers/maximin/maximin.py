"""The highest that the lowest cut can be raised, and the policy that raises it."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers import sizes
from isegoria.solvers.algebra.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.fair_set.simplicial_decomposition import climb
from isegoria.solvers.maximin.cuts import Cuts
from isegoria.solvers.maximin.generation import generated
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import choose
from isegoria.solvers.ties.tie_break import TieBreak

MOST_LEVELS = 100  # halving a value of at most 1 down to rounding takes half as many


def maximin(
    cuts: Least | Gini,
    rows: np.ndarray,
    tie_break: str,
    direction: np.ndarray,
    fair: Fair | None = None,
) -> Answer:
    """The policy whose lowest cut is highest, among all or among the `fair` ones.

    `cuts` is a welfare function, `rows` (N, K) the utilities of agents for arms, dense or sparse; `direction` (K,) is
    what `tie_break="utilitarian"` maximises.
    """
    sparse = not isinstance(rows, np.ndarray)
    if fair is None and (sparse or _is_large(rows)) and cuts.deep <= sizes.RANKS:
        found = generated(rows, cuts, tie_break, direction)
        if found is not None:
            return found
        if rows.shape[0] * rows.shape[1] > sizes.GAME_MOST:
            raise CertificationError(
                f"the best policy for {rows.shape[0]:,} agents and {rows.shape[1]:,} arms could not be proved: too "
                "many of them are tied. Merging agents who rate alike, or rounding their means, usually helps."
            )
    rows = rows.toarray() if sparse else rows
    whole = cuts(rows)
    if fair is None:
        (policy, value, _, margin), mixture = play(whole)
    else:
        start = fair.corner(direction)[None, :]
        policy, mixture = climb(fair, start, lambda corners: _in_hull(cuts, rows, corners))
        policy = simplex_point(policy)
        value, margin = whole.value(policy), 0.0
    bound = _support(mixture, fair)
    if bound - value > tolerances.FACE_DEPTH / 5:
        policy, value, bound = _tightened(whole, policy, bound, fair, tolerances.FACE_DEPTH / 5)
    elif tie_break == TieBreak.VERTEX and fair is None:
        return Answer(policy, value, max(bound - value, 0.0), margin)

    def build(given: list) -> Projection:
        return _polytope(whole, value - tolerances.FACE_DEPTH, fair, given)

    chosen, margin = choose(build, tie_break, direction)
    chosen = simplex_point(chosen)
    if margin == 0 or bound - whole.value(chosen) > tolerances.OPTIMUM_TIE / 2:
        chosen, margin = policy, 0.0  # too thin a set of optima to choose from: keep the one that is proved
    value = whole.value(chosen)
    return Answer(chosen, value, max(bound - value, 0.0), margin)


def _is_large(rows: np.ndarray) -> bool:
    """Whether the agents and arms that matter are worth looking for."""
    return rows.shape[1] > sizes.GAME_ARMS or rows.size > sizes.GAME_ENTRIES


def _support(mixture: np.ndarray, fair: Fair | None) -> float:
    """The largest mixture·p of an allowed policy, which bounds the value of every one."""
    return max(mixture.tolist()) if fair is None else fair.support(mixture)  # a list: a call of NumPy costs more


def _polytope(whole: Cuts, level: float, fair: Fair | None, given: list) -> Projection:
    return Projection(whole.arms, whole, level, given=given, separate=None if fair is None else fair.separate)


def _tightened(
    whole: Cuts, policy: np.ndarray, high: float, fair: Fair | None, enough: float
) -> tuple[np.ndarray, float, float]:
    """(policy, value, bound) no further apart than `enough`, from projections onto levels that either are reached or
    prove that they cannot be. It mends what cuts that differ by almost nothing do to the inverse of a basis."""
    low, step = whole.value(policy), True
    for _ in range(MOST_LEVELS):
        if high - low <= enough:
            break
        polytope = _polytope(whole, low + enough / 2 if step else (low + high) / 2, fair, [])
        point = simplex_point(polytope.nearest(np.zeros(whole.arms)))
        mixture, step = polytope.mixture(), False
        if mixture is not None:
            high, step = min(high, _support(mixture, fair)), True
        elif whole.value(point) > low:
            policy, low = point, whole.value(point)
    return policy, low, high


def _in_hull(cuts: Least | Gini, rows: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best policy in the hull of `corners`, and the mixture of cuts that bounds it there."""
    seen = np.hstack([rows @ corners.T, rows])  # a corner is an arm of a smaller game; the rows come along
    found, mixture = play(cuts(seen, carried=rows.shape[1]))
    return found.policy @ corners, mixture[len(corners) :]
