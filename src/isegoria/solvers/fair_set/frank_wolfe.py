"""Maximise a concave function of the payoffs over all policies or the fair ones, by fully corrective Frank-Wolfe.

The gradient at the best mixture of the vertices so far gives the next vertex, and bounds the suboptimality.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.fair_set.barrier import Function, Gradient, best_mixture, curvature
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.result import SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.selection import least_norm_equivalent
from isegoria.utils import tolerances

ALL_VERTICES_MAX_ARMS = 64
"""Up to this many arms, the search starts with every vertex of the simplex."""

MAX_ITERATIONS = 500
GAP_TOLERANCE = 1e-11  # relative to the value if that is above 1; at this gap no further vertex is added
NEW_VERTEX_WEIGHT = 0.02  # initial weight of an added vertex

FLAT_CURVATURE_RATIO = 1e-8
"""A curvature below this fraction of the largest counts as zero: gradient differences keep half a double's digits."""


class AllPolicies:
    """The set of all policies, with the interface of the fair ones."""

    def corner(self, slope: np.ndarray) -> np.ndarray:
        """Return the best arm alone, as a policy (K,)."""
        return np.eye(1, len(slope), int(slope.argmax()))[0]

    def support(self, slope: np.ndarray) -> float:
        """Return the maximum of slope·p over all policies."""
        return float(slope.max())


def maximise_concave(
    value: Function, gradient: Gradient, rows: np.ndarray, start: np.ndarray, fair: FairPolytope | None = None
) -> SolverResult:
    """Maximise value(`rows` @ p); of the policies with the same payoffs return the one of minimum norm.

    The gap is the maximum of slope·(q − p) over the allowed policies q, which bounds the suboptimality if the function
    is concave. `start` (K,) is allowed and gives every row something. The margin is 0 where the function may be flat,
    so that policies with other payoffs may be as good.
    """
    allowed = AllPolicies() if fair is None else fair
    arms = rows.shape[1]

    def slope_at(policy: np.ndarray) -> np.ndarray:
        return np.asarray(gradient(rows @ policy) @ rows)

    corners = np.eye(arms) if fair is None and arms <= ALL_VERTICES_MAX_ARMS else start[None, :]
    held = best_mixture(value, gradient, np.ascontiguousarray(rows @ corners.T))
    best = np.inf, start
    for _ in range(MAX_ITERATIONS):
        corners, held = corners[held > 0], held[held > 0]  # a point needs at most K + 1 vertices
        found = held @ corners
        slope = slope_at(found)
        corner = allowed.corner(slope)
        gap = float(slope @ (corner - found))
        best = min(best, (gap, found), key=lambda each: each[0])
        if gap <= GAP_TOLERANCE * max(1.0, abs(value(rows @ found))) or (corners == corner).all(axis=1).any():
            break
        corners = np.vstack([corners, corner])
        guess = np.append((1 - NEW_VERTEX_WEIGHT) * held, NEW_VERTEX_WEIGHT)
        held = best_mixture(value, gradient, np.ascontiguousarray(rows @ corners.T), guess)
    policy = simplex_point(best[1])
    margin = _sharpness(gradient, rows, policy)
    shorter = least_norm_equivalent(rows, policy, fair)[0]
    if np.abs(rows @ (shorter - policy)).max() <= tolerances.OPTIMUM_TIE:
        policy = shorter
    slope = slope_at(policy)
    return SolverResult(policy, value(rows @ policy), max(allowed.support(slope) - float(slope @ policy), 0.0), margin)


def _sharpness(gradient: Gradient, rows: np.ndarray, policy: np.ndarray) -> float:
    """Return infinity, or 0 if the function is flat along some change of the payoffs."""
    played = np.flatnonzero(policy > 0)
    if len(played) < 2:
        return np.inf
    inside = np.ascontiguousarray(rows[:, played])
    flat = np.eye(len(played)) - 1 / len(played)
    curves = np.linalg.eigvalsh(flat @ -curvature(gradient, inside, policy[played]) @ flat)
    moves = np.linalg.svd(inside @ flat, compute_uv=False)
    curved = np.count_nonzero(curves > FLAT_CURVATURE_RATIO * max(float(curves.max()), 1e-300))
    return np.inf if curved >= np.count_nonzero(moves > FLAT_CURVATURE_RATIO * max(float(moves.max()), 1e-300)) else 0.0
