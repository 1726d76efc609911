"""Best mixture of a few policies for a concave function given only by its value and gradient.

Newton's method on a logarithmic barrier keeps every weight, and so every utility, above 0, where gradients may be
infinite. Curvatures are finite differences of gradients. At the end, policies with negligible weight are dropped, and a
few steps without the barrier polish the rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Function = Callable[[np.ndarray], float]
Gradient = Callable[[np.ndarray], np.ndarray]

FIRST_BARRIER_WEIGHT, LAST_BARRIER_WEIGHT, BARRIER_SHRINK_FACTOR = (
    1e-1,
    1e-13,
    0.03,
)  # the weight of the barrier, in units of the gradient's spread
NEWTON_STEPS, POLISHING_STEPS, MAX_STEP_HALVINGS = 30, 8, 40
STAGE_STEP_TOLERANCE = 1e-10  # a step whose largest relative change of a weight is smaller ends a stage
MAX_BOUNDARY_FRACTION = 0.98  # maximum fraction of the distance to the boundary in one step
FINITE_DIFFERENCE_STEP = 1e-4  # relative to the utilities: the step for differences of gradients
IDLE_WEIGHTS = (1e-4, 1e-5, 1e-6, 1e-7)  # weights that may be positive only because of the barrier
ROUNDING_GAP = 1e-13  # a gap, in units of the slopes, that is due to rounding only


def best_mixture(value: Function, gradient: Gradient, seen: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Return the weights x ≥ 0 (m,) of sum 1 that maximise value(`seen` @ x).

    `seen` (N, m) is what each row gets from each policy; every row gets something from one. `start` (m,) > 0 is a
    guess.

    >>> best_mixture(lambda v: float(np.log(v).sum()), lambda v: 1 / v, np.eye(2)).round(9).tolist()
    [0.5, 0.5]
    """
    count = seen.shape[1]
    x = np.full(count, 1 / count) if start is None else start
    if count == 1:
        return x
    slope = gradient(seen @ x) @ seen
    unit = max(float(np.ptp(slope)), 1e-12 * max(1.0, float(np.abs(slope).max())))
    part = FIRST_BARRIER_WEIGHT if start is None else FIRST_BARRIER_WEIGHT * BARRIER_SHRINK_FACTOR
    while part >= LAST_BARRIER_WEIGHT:
        x = _centre(value, gradient, seen, x, part * unit)
        part *= BARRIER_SHRINK_FACTOR
    return _polish(gradient, seen, x)


def _centre(value: Function, gradient: Gradient, seen: np.ndarray, x: np.ndarray, weight: float) -> np.ndarray:
    """Maximise value(seen @ x) + weight Σ log x by Newton's method from the given x."""

    def worth(y: np.ndarray) -> float:
        return value(seen @ y) + weight * float(np.log(y).sum())

    now = worth(x)
    for _ in range(NEWTON_STEPS):
        slope = gradient(seen @ x) @ seen + weight / x
        step = _newton_step(curvature(gradient, seen, x) - np.diag(weight / x**2), slope)
        if not np.isfinite(step).all() or float(np.abs(step / x).max()) <= STAGE_STEP_TOLERANCE:
            break
        reach = min(1.0, MAX_BOUNDARY_FRACTION / max(float((-step / x).max()), 1e-300))
        for halving in range(MAX_STEP_HALVINGS):
            tried = x + reach * 0.5**halving * step
            reached = worth(tried)
            if reached > now:
                break
        else:
            break
        x, now = tried / tried.sum(), reached
    return x


def _polish(gradient: Gradient, seen: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Drop the policies of negligible weight and polish the rest; keep the smallest support that suffices.

    The barrier gives some weight even to policies that are just not worth playing.
    """
    best, least = x, _gap(gradient, seen, x)
    for idle in IDLE_WEIGHTS:
        playing = x > idle
        found = np.zeros_like(x)
        found[playing] = _refine(gradient, np.ascontiguousarray(seen[:, playing]), x[playing] / x[playing].sum())
        gap = _gap(gradient, seen, found)
        if gap <= ROUNDING_GAP * max(1.0, float(np.abs(gradient(seen @ found) @ seen).max())):
            return found
        if gap < least:
            best, least = found, gap
    return best


def _refine(gradient: Gradient, seen: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Take Newton steps without a barrier, as long as they help and all weights stay positive."""
    for _ in range(POLISHING_STEPS):
        slope = gradient(seen @ x) @ seen
        step = _newton_step(curvature(gradient, seen, x), slope)
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
    """Return the second derivatives (m, m) in x, as finite differences of gradients, symmetrised."""
    have = seen @ x
    found = np.empty((len(x), len(x)))
    for j, column in enumerate(seen.T):
        ratio = float(np.divide(column, have, out=np.zeros_like(have), where=have > 0).max(initial=0.0))
        step = FINITE_DIFFERENCE_STEP / max(1.0, ratio)
        found[j] = (gradient(have + step * column) - gradient(have - step * column)) @ seen / (2 * step)
    return (found + found.T) / 2


def _newton_step(curves: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the Newton step, with entries that sum to 0; flat directions are left out."""
    count = len(slope)
    system = np.zeros((count + 1, count + 1))
    system[:count, :count] = curves
    system[count, :count] = system[:count, count] = 1.0
    scale = np.sqrt(np.maximum(np.abs(np.diag(curves)), 1e-300))
    scaled = system / np.outer([*scale, 1.0], [*scale, 1.0])
    wanted = np.append(-(slope - slope.mean()) / scale, 0.0)
    return np.asarray(np.linalg.lstsq(scaled, wanted, rcond=1e-13)[0][:count] / scale)
