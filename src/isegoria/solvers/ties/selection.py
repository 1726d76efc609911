"""Choice among several optima: a point of the polytope of all optima (`face` explains why there are two modules)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.solvers import method_limits
from isegoria.solvers.result import Selection
from isegoria.solvers.rows.simplex import inner, simplex_point
from isegoria.solvers.ties.flat_directions import fixed_directions
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.least_norm import DualProjection
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.solvers.ties.vertex import corner
from isegoria.utils import tolerances

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import FairPolytope
    from isegoria.solvers.maximin.cuts import Cuts

Cut = tuple[np.ndarray, float]
Polytope = Projection | DualProjection
Separate = Callable[[np.ndarray], Cut | None]

MAX_CUTS = 150  # added one by one; a Gini welfare on the fair policies may need more, and then no choice is made
PROXIMAL_STEPS = 40  # each doubles the step or ends the search; a polytope has far fewer breakpoints


def build_polytope(arms: int, *constraints: Any, **named: Any) -> Polytope:
    """Return the polytope of these constraints: a `Projection` for few arms, a `DualProjection` for many."""
    return (Projection if arms <= method_limits.GAME_ARMS else DualProjection)(arms, *constraints, **named)


def select_from_polytope(build: Callable[[list[Cut]], Polytope], choice: Selection) -> tuple[np.ndarray, float]:
    """Return (policy, margin): the point of minimum norm, or the maximum of direction·p and then minimum norm.

    `build(cuts)` is the polytope of optima with further cuts (normal, bound), each meaning normal·p ≥ bound.
    """
    polytope = build([_utilitarian_cut(build, choice)] if choice.tie_break == TieBreak.UTILITARIAN else [])
    return polytope.nearest(np.zeros(len(choice.direction))), polytope.margin


def least_norm_equivalent(
    rows: np.ndarray, policy: np.ndarray, fair: FairPolytope | None = None
) -> tuple[np.ndarray, float]:
    """Return (policy, margin): the policy of minimum norm among those (if given, `fair`) with the payoffs of `policy`.

    If the set is too thin to choose from, the margin is 0 and the result is `policy`.
    """
    equal, margin = fixed_directions(rows, policy, np.ones(len(policy), dtype=bool))
    if len(equal) >= len(policy) - 1:
        return policy, margin
    polytope = build_polytope(len(policy), equal=equal, separate=None if fair is None else fair.separate)
    chosen = simplex_point(polytope.nearest(np.zeros(len(policy))))
    thin = polytope.margin == 0 or (fair is not None and not fair.contains(chosen))
    return (policy, 0.0) if thin else (chosen, min(margin, polytope.margin))


def first_vertex(
    point: np.ndarray, equal: np.ndarray, separate: Separate | None = None, given: Sequence[Cut] = ()
) -> tuple[np.ndarray, float]:
    """Return (policy, margin): the lexicographically largest vertex of the optima, from one of them, `point` (K,).

    `equal` (E, K + 1) are equations, each a normal and its bound, that all of them satisfy. A policy also satisfies the
    cuts (normal, bound) that are `given`, and those that `separate` finds. A margin of 0 means not proved; the policy
    is then `point`.
    """
    cuts = list(given)
    while True:
        found, margin, _ = corner(*_equations(point, equal, cuts), len(point))
        policy = simplex_point(found[: len(point)])
        cut = None if separate is None or margin == 0 else separate(policy)
        if cut is None or cut[1] - inner(cut[0], policy) <= tolerances.CUT_VIOLATION:
            return policy, margin
        if len(cuts) == MAX_CUTS:
            return point, 0.0
        cuts.append(cut)


def _equations(point: np.ndarray, equal: np.ndarray, cuts: list[Cut]) -> tuple[np.ndarray, np.ndarray]:
    """Return (held (rows, n + 1), x (n,)): Σp = 1, the equations, the cuts with a slack each; the point with slacks."""
    arms, count, first = len(point), len(cuts), 1 + len(equal)
    held, x = np.zeros((first + count, arms + count + 1)), np.zeros(arms + count)
    x[:arms] = point
    held[0, :arms] = held[0, -1] = 1.0
    held[1:first, :arms], held[1:first, -1] = equal[:, :-1], equal[:, -1]
    for i, (normal, bound) in enumerate(cuts):
        held[first + i, :arms], held[first + i, arms + i], held[first + i, -1] = normal, -1.0, bound
        x[arms + i] = max(inner(normal, point) - bound, 0.0)
    return held, x


def first_vertex_of_cuts(
    cuts: Cuts, level: float, point: np.ndarray, tight: np.ndarray, held: np.ndarray, fair: FairPolytope | None = None
) -> tuple[np.ndarray, float]:
    """Return the `first_vertex` of the policies whose lowest cut reaches `level` and that are `fair`.

    The search starts at one of them, `point` (K,). `tight` (m, K) are some of the cuts that equal the level there, and
    `held` (h, K) some that do at all those policies.
    """

    def separate(policy: np.ndarray) -> Cut | None:
        lowest, normal = cuts.cut(policy)
        if lowest < level - tolerances.CUT_VIOLATION:
            return normal, level
        return None if fair is None else fair.separate(policy)

    equal = np.full((len(held), len(point) + 1), level)
    equal[:, :-1] = held
    return first_vertex(point, equal, separate, [(normal, level) for normal in tight])


def select_fair_optimum(
    fair: FairPolytope, slope: np.ndarray, depth: float, equal: np.ndarray, choice: Selection, point: np.ndarray
) -> tuple[np.ndarray, float]:
    """Choose among the fair policies that satisfy the equalities with slope·p within `depth` of its maximum.

    `point` is one of them.
    """

    def build(given: list[Cut]) -> Polytope:
        return build_polytope(len(slope), None, 0, equal, [optimal, *given], fair.separate, choice.copies)

    if choice.tie_break == TieBreak.VERTEX:
        steepest = np.append(slope, inner(slope, point))
        return first_vertex(point, np.vstack([equal, steepest]), fair.separate)
    optimal = (slope, fair.support(slope) - depth)
    return select_from_polytope(build, choice)


def _utilitarian_cut(build: Callable[[list[Cut]], Polytope], choice: Selection) -> Cut:
    """Return the cut that keeps direction·p at its maximum, up to half of the tolerance for ties.

    Where constraints are so nearly parallel that rounding leaves that set empty, the slack is a little larger.
    """
    aim, slack = choice.direction, tolerances.OPTIMUM_TIE / 2
    top = maximise_on_polytope(build([]), aim, choice.copies)
    while slack < tolerances.NEAR_TIE:
        polytope = build([(aim, top - slack)])
        polytope.nearest(np.zeros(len(aim)))
        if not polytope.empty:
            break
        slack *= 10
    return aim, top - slack


def maximise_on_polytope(polytope: Polytope, direction: np.ndarray, copies: np.ndarray | None = None) -> float:
    """Maximise `direction`·p on the polytope, by projecting points that are pulled ever further along it.

    Each arm is pulled in proportion to the `copies` it stands for.
    """
    point = polytope.nearest(np.zeros(len(direction)))
    if copies is None:
        pull = direction - direction.mean()
    else:
        pull = copies * (direction - inner(copies, direction) / copies.sum())
    length = math.sqrt(inner(pull, pull))  # BLAS would sum in a different order
    if length <= tolerances.OPTIMUM_TIE:
        return inner(direction, point)
    pull /= length
    reach = 1.0
    for _ in range(PROXIMAL_STEPS):
        moved = polytope.nearest(polytope.nearest(point + reach * pull))  # the second undoes the rounding of the first
        gain = inner(direction, moved - point)
        if gain <= tolerances.CONSTRAINT_VIOLATION or polytope.empty:
            if reach >= tolerances.MAX_PROXIMAL_PULL:
                break
        else:
            point = moved
        reach = min(reach * 8, tolerances.MAX_PROXIMAL_PULL)
    return inner(direction, point)
