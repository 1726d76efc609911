"""The policies whose procedural score is at least ℓ: the best one for linear gains, and the least quadratic.

Such a policy is p = q + r: a mass ℓ attributed to agents who favour what it goes to, each within its share, and a mass
1 − ℓ on anything. So the largest c·p is found by sorting, and quadratics are minimised over the corners found so.
`rows` (m, K) are favourite types, `shares` (m,) sum to 1, `level` is ℓ.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.simplex import simplex_point


def best_policy(gains: np.ndarray, rows: np.ndarray, shares: np.ndarray, level: float) -> np.ndarray:
    """(K,) a policy of largest gains·p with a procedural score of at least `level`, a corner of the set of them.

    Every agent prefers the best of its favourites; agents are heard in the order of that best until ℓ is spent.
    """
    order = np.argsort(-gains, kind="stable")
    choice = rows[:, order].argmax(axis=1)
    heard = np.cumsum(np.bincount(choice, weights=shares, minlength=len(gains)))
    heard[-1] = 1.0  # the shares sum to 1 up to rounding
    policy = np.empty(len(gains))
    policy[order] = np.diff(np.minimum(heard, level), prepend=0.0)
    policy[order[0]] += 1 - level
    return policy


def least_quadratic(
    form: np.ndarray, rows: np.ndarray, shares: np.ndarray, level: float, target: float
) -> tuple[np.ndarray, float]:
    """(p, gap): the policy of least ½ p·form·p (form positive semidefinite) at `level`, and how near it surely is.

    Wolfe's method of the nearest point: hold a few corners, move to the least point of their affine hull, drop the
    corners whose weight would turn negative, and add the corner that the gradient likes best until none is better.
    """
    corners = best_policy(-np.diag(form), rows, shares, level)[None, :]
    weights = np.ones(1)
    best, least = corners[0], np.inf
    for _ in range(tolerances.WOLFE_STEPS):
        policy = weights @ corners
        gradient = form @ policy
        corner = best_policy(-gradient, rows, shares, level)
        gap = float(gradient @ (policy - corner))
        if gap < least:
            best, least = policy, gap
        if least <= target or (corners == corner).all(axis=1).any():
            break
        corners, weights = _nearest(form, np.vstack([corners, corner]), np.append(weights, 0.0))
    return simplex_point(best), max(least, 0.0)


def _nearest(form: np.ndarray, corners: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corners that carry the least point of their convex hull, and their weights in it."""
    while True:
        affine = _affine_least(corners @ form @ corners.T)
        if affine.min() > tolerances.WOLFE_WEIGHT:
            return corners, affine
        falling = affine <= tolerances.WOLFE_WEIGHT
        step = np.min(weights[falling] / np.maximum(weights[falling] - affine[falling], np.finfo(float).tiny))
        weights = np.clip(weights + min(step, 1.0) * (affine - weights), 0.0, None)
        keep = weights > tolerances.WOLFE_WEIGHT
        if keep.all():
            keep[np.flatnonzero(falling)[np.argmin(weights[falling])]] = False
        corners, weights = corners[keep], weights[keep] / weights[keep].sum()


def _affine_least(products: np.ndarray) -> np.ndarray:
    """The weights of sum 1 whose combination is shortest, from the table of inner products of the points."""
    count = len(products)
    border = np.ones((count + 1, count + 1))
    border[:count, :count] = products
    border[count, count] = 0.0
    right = np.zeros(count + 1)
    right[count] = 1.0
    return np.linalg.lstsq(border, right)[0][:count]
