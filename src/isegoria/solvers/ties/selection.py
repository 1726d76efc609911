"""Which optimum, when there are several: a point of the polytope of all of them (`face` says why there are two)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from isegoria import tolerances
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.tie_break import TieBreak

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair

PROXIMAL_STEPS = 40  # each doubles the pull or ends the search; a polytope has far fewer breakpoints on the way


def choose(build: Callable[[list], Projection], tie_break: str, direction: np.ndarray) -> tuple[np.ndarray, float]:
    """(policy, margin): the point of least norm, a corner, or the largest `direction`·p and then least norm.

    `build(cuts)` is the polytope of optima with further cuts (normal, bound), each meaning normal·p ≥ bound.
    """
    cuts: list = []
    if tie_break == TieBreak.VERTEX:
        aims = list(np.eye(len(direction)))
    else:
        aims = [direction] if tie_break == TieBreak.UTILITARIAN else []
    for aim in aims:
        cuts.append(_held(build, cuts, aim))
    polytope = build(cuts)
    return polytope.nearest(np.zeros(len(direction))), polytope.margin


def choose_fair(
    fair: Fair, slope: np.ndarray, depth: float, equal: np.ndarray, tie_break: str, direction: np.ndarray
) -> tuple[np.ndarray, float]:
    """`choose` among the fair policies that meet the equalities and whose slope·p is within `depth` of the largest."""

    def build(given: list) -> Projection:
        return Projection(len(slope), equal=equal, given=[optimal, *given], separate=fair.separate)

    optimal = (slope, fair.support(slope) - depth)
    return choose(build, tie_break, direction)


def _held(build: Callable[[list], Projection], cuts: list, aim: np.ndarray) -> tuple[np.ndarray, float]:
    """The cut that keeps aim·p at its largest, up to half of the tolerance for ties or, where constraints are so
    nearly parallel that rounding leaves nothing there, a little more."""
    top, slack = largest(build(cuts), aim), tolerances.OPTIMUM_TIE / 2
    while slack < tolerances.NEAR_TIE:
        polytope = build([*cuts, (aim, top - slack)])
        polytope.nearest(np.zeros(len(aim)))
        if not polytope.empty:
            break
        slack *= 10
    return aim, top - slack


def largest(polytope: Projection, direction: np.ndarray) -> float:
    """The largest `direction`·p on the polytope, by projections of points that are pulled ever further along it."""
    point = polytope.nearest(np.zeros(len(direction)))
    pull = direction - direction.mean()
    length = float(np.sqrt(pull @ pull))
    if length <= tolerances.OPTIMUM_TIE:
        return float(direction @ point)
    pull /= length
    reach = 1.0
    for _ in range(PROXIMAL_STEPS):
        moved = polytope.nearest(polytope.nearest(point + reach * pull))  # the second undoes the rounding of the first
        gain = float(direction @ (moved - point))
        if gain <= tolerances.VIOLATION or polytope.empty:
            if reach >= tolerances.FARTHEST_PULL:
                break
        else:
            point = moved
        reach = min(reach * 8, tolerances.FARTHEST_PULL)
    return float(direction @ point)
