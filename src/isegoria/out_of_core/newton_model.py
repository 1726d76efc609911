"""A concave model of the Nash welfare around a policy: some rows exactly, all others by a quadratic."""

from __future__ import annotations

import numpy as np

MAX_NEWTON_STEPS = 60
FULL_STEP_RISE, CONVERGED_RISE = 1e-11, 1e-22
"""The rise of a step, in units of the slope, from which on full steps are taken, and at which there is nothing left."""
ROUNDING_TOLERANCE = 1e-13
"""How far φ may be rounded, in the same units."""
HESSIAN_RIDGE = 1e-13
"""Added to curvature, in units of the largest: directions along which nothing bends must not be stepped along far."""


class NewtonModel:
    """The model φ(q) = Σ_S w log(a·q) + g·(q − p) − ½ (q − p)ᵀ B (q − p).

    The rows S are exact; g and B are the gradient and curvature of the other rows at the policy p.

    - `policy` p (K,), and the `slope` (K,) and `curve` (K, K) of all rows there; `rows` (S, K) with `weights` (S,).
    """

    def __init__(
        self, policy: np.ndarray, slope: np.ndarray, curve: np.ndarray, rows: np.ndarray, weights: np.ndarray
    ) -> None:
        best = rows.max(axis=1) if len(rows) else np.zeros(0)
        self.rows, self.weights = rows[best > 0] / best[best > 0, None], weights[best > 0]
        self.centre = policy
        values = self.rows @ policy
        heard = values > 0  # agents who get nothing are in neither sum
        scaled = self.rows[heard] / values[heard, None]
        self.slope = slope - self.weights[heard] @ scaled
        self.curve = curve - (scaled * self.weights[heard, None]).T @ scaled
        self.total = float(slope @ policy) or 1.0

    def maximum(self) -> np.ndarray:
        """Return a policy that maximises φ, or comes close."""
        point = self.centre.copy()
        if len(self.rows) and (self.rows @ point).min() <= 0:
            point = (point + 1 / len(point)) / 2  # inside, where φ is finite
        for _ in range(MAX_NEWTON_STEPS):
            value, slope, curve = self._at(point)
            step = solve_quadratic_step(point, slope, curve)
            rise = float(slope @ step)
            if rise < -FULL_STEP_RISE * self.total:  # rows that represent others may give φ the wrong curvature
                break
            near = rise <= FULL_STEP_RISE * self.total  # here rounding of φ hides the effect of a step
            length = 1.0 if near else self._length(point, step, value, rise)
            point = np.maximum(point + length * step, 0.0)
            point /= point.sum()
            if length == 0 or (near and rise <= CONVERGED_RISE * self.total):
                break
        return point

    def rises_to(self, q: np.ndarray) -> bool:
        """Check whether φ at a policy is no less than at the model's centre, up to rounding."""
        return self._value(q) >= self._value(self.centre) - ROUNDING_TOLERANCE * self.total

    def _at(self, q: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        values = self.rows @ q
        scaled = self.rows / values[:, None]
        away = q - self.centre
        slope = self.weights @ scaled + self.slope - self.curve @ away
        return self._value(q), slope, (scaled * self.weights[:, None]).T @ scaled + self.curve

    def _value(self, q: np.ndarray) -> float:
        values = self.rows @ q
        if len(values) and values.min() <= 0:
            return -np.inf
        away = q - self.centre
        return float(self.weights @ np.log(values) + self.slope @ away - away @ self.curve @ away / 2)

    def _length(self, point: np.ndarray, step: np.ndarray, value: float, rise: float) -> float:
        """Halve the step until φ rises as a concave function should; return the length, 0 if rounding hides it."""
        length = 1.0
        while length > 1e-9:
            if self._value(point + length * step) >= value + 0.25 * length * rise - ROUNDING_TOLERANCE * self.total:
                return length
            length /= 2
        return 0.0


def solve_quadratic_step(point: np.ndarray, slope: np.ndarray, curve: np.ndarray) -> np.ndarray:
    """Return the step d that maximises slope·d − ½ dᵀ curve d subject to Σ d = 0 and point + d ≥ 0.

    It is found by a primal active-set method.

    >>> solve_quadratic_step(np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.eye(2)).round(6).tolist()
    [0.5, -0.5]
    """
    k = len(point)
    curve = curve + HESSIAN_RIDGE * max(float(np.trace(curve)) / k, 1e-300) * np.eye(k)
    target, free = point.copy(), point > 0
    for _ in range(6 * k + 20):
        now = slope - curve @ (target - point)
        level = float(now[free].mean()) if free.any() else now.max()
        move = _compute_newton_move(now, curve, free)
        blocked = free & (target + move < 0)
        reach = 1.0
        if blocked.any():
            parts = np.where(blocked, target / np.where(blocked, -move, 1.0), np.inf)
            leaving = int(parts.argmin())
            reach = float(parts[leaving])
        target = np.maximum(target + reach * move, 0.0)
        if reach < 1.0:
            target[leaving], free[leaving] = 0.0, False
            continue
        now = slope - curve @ (target - point)
        level = float(now[free].mean())
        out = np.where(free, -np.inf, now)
        entering = int(out.argmax())
        if out[entering] <= level + 1e-14 * max(1.0, abs(level)):
            break
        free[entering] = True
    return target - point


def _compute_newton_move(slope: np.ndarray, curve: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the move of the free arms, which sums to 0, to the maximum of the quadratic."""
    place = np.flatnonzero(free)
    inner = curve[np.ix_(place, place)]
    both = np.linalg.lstsq(inner, np.column_stack([slope[place], np.ones(len(place))]), rcond=1e-15)[0]
    price = both[:, 0].sum() / both[:, 1].sum()
    move = np.zeros(len(slope))
    move[place] = both[:, 0] - price * both[:, 1]
    return move
