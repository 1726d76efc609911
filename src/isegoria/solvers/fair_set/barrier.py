"""The best mixture of a few policies for a concave function that is known by its value and its gradient alone.

Newton's method on a logarithmic barrier, which keeps every policy in play and so every utility above 0, where gradients
may be infinite; curvatures are differences of gradients. What is all but unplayed in the end is left out, and a last
few steps without the barrier sharpen the rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Function = Callable[[np.ndarray], float]
Gradient = Callable[[np.ndarray], np.ndarray]

FIRST, LAST, SHRINK = 1e-1, 1e-13, 0.03  # the weight of the barrier, in units of the gradient's spread
NEWTON_STEPS, POLISHING_STEPS, HALVINGS = 30, 8, 40
ENOUGH = 1e-10  # a step that moves no weight further, in parts of that weight, ends a stage
TOWARDS_EDGE = 0.98  # the part of the way to the edge that a step may go
DIFFERENCE = 1e-4  # of what any utility has: the step of a difference of gradients
IDLE = (1e-4, 1e-5, 1e-6, 1e-7)  # weights that only the barrier may keep in play
SHARP = 1e-13  # a gap, in units of the slopes, that only rounding leaves


def best_mixture(value: Function, gradient: Gradient, seen: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """(m,) the weights x ≥ 0 of sum 1 for which value(`seen` @ x) is largest, `seen` (N, m) what each row gets of each
    policy; every row has some of one. `start` (m,) > 0 is a guess.

    >>> best_mixture(lambda v: float(np.log(v).sum()), lambda v: 1 / v, np.eye(2)).round(9).tolist()
    [0.5, 0.5]
    """
    count = seen.shape[1]
    x = np.full(count, 1 / count) if start is None else start
    if count == 1:
        return x
    slope = gradient(seen @ x) @ seen
    unit = max(float(np.ptp(slope)), 1e-12 * max(1.0, float(np.abs(slope).max())))
    part = FIRST if start is None else FIRST * SHRINK
    while part >= LAST:
        x = _centred(value, gradient, seen, x, part * unit)
        part *= SHRINK
    return _polished(gradient, seen, x)


def _centred(value: Function, gradient: Gradient, seen: np.ndarray, x: np.ndarray, weight: float) -> np.ndarray:
    """The best x of value(seen @ x) + weight Σ log x, from the x that is given."""

    def worth(y: np.ndarray) -> float:
        return value(seen @ y) + weight * float(np.log(y).sum())

    now = worth(x)
    for _ in range(NEWTON_STEPS):
        slope = gradient(seen @ x) @ seen + weight / x
        step = _newton(curvature(gradient, seen, x) - np.diag(weight / x**2), slope)
        if not np.isfinite(step).all() or float(np.abs(step / x).max()) <= ENOUGH:
            break
        reach = min(1.0, TOWARDS_EDGE / max(float((-step / x).max()), 1e-300))
        for halving in range(HALVINGS):
            tried = x + reach * 0.5**halving * step
            reached = worth(tried)
            if reached > now:
                break
        else:
            break
        x, now = tried / tried.sum(), reached
    return x


def _polished(gradient: Gradient, seen: np.ndarray, x: np.ndarray) -> np.ndarray:
    """x without what is all but unplayed, sharpened; as few policies as will do, since the barrier keeps some in play
    that are just not worth it."""
    best, least = x, _gap(gradient, seen, x)
    for idle in IDLE:
        playing = x > idle
        found = np.zeros_like(x)
        found[playing] = _sharpened(gradient, np.ascontiguousarray(seen[:, playing]), x[playing] / x[playing].sum())
        gap = _gap(gradient, seen, found)
        if gap <= SHARP * max(1.0, float(np.abs(gradient(seen @ found) @ seen).max())):
            return found
        if gap < least:
            best, least = found, gap
    return best


def _sharpened(gradient: Gradient, seen: np.ndarray, x: np.ndarray) -> np.ndarray:
    """x after Newton's steps without a barrier, as long as they help and leave every policy in play."""
    for _ in range(POLISHING_STEPS):
        slope = gradient(seen @ x) @ seen
        step = _newton(curvature(gradient, seen, x), slope)
        tried = x + step
        if not np.isfinite(step).all() or tried.min() <= 0:
            break
        if not np.ptp(gradient(seen @ tried) @ seen) < np.ptp(slope):
            break
        x = tried / tried.sum()
    return x


def _gap(gradient: Gradient, seen: np.ndarray, x: np.ndarray) -> float:
    slope = gradient(seen @ x) @ seen
    gap = float(slope.max() - slope @ x)
    return gap if np.isfinite(gap) else np.inf


def curvature(gradient: Gradient, seen: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(m, m) the second derivatives in x, as differences of gradients; symmetric."""
    have = seen @ x
    found = np.empty((len(x), len(x)))
    for j, column in enumerate(seen.T):
        ratio = float(np.divide(column, have, out=np.zeros_like(have), where=have > 0).max(initial=0.0))
        step = DIFFERENCE / max(1.0, ratio)
        found[j] = (gradient(have + step * column) - gradient(have - step * column)) @ seen / (2 * step)
    return (found + found.T) / 2


def _newton(curves: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The step that leads to the top of the parabola, its entries summing to 0; flat directions are left alone."""
    count = len(slope)
    system = np.zeros((count + 1, count + 1))
    system[:count, :count] = curves
    system[count, :count] = system[:count, count] = 1.0
    scale = np.sqrt(np.maximum(np.abs(np.diag(curves)), 1e-300))
    scaled = system / np.outer([*scale, 1.0], [*scale, 1.0])
    wanted = np.append(-(slope - slope.mean()) / scale, 0.0)
    return np.asarray(np.linalg.lstsq(scaled, wanted, rcond=1e-13)[0][:count] / scale)
