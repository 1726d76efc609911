"""Which optimum, when there are several: a point chosen from the polytope of all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isegoria import tolerances
from isegoria.solvers.projection import Projection

PROXIMAL_STEPS = 40  # each doubles the pull or ends the search; a polytope has far fewer breakpoints on the way


def choose(build: Callable[[list], Projection], tie_break: str, direction: np.ndarray) -> tuple[np.ndarray, float]:
    """(policy, margin): the point of least norm, a corner, or the largest `direction`·p and then least norm.

    `build(cuts)` is the polytope of optima with further cuts (normal, bound), each meaning normal·p ≥ bound.
    """
    cuts: list = []
    if tie_break == "utilitarian":
        cuts = [_held(build([]), direction)]
    elif tie_break == "vertex":
        for arm in np.eye(len(direction)):
            cuts.append(_held(build(cuts), arm))
    polytope = build(cuts)
    return polytope.nearest(np.zeros(len(direction))), polytope.margin


def _held(polytope: Projection, direction: np.ndarray) -> tuple[np.ndarray, float]:
    """The cut that keeps `direction`·p at its largest, up to half of the tolerance for ties."""
    return direction, largest(polytope, direction) - tolerances.OPTIMUM_TIE / 2


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
        if gain <= tolerances.VIOLATION:
            if reach >= tolerances.FARTHEST_PULL:
                break
        else:
            point = moved
        reach = min(reach * 8, tolerances.FARTHEST_PULL)
    return float(direction @ point)
