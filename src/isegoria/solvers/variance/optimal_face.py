"""The optima of a variance over many arms: policies on some arms that agree in every direction in which it is curved.

A direction of next to no curvature is free. So the least norm keeps what is fixed and nothing else, and a corner or the
largest utility is a linear program with one row for each direction.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import inner
from isegoria.rows.views import placed
from isegoria.solvers.answer import Selection
from isegoria.solvers.ties.corner import corner
from isegoria.solvers.ties.least_norm import least_norm
from isegoria.solvers.ties.selection import first_corner
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.solvers.variance.moments import Moments

NEWTON_STEPS = 3  # the function is quadratic: one step, and two for what rounding left
LOST = 10.0  # with curvatures from c to C a policy is known to C/c roundings; so much the margin allows for
MOST_DEPARTURES = 20
SEEN = 1e-14  # of the largest curvature: what is less is rounding
JUST = 1e-3  # of a tie: what is less is flat beyond doubt, and what is more and yet flat is told in the margin


class Face(NamedTuple):
    """Policies on n `arms` of K: those with `directions` (r, n) p = `values` and Σp = 1. The `nearest` (K,) to the
    middle of all has the least norm, but may play less than nothing; the `margin` is that of the curvatures."""

    arms: np.ndarray
    directions: np.ndarray
    values: np.ndarray
    nearest: np.ndarray
    margin: float


class Curvature:
    """How the variance pᵀGp is curved on some of the arms: by G, or by the rows where they are fewer than the arms."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments

    @cached_property
    def matrix(self) -> np.ndarray:
        """(K, K) the matrix G."""
        return self.moments.matrix()

    @cached_property
    def _rows(self) -> np.ndarray:
        return self.moments.square_root()

    def face(self, arms: np.ndarray) -> Face:
        """The least variance on these arms, if they could be played less than nothing."""
        curvatures, directions, flat = self._directions(arms)
        policy = placed(1 / len(arms), arms, self.moments.rows.shape[1])
        for _ in range(NEWTON_STEPS):
            slopes = self.moments.evaluate(policy)[2][arms] / 2  # of the rows: products lose half of their digits
            policy[arms] -= (directions @ slopes / curvatures) @ directions
        told = LOST * max(1.0, float(curvatures.max(initial=0.0)))
        margin = min(float(curvatures.min(initial=np.inf)) / told, flat)
        return Face(arms, directions, directions @ policy[arms], policy, margin)

    def towards_idle(self, policy: np.ndarray) -> float:
        """The smallest curvature on the way to an arm that is not played, as a margin."""
        apart = self._rows - (self._rows @ policy)[:, None]
        curvatures = np.einsum("ij,ij->j", apart, apart)[policy <= tolerances.NEAR_ACTIVE]
        return float(curvatures[curvatures > tolerances.CURVATURE_TIE].min(initial=np.inf)) / LOST

    def _directions(self, arms: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """(curvatures (r,), directions (r, n), the largest that was taken for flat and is no rounding, or infinity)
        from G, or from the rows if they are fewer; all arms alike is no direction inside the simplex."""
        by_rows = len(arms) > self.moments.rows.shape[0]
        inside = self._rows[:, arms] if by_rows else self.matrix[np.ix_(arms, arms)]
        inside = inside - inside.mean(axis=1, keepdims=True)
        values, vectors = np.linalg.eigh(inside @ inside.T if by_rows else inside - inside.mean(axis=0))
        fixed = values > max(tolerances.CURVATURE_TIE, SEEN * float(values.max(initial=0.0)))
        directions = np.ascontiguousarray(vectors.T[fixed])
        if by_rows:
            directions = directions @ inside / np.sqrt(values[fixed])[:, None]
        return values[fixed], directions, _flat(values)


def _flat(values: np.ndarray) -> float:
    """The largest curvature that only just counts as flat and is no rounding; infinity if there is none."""
    seen = max(SEEN * float(values.max(initial=0.0)), JUST * tolerances.CURVATURE_TIE)
    flat = values[(values <= tolerances.CURVATURE_TIE) & (values > seen)]
    return float(flat.max()) if len(flat) else np.inf


def settled(curvature: Curvature, arms: np.ndarray) -> tuple[np.ndarray, float]:
    """(policy, margin): the least variance and then norm on these arms, or on those that do not end below 0."""
    face, margin = curvature.face(arms), np.inf
    for _ in range(MOST_DEPARTURES):
        if face.nearest.min() >= -tolerances.DUST:
            break
        margin = min(margin, -float(face.nearest.min()))  # by how much an arm was not played
        face = curvature.face(np.flatnonzero(face.nearest > 0))
    played = face.nearest[face.nearest > tolerances.NEAR_ACTIVE]
    return np.maximum(face.nearest, 0.0), min(margin, face.margin, float(played.min(initial=np.inf)))


def farthest(face: Face, choice: Selection) -> tuple[np.ndarray, float] | None:
    """(policy, margin): the lexicographically largest corner, or the largest direction·p and then the least norm;
    None if the face holds no policy."""
    if len(face.directions) >= len(face.arms) - 1:  # a single policy
        return face.nearest, face.margin
    start = least_norm(face.directions, face.values, np.ones(len(face.arms)))
    if start is None:
        return None
    point = np.where(start.point > tolerances.DUST, start.point, 0.0)
    if choice.tie_break == TieBreak.VERTEX:
        chosen, margin = first_corner(point, np.column_stack([face.directions, face.values]))
    else:
        chosen, margin = _most_useful(face, choice.direction[face.arms], point)
    return placed(chosen, face.arms, len(face.nearest)), min(margin, face.margin)


def _most_useful(face: Face, direction: np.ndarray, point: np.ndarray) -> tuple[np.ndarray, float]:
    """(policy on the arms of the face, margin): the least norm on those that cost nothing of the largest
    direction·p."""
    arms = len(point)
    held = np.zeros((len(face.values) + 2, arms + 2))  # the first variable is the value, direction·p
    held[0, 0], held[0, 1:-1], held[1, 1:] = -1.0, direction, 1.0
    held[2:, 1:-1], held[2:, -1] = face.directions, face.values
    found, margin, costs = corner(held, np.append(inner(direction, point), point), 1)
    if margin == 0:
        return point, 0.0
    best, costs = found[1:], costs[1:]
    free = (costs <= tolerances.OPTIMUM_TIE) | (best > 0)
    short = least_norm(np.ascontiguousarray(face.directions[:, free]), face.values, np.ones(int(free.sum())))
    if short is None:
        return best, 0.0
    chosen = placed(np.where(short.point > tolerances.NEAR_ACTIVE, short.point, 0.0), free, arms)
    return chosen, min(margin, short.margin, float(costs[~free].min(initial=np.inf)))
