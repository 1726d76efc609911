"""Choose among the policies that keep some linear values, for many arms: the optima of a smooth function.

All its optima agree in the directions in which it is curved. The choice of minimum norm is made in the dual, which has
one variable for each direction (`least_norm`). A vertex or the maximum utility is a linear program with one row for
each direction. For few arms `face` chooses from a Hessian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.solvers.result import Selection
from isegoria.solvers.rows.simplex import inner
from isegoria.solvers.ties.least_norm import least_norm
from isegoria.solvers.ties.selection import first_vertex
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.solvers.ties.vertex import corner
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter


class Face(NamedTuple):
    """Policies on n `arms` of K: those with `directions` (r, n) p = `values` and Σp = 1.

    `nearest` (K,) is the point of minimum norm, but may have negative entries; `margin` is that of the curvatures.
    """

    arms: np.ndarray
    directions: np.ndarray
    values: np.ndarray
    nearest: np.ndarray
    margin: float


def select_on_face(face: Face, choice: Selection) -> tuple[np.ndarray, float] | None:
    """Return (policy, margin): the choice among the policies on the face, for arms that stand for `copies` each.

    None if the face contains no policy.
    """
    if len(face.directions) >= len(face.arms) - 1:  # a single policy
        return face.nearest, face.margin
    counts = np.ones(len(face.arms)) if choice.copies is None else choice.copies[face.arms].astype(float)
    start = least_norm(face.directions, face.values, counts)
    if start is None:
        return None
    point = counts * np.where(start.point > tolerances.VERTEX_NEGLIGIBLE, start.point, 0.0)
    if choice.tie_break == TieBreak.CENTRE:
        chosen, margin = point, start.margin
    elif choice.tie_break == TieBreak.VERTEX:
        chosen, margin = first_vertex(point, np.column_stack([face.directions, face.values]))
    else:
        chosen, margin = _maximise_direction(face, choice.direction[face.arms], point, counts)
    return scatter(chosen, face.arms, len(face.nearest)), min(margin, face.margin)


def _maximise_direction(
    face: Face, direction: np.ndarray, point: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return (policy on the arms of the face, margin): the minimum norm at the maximum of direction·p.

    Only arms that cost nothing of that maximum are played.
    """
    arms = len(point)
    held = np.zeros((len(face.values) + 2, arms + 2))  # the first variable is the value, direction·p
    held[0, 0], held[0, 1:-1], held[1, 1:] = -1.0, direction, 1.0
    held[2:, 1:-1], held[2:, -1] = face.directions, face.values
    found, margin, costs = corner(held, np.append(inner(direction, point), point), 1)
    if margin == 0:
        return point, 0.0
    best, costs = found[1:], costs[1:]
    free = (costs <= tolerances.OPTIMUM_TIE) | (best > 0)
    short = least_norm(np.ascontiguousarray(face.directions[:, free]), face.values, counts[free])
    if short is None:
        return best, 0.0
    chosen = scatter(np.where(short.point > tolerances.NEAR_ACTIVE, short.point, 0.0), free, arms) * counts
    return chosen, min(margin, short.margin, float(costs[~free].min(initial=np.inf)))
