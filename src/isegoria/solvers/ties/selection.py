"""Which optimum, when there are several: a point of the polytope of all of them (`face` says why there are two)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import inner, simplex_point
from isegoria.solvers.answer import Selection
from isegoria.solvers.ties.corner import corner
from isegoria.solvers.ties.flat_directions import fixed_directions
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.tie_break import TieBreak

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair
    from isegoria.solvers.maximin.cuts import Cuts

Cut = tuple[np.ndarray, float]
Separate = Callable[[np.ndarray], Cut | None]

MOST_CUTS = 150  # that are asked for one by one; a Gini welfare among the fair may have more: then nothing is chosen
PROXIMAL_STEPS = 40  # each doubles the pull or ends the search; a polytope has far fewer breakpoints on the way


def choose(build: Callable[[list[Cut]], Projection], choice: Selection) -> tuple[np.ndarray, float]:
    """(policy, margin): the point of least norm, or the largest direction·p and then least norm.

    `build(cuts)` is the polytope of optima with further cuts (normal, bound), each meaning normal·p ≥ bound.
    """
    polytope = build([_held(build, choice)] if choice.tie_break == TieBreak.UTILITARIAN else [])
    return polytope.nearest(np.zeros(len(choice.direction))), polytope.margin


def shortest(rows: np.ndarray, policy: np.ndarray, separate: Separate | None) -> tuple[np.ndarray, float]:
    """(policy, margin): of the policies that give every row the same as `policy`, and from which `separate` cuts off
    none, the one of least norm; a margin of 0, and it is `policy`, where they are too thin a set to choose from."""
    equal, margin = fixed_directions(rows, policy, np.ones(len(policy), dtype=bool))
    if len(equal) >= len(policy) - 1:
        return policy, margin
    polytope = Projection(len(policy), equal=equal, separate=separate)
    chosen = simplex_point(polytope.nearest(np.zeros(len(policy))))
    return (policy, 0.0) if polytope.margin == 0 else (chosen, min(margin, polytope.margin))


def first_corner(
    point: np.ndarray, equal: np.ndarray, separate: Separate | None = None, given: Sequence[Cut] = ()
) -> tuple[np.ndarray, float]:
    """(policy, margin): the lexicographically largest corner of the optima, from one of them, `point` (K,).

    `equal` (E, K + 1) are equations, each a normal and its bound, that all of them meet; a policy also meets the cuts
    (normal, bound) that are `given`, and those that `separate` finds. A margin of 0: not proved, and it is `point`.
    """
    cuts = list(given)
    while True:
        found, margin, _ = corner(*_equations(point, equal, cuts), len(point))
        policy = simplex_point(found[: len(point)])
        cut = None if separate is None or margin == 0 else separate(policy)
        if cut is None or cut[1] - inner(cut[0], policy) <= tolerances.CUT_MISSED:
            return policy, margin
        if len(cuts) == MOST_CUTS:
            return point, 0.0
        cuts.append(cut)


def _equations(point: np.ndarray, equal: np.ndarray, cuts: list[Cut]) -> tuple[np.ndarray, np.ndarray]:
    """(held (rows, n + 1), x (n,)): Σp = 1, the equations, the cuts with a slack each; and the point with those."""
    arms, count, first = len(point), len(cuts), 1 + len(equal)
    held, x = np.zeros((first + count, arms + count + 1)), np.zeros(arms + count)
    x[:arms] = point
    held[0, :arms] = held[0, -1] = 1.0
    held[1:first, :arms], held[1:first, -1] = equal[:, :-1], equal[:, -1]
    for i, (normal, bound) in enumerate(cuts):
        held[first + i, :arms], held[first + i, arms + i], held[first + i, -1] = normal, -1.0, bound
        x[arms + i] = max(inner(normal, point) - bound, 0.0)
    return held, x


def corner_of_cuts(
    cuts: Cuts, level: float, point: np.ndarray, tight: np.ndarray, held: np.ndarray, fair: Fair | None = None
) -> tuple[np.ndarray, float]:
    """`first_corner` of the policies whose lowest cut reaches the `level`, and that are `fair`, from one, `point` (K,).

    `tight` (m, K) are some of the cuts that are as low as the level there, for a beginning, and `held` (h, K) some that
    are so at all those policies.
    """

    def separate(policy: np.ndarray) -> Cut | None:
        lowest, normal = cuts.cut(policy)
        if lowest < level - tolerances.CUT_MISSED:
            return normal, level
        return None if fair is None else fair.separate(policy)

    equal = np.full((len(held), len(point) + 1), level)
    equal[:, :-1] = held
    return first_corner(point, equal, separate, [(normal, level) for normal in tight])


def choose_fair(
    fair: Fair, slope: np.ndarray, depth: float, equal: np.ndarray, choice: Selection, point: np.ndarray
) -> tuple[np.ndarray, float]:
    """The choice among the fair policies that meet the equalities and whose slope·p is within `depth` of the largest;
    `point` is one of them."""

    def build(given: list[Cut]) -> Projection:
        return Projection(len(slope), None, 0, equal, [optimal, *given], fair.separate, choice.copies)

    if choice.tie_break == TieBreak.VERTEX:
        steepest = np.append(slope, inner(slope, point))
        return first_corner(point, np.vstack([equal, steepest]), fair.separate)
    optimal = (slope, fair.support(slope) - depth)
    return choose(build, choice)


def _held(build: Callable[[list[Cut]], Projection], choice: Selection) -> Cut:
    """The cut that keeps direction·p at its largest, up to half of the tolerance for ties or, where constraints are so
    nearly parallel that rounding leaves nothing there, a little more."""
    aim, slack = choice.direction, tolerances.OPTIMUM_TIE / 2
    top = largest(build([]), aim, choice.copies)
    while slack < tolerances.NEAR_TIE:
        polytope = build([(aim, top - slack)])
        polytope.nearest(np.zeros(len(aim)))
        if not polytope.empty:
            break
        slack *= 10
    return aim, top - slack


def largest(polytope: Projection, direction: np.ndarray, copies: np.ndarray | None = None) -> float:
    """The largest `direction`·p on the polytope, by projections of points that are pulled ever further along it, each
    arm by as much as the `copies` it stands for."""
    point = polytope.nearest(np.zeros(len(direction)))
    if copies is None:
        pull = direction - direction.mean()
    else:
        pull = copies * (direction - inner(copies, direction) / copies.sum())
    length = math.sqrt(inner(pull, pull))  # products of BLAS would add up in an order of its own
    if length <= tolerances.OPTIMUM_TIE:
        return inner(direction, point)
    pull /= length
    reach = 1.0
    for _ in range(PROXIMAL_STEPS):
        moved = polytope.nearest(polytope.nearest(point + reach * pull))  # the second undoes the rounding of the first
        gain = inner(direction, moved - point)
        if gain <= tolerances.VIOLATION or polytope.empty:
            if reach >= tolerances.FARTHEST_PULL:
                break
        else:
            point = moved
        reach = min(reach * 8, tolerances.FARTHEST_PULL)
    return inner(direction, point)
