"""Optima of a variance over many arms: policies on some arms that agree in every direction of curvature.

A direction of negligible curvature is free. So the minimum norm keeps what is fixed and nothing else.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from isegoria.solvers.ties.equation_face import Face
from isegoria.solvers.variance.moments import StreamingVariance
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter

NEWTON_STEPS = 3  # the function is quadratic: one step, and two to correct rounding
CONDITION_ALLOWANCE = (
    10.0  # curvatures from c to C determine a policy to C/c rounding errors; the margin allows for this factor
)
MAX_DEPARTURES = 20
ROUNDING_CURVATURE_RATIO = 1e-14  # relative to the largest curvature; a smaller curvature is rounding
FLAT_TIE_FRACTION = (
    1e-3  # fraction of a tie: less is certainly flat; a flat direction with more is reflected in the margin
)


class Curvature:
    """Curvature of the variance pᵀGp on some of the arms: from G, or from the rows if there are fewer of them."""

    def __init__(self, moments: StreamingVariance) -> None:
        self.moments = moments

    @cached_property
    def matrix(self) -> np.ndarray:
        """The matrix G (K, K)."""
        return self.moments.matrix()

    @cached_property
    def _rows(self) -> np.ndarray:
        return self.moments.square_root()

    def face(self, arms: np.ndarray) -> Face:
        """Return the minimisers of the variance on these arms if negative probabilities were allowed."""
        curvatures, directions, flat = self._directions(arms)
        policy = scatter(1 / len(arms), arms, self.moments.rows.shape[1])
        for _ in range(NEWTON_STEPS):
            slopes = self.moments.evaluate(policy)[2][arms] / 2  # from the rows: products lose half of the digits
            policy[arms] -= (directions @ slopes / curvatures) @ directions
        told = CONDITION_ALLOWANCE * max(1.0, float(curvatures.max(initial=0.0)))
        margin = min(float(curvatures.min(initial=np.inf)) / told, flat)
        return Face(arms, directions, directions @ policy[arms], policy, margin)

    def towards_idle(self, policy: np.ndarray) -> float:
        """Return the smallest curvature in the direction of an arm that is not played, as a margin."""
        apart = self._rows - (self._rows @ policy)[:, None]
        curvatures = np.einsum("ij,ij->j", apart, apart)[policy <= tolerances.NEAR_ACTIVE]
        return float(curvatures[curvatures > tolerances.CURVATURE_TIE].min(initial=np.inf)) / CONDITION_ALLOWANCE

    def _directions(self, arms: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return (curvatures (r,), directions (r, n), the largest taken as flat that is not rounding, or infinity).

        They come from G, or from the rows if there are fewer. Moving all arms equally is not a direction inside the
        simplex.
        """
        by_rows = len(arms) > self.moments.rows.shape[0]
        inside = self._rows[:, arms] if by_rows else self.matrix[np.ix_(arms, arms)]
        inside = inside - inside.mean(axis=1, keepdims=True)
        values, vectors = np.linalg.eigh(inside @ inside.T if by_rows else inside - inside.mean(axis=0))
        fixed = values > max(tolerances.CURVATURE_TIE, ROUNDING_CURVATURE_RATIO * float(values.max(initial=0.0)))
        directions = np.ascontiguousarray(vectors.T[fixed])
        if by_rows:
            directions = directions @ inside / np.sqrt(values[fixed])[:, None]
        return values[fixed], directions, _largest_flat_curvature(values)


def _largest_flat_curvature(values: np.ndarray) -> float:
    """Return the largest curvature that barely counts as flat and is not rounding; infinity if there is none."""
    seen = max(ROUNDING_CURVATURE_RATIO * float(values.max(initial=0.0)), FLAT_TIE_FRACTION * tolerances.CURVATURE_TIE)
    flat = values[(values <= tolerances.CURVATURE_TIE) & (values > seen)]
    return float(flat.max()) if len(flat) else np.inf


def least_norm_on(curvature: Curvature, arms: np.ndarray) -> tuple[np.ndarray, float]:
    """Return (policy, margin): minimum variance, then norm, on these arms or those that do not end below 0."""
    face, margin = curvature.face(arms), np.inf
    for _ in range(MAX_DEPARTURES):
        if face.nearest.min() >= -tolerances.VERTEX_NEGLIGIBLE:
            break
        margin = min(margin, -float(face.nearest.min()))  # by how much an unplayed arm is below 0
        face = curvature.face(np.flatnonzero(face.nearest > 0))
    played = face.nearest[face.nearest > tolerances.NEAR_ACTIVE]
    return np.maximum(face.nearest, 0.0), min(margin, face.margin, float(played.min(initial=np.inf)))
