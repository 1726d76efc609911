"""Maximise a Gini welfare with many ranks by an augmented Lagrangian, with Newton steps.

The welfare is the minimum of yᵀAp over the hull of all orders of the weights (see `permutahedron`). A proximal term |y
− ȳ|²/2σ around a good mixture ȳ makes that minimum a smooth function of p with a piecewise quadratic model, which a few
Newton steps over the simplex maximise. Its y replaces ȳ, and σ grows. The mixture bounds the value of every policy, so
the search ends when the value of the policy meets that bound. Arms are added when they are worth more than the bound to
the mixture.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria.solvers.maximin.permutahedron import hull_excess, project_on_permutahedron
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare
from isegoria.utils import tolerances
from isegoria.utils.arrays import repeat_values, scatter, to_dense

INITIAL_ARMS, ARMS_PER_TURN = 64, 32  # arms at the start, and arms added per turn
MAX_INITIAL_ARMS = 128  # up to this many arms, all are included from the start
MAX_TURNS, MAX_STAGES, MAX_NEWTON_STEPS = 50, 60, 40
MAX_EXCHANGES = 100  # of arms in a step; an inexact step is still an ascent direction
PENALTY_GROWTH = 3.0  # of σ after an easy stage
EASY_STAGE_STEPS = 8  # Newton steps
MIN_STEP_FRACTION = 1e-3  # smallest fraction of a Newton step that is tried
MIN_RIDGE, MAX_RIDGE = 1e-10, 1e-2  # curvature added in p to keep steps bounded
MAX_FRUITLESS_EXCHANGES = 5  # block exchanges without progress before arms are exchanged one at a time


class Point(NamedTuple):
    """A policy, its utilities, the minimising mixture y, its ties, and the value of the smooth function."""

    policy: np.ndarray
    utilities: np.ndarray
    mixture: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    merit: float


def solve_augmented_lagrangian(welfare: GiniWelfare, table: Any, enough: float) -> BoundedPolicy:
    """Return the best policy for a dense or sparse `table` (n, K), with its proof; stop at a gap of `enough`."""
    total = np.asarray(welfare.weights @ table).ravel()
    few = len(total) > MAX_INITIAL_ARMS
    arms = np.sort(np.argsort(-total, kind="stable")[:INITIAL_ARMS]) if few else np.arange(len(total))
    search, best = None, None
    for _ in range(MAX_TURNS):
        part = np.ascontiguousarray(to_dense(table[:, arms])) if few else to_dense(table)
        search = _Search(welfare, part, search, arms)
        found = search.proved(enough)
        worth = np.asarray(found.mixture @ table).ravel()
        bound = float(worth.max()) + hull_excess(found.mixture, welfare.weights, welfare.prefix)
        if best is None or bound - found.value < best.bound - best.value:
            best = BoundedPolicy(scatter(found.policy, arms, len(total)), found.value, bound, found.mixture)
        liked = np.argsort(-worth, kind="stable")[:ARMS_PER_TURN]
        liked = np.setdiff1d(liked[worth[liked] > found.bound], arms)
        if best.bound - best.value <= enough or not len(liked):
            break
        arms = np.union1d(arms, liked)
    assert best is not None
    return best


class _Search:
    """Search on some arms; it starts where another on fewer `arms` ended."""

    def __init__(self, welfare: GiniWelfare, rows: np.ndarray, before: _Search | None, arms: np.ndarray) -> None:
        self.welfare, self.rows, self.arms = welfare, rows, arms
        self.counts = welfare.weights.astype(float)
        count, self.ridge = rows.shape[1], 1e-6
        if before is None:
            self.policy = np.full(count, 1 / count)
            self.mixture = welfare.given(rows @ self.policy) / self.counts
        else:
            self.policy, self.mixture = np.zeros(count), before.mixture
            self.policy[np.searchsorted(arms, before.arms)] = before.policy
        wide = max(float((rows @ self.policy).std()), 1e-3)
        self.sigma = float(np.diff(welfare.prefix).max()) / (10 * wide)
        self.best = BoundedPolicy(self.policy, -np.inf, np.inf, self.counts * self.mixture)

    def proved(self, enough: float) -> BoundedPolicy:
        """Run stages until the bounds meet, and return the best policy and bound."""
        for _ in range(MAX_STAGES):
            steps, smooth = self._stage(enough)
            if self.best.bound - self.best.value <= enough:
                break
            if steps <= EASY_STAGE_STEPS:
                self.sigma *= PENALTY_GROWTH
                self.ridge = max(self.ridge / 3, MIN_RIDGE)
            elif not smooth:
                self.ridge = min(self.ridge * 10, MAX_RIDGE)
            if steps == MAX_NEWTON_STEPS - 1:
                self.sigma /= 2
        return self.best

    def _at(self, policy: np.ndarray, centre: np.ndarray) -> Point:
        utilities = self.rows @ policy
        target = self.mixture - self.sigma * utilities
        mixture, order, starts = project_on_permutahedron(target, self.welfare.weights, self.welfare.prefix)
        moved, away = mixture - self.mixture, policy - centre
        weighed = self.counts * mixture
        merit = weighed @ utilities + (self.counts * moved) @ moved / (2 * self.sigma) - self.ridge / 2 * (away @ away)
        return Point(policy, utilities, mixture, order, starts, float(merit))

    def _stage(self, enough: float) -> tuple[int, bool]:
        """Maximise the smooth function and keep its mixture; return (steps, whether all steps were full)."""
        centre, smooth = self.policy, True
        point = self._at(centre, centre)
        for step in range(MAX_NEWTON_STEPS):
            worth = (self.counts * point.mixture) @ self.rows
            loss = self._note(point, worth)
            slope = worth - self.ridge * (point.policy - centre)
            slope -= slope @ point.policy
            settled = float(slope.max()) <= max(abs(loss) / 10, tolerances.CONSTRAINT_VIOLATION)
            if (step and settled) or self.best.bound - self.best.value <= enough:
                break
            curve = self._curvature(point) + self.ridge * np.eye(len(centre))
            ahead = _minimise_on_simplex(curve, slope + curve @ point.policy, point.policy > 0) - point.policy
            point, whole = self._line_search(point, centre, ahead, float(slope @ ahead))
            smooth &= whole
        self.policy, self.mixture = point.policy, point.mixture
        return step, smooth

    def _note(self, point: Point, worth: np.ndarray) -> float:
        """Record the best policy and the smallest bound; return how much the mixture overestimates this policy."""
        value = self.welfare.value(point.utilities)
        if value > self.best.value:
            self.best = self.best._replace(policy=point.policy, value=value)
        if worth.max() < self.best.bound:
            mixture = self.counts * point.mixture
            bound = float(worth.max()) + hull_excess(mixture, self.welfare.weights, self.welfare.prefix)
            if bound < self.best.bound:
                self.best = self.best._replace(bound=bound, mixture=mixture)
        return float(worth @ point.policy) - value

    def _curvature(self, point: Point) -> np.ndarray:
        """Return the negative Hessian: how tied rows differ from the mean of their block."""
        sizes = np.diff(point.starts)
        tied = np.flatnonzero(sizes > 1)
        sizes = sizes[tied]
        if not len(tied):
            return np.zeros((self.rows.shape[1], self.rows.shape[1]))
        heads = np.cumsum(sizes) - sizes
        places = point.order[repeat_values(point.starts[tied] - heads, sizes) + np.arange(sizes.sum())]
        rows, counts = self.rows[places], self.counts[places]
        means = np.add.reduceat(rows * counts[:, None], heads, axis=0) / np.add.reduceat(counts, heads)[:, None]
        apart = (rows - repeat_values(means, sizes, axis=0)) * np.sqrt(self.sigma * counts)[:, None]
        return apart.T @ apart

    def _line_search(self, point: Point, centre: np.ndarray, ahead: np.ndarray, slope: float) -> tuple[Point, bool]:
        """Return the point after a step, halved until it improves; a full step where rounding would hide the gain."""
        part = 1.0
        while True:
            policy = np.maximum(point.policy + part * ahead, 0.0)
            moved = self._at(policy / policy.sum(), centre)
            if slope < 1e-13 or part < MIN_STEP_FRACTION or moved.merit >= point.merit + 1e-4 * part * slope:
                return moved, part == 1
            part /= 2


def _minimise_on_simplex(curve: np.ndarray, slope: np.ndarray, playing: np.ndarray) -> np.ndarray:
    """Minimise xᵀQx/2 − b·x over policies x: exchange arms in blocks, and one at a time if that cycles."""
    playing, fewest, patience = playing.copy(), len(slope) + 1, MAX_FRUITLESS_EXCHANGES
    rounding = tolerances.CONSTRAINT_VIOLATION * max(1.0, float(np.abs(slope).max()))
    policy = playing / playing.sum()
    for _ in range(MAX_EXCHANGES):
        arms = np.flatnonzero(playing)
        inside = curve[np.ix_(arms, arms)]
        inside[np.diag_indices_from(inside)] *= 1 + tolerances.GAME_PIVOT  # duplicate arms
        solved = np.linalg.solve(inside, np.stack([slope[arms], np.ones(len(arms))], axis=1))
        level = (solved[:, 0].sum() - 1) / solved[:, 1].sum()
        policy = scatter(solved[:, 0] - level * solved[:, 1], arms, len(slope))
        wrong = np.where(playing, policy < 0, curve @ policy - slope + level < -rounding)
        count = int(wrong.sum())
        if count == 0:
            return policy
        fewest, patience = (count, MAX_FRUITLESS_EXCHANGES) if count < fewest else (fewest, patience - 1)
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        playing ^= wrong
        if not playing.any():
            playing[int(np.argmax(slope))] = True
    policy = np.maximum(policy, 0.0)
    return policy / policy.sum()
