"""The best policy of a concave function of what each row gets, among all policies or the fair ones: fully corrective
Frank-Wolfe. The slope at the best mixture of the corners so far names the next corner, and bounds what is missed."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair_set.barrier import Function, Gradient, best_mixture, curvature
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.ties.selection import shortest

ALL_AT_ONCE = 64
"""Arms up to which every arm is a corner from the beginning."""

MOST_ROUNDS = 500
ENOUGH = 1e-11  # a gap, in parts of the value if that is above 1, at which no further corner is worth its while
NEWCOMER = 0.02  # the weight with which a corner joins

FLAT = 1e-8
"""A curvature below this part of the largest is none: differences of gradients have half the digits of a double."""


class Everything:
    """All policies, with the questions that the fair ones answer."""

    separate = None

    def corner(self, slope: np.ndarray) -> np.ndarray:
        """(K,) the best arm alone."""
        return np.eye(1, len(slope), int(slope.argmax()))[0]

    def support(self, slope: np.ndarray) -> float:
        """The largest slope·p of a policy."""
        return float(slope.max())


def concave_optimum(
    value: Function, gradient: Gradient, rows: np.ndarray, start: np.ndarray, fair: Fair | None = None
) -> Answer:
    """The policy of largest value(`rows` @ p), of those that give every row the same the one of least norm; the gap is
    the largest slope·(q − p) of a policy q that is allowed, which bounds what is missed if the function is concave.

    `start` (K,) is allowed and gives every row something. The margin is 0 where the function may be flat, so that other
    policies with other utilities are as good.
    """
    allowed = Everything() if fair is None else fair
    arms = rows.shape[1]

    def slope_at(policy: np.ndarray) -> np.ndarray:
        return np.asarray(gradient(rows @ policy) @ rows)

    corners = np.eye(arms) if fair is None and arms <= ALL_AT_ONCE else start[None, :]
    held = best_mixture(value, gradient, np.ascontiguousarray(rows @ corners.T))
    best = np.inf, start
    for _ in range(MOST_ROUNDS):
        corners, held = corners[held > 0], held[held > 0]  # a point needs no more than K + 1 of them
        found = held @ corners
        slope = slope_at(found)
        corner = allowed.corner(slope)
        gap = float(slope @ (corner - found))
        best = min(best, (gap, found), key=lambda each: each[0])
        if gap <= ENOUGH * max(1.0, abs(value(rows @ found))) or (corners == corner).all(axis=1).any():
            break
        corners = np.vstack([corners, corner])
        guess = np.append((1 - NEWCOMER) * held, NEWCOMER)
        held = best_mixture(value, gradient, np.ascontiguousarray(rows @ corners.T), guess)
    policy = simplex_point(best[1])
    margin = _sharpness(gradient, rows, policy)
    shorter = shortest(rows, policy, allowed.separate)[0]
    if np.abs(rows @ (shorter - policy)).max() <= tolerances.OPTIMUM_TIE:
        policy = shorter
    slope = slope_at(policy)
    return Answer(policy, value(rows @ policy), max(allowed.support(slope) - float(slope @ policy), 0.0), margin)


def _sharpness(gradient: Gradient, rows: np.ndarray, policy: np.ndarray) -> float:
    """How sharply utilities are determined: infinity, or 0 if the function is flat along a change of them."""
    played = np.flatnonzero(policy > 0)
    if len(played) < 2:
        return np.inf
    inside = np.ascontiguousarray(rows[:, played])
    flat = np.eye(len(played)) - 1 / len(played)
    curves = np.linalg.eigvalsh(flat @ -curvature(gradient, inside, policy[played]) @ flat)
    moves = np.linalg.svd(inside @ flat, compute_uv=False)
    curved = np.count_nonzero(curves > FLAT * max(float(curves.max()), 1e-300))
    return np.inf if curved >= np.count_nonzero(moves > FLAT * max(float(moves.max()), 1e-300)) else 0.0
