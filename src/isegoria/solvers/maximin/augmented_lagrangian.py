"""The highest Gini welfare where many ranks matter: an augmented Lagrangian, its steps by Newton's method.

The welfare is the least of yᵀAp over the hull of all orders of the weights (see `permutahedron`). Held near a mixture
that is already good by a term |y − ȳ|²/2σ, the least is a smooth function of p with a piecewise quadratic model, which
a few Newton steps over the simplex maximise; its y takes the place of ȳ, and σ grows. The mixture bounds the value of
every policy, so the search ends when the value of the policy meets that bound. Arms join as the mixture likes them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.views import dense, placed
from isegoria.solvers.maximin.permutahedron import excess, nearest
from isegoria.solvers.maximin.welfare import Gini, Proved

FIRST, JOINING = 64, 32  # arms to begin with, and that join in a turn
MOST_ARMS = 128  # so many are looked at together from the beginning
MOST_TURNS, MOST_STAGES, MOST_STEPS = 50, 60, 40
MOST_EXCHANGES = 100  # of arms in a step; one that is not quite right still leads up
GROWTH = 3.0  # of σ after a stage that was easy
EASY = 8  # Newton steps
SHORTEST = 1e-3  # part of a Newton step that is tried
FLATTEST, STEEPEST = 1e-10, 1e-2  # what curvature is given to p, so that no step is wild
PATIENCE = 5  # exchanges of whole blocks of arms that may bring nothing before one arm moves at a time


class Point(NamedTuple):
    """A policy, the utilities there, the mixture y that answers, its ties, and the value of the smooth function."""

    policy: np.ndarray
    utilities: np.ndarray
    mixture: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    merit: float


def by_mixtures(welfare: Gini, table: Any, enough: float) -> Proved:
    """The best policy for a dense or sparse `table` (n, K), as far as it can be proved; `enough` is a gap to end at."""
    total = np.asarray(welfare.weights @ table).ravel()
    few = len(total) > MOST_ARMS
    arms = np.sort(np.argsort(-total, kind="stable")[:FIRST]) if few else np.arange(len(total))
    search, best = None, None
    for _ in range(MOST_TURNS):
        part = np.ascontiguousarray(dense(table[:, arms])) if few else dense(table)
        search = _Search(welfare, part, search, arms)
        found = search.proved(enough)
        worth = np.asarray(found.mixture @ table).ravel()
        bound = float(worth.max()) + excess(found.mixture, welfare.weights, welfare.prefix)
        if best is None or bound - found.value < best.bound - best.value:
            best = Proved(placed(found.policy, arms, len(total)), found.value, bound, found.mixture)
        liked = np.argsort(-worth, kind="stable")[:JOINING]
        liked = np.setdiff1d(liked[worth[liked] > found.bound], arms)
        if best.bound - best.value <= enough or not len(liked):
            break
        arms = np.union1d(arms, liked)
    assert best is not None
    return best


class _Search:
    """The search on some arms; it begins where another on fewer `arms` ended."""

    def __init__(self, welfare: Gini, rows: np.ndarray, before: _Search | None, arms: np.ndarray) -> None:
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
        self.best = Proved(self.policy, -np.inf, np.inf, self.counts * self.mixture)

    def proved(self, enough: float) -> Proved:
        """Stages until the bounds meet."""
        for _ in range(MOST_STAGES):
            steps, smooth = self._stage(enough)
            if self.best.bound - self.best.value <= enough:
                break
            if steps <= EASY:
                self.sigma *= GROWTH
                self.ridge = max(self.ridge / 3, FLATTEST)
            elif not smooth:
                self.ridge = min(self.ridge * 10, STEEPEST)
            if steps == MOST_STEPS - 1:
                self.sigma /= 2
        return self.best

    def _at(self, policy: np.ndarray, centre: np.ndarray) -> Point:
        utilities = self.rows @ policy
        target = self.mixture - self.sigma * utilities
        mixture, order, starts = nearest(target, self.welfare.weights, self.welfare.prefix)
        moved, away = mixture - self.mixture, policy - centre
        weighed = self.counts * mixture
        merit = weighed @ utilities + (self.counts * moved) @ moved / (2 * self.sigma) - self.ridge / 2 * (away @ away)
        return Point(policy, utilities, mixture, order, starts, float(merit))

    def _stage(self, enough: float) -> tuple[int, bool]:
        """(steps, whether each could be taken whole): the smooth function at its best, and its mixture kept."""
        centre, smooth = self.policy, True
        point = self._at(centre, centre)
        for step in range(MOST_STEPS):
            worth = (self.counts * point.mixture) @ self.rows
            loss = self._note(point, worth)
            slope = worth - self.ridge * (point.policy - centre)
            slope -= slope @ point.policy
            settled = float(slope.max()) <= max(abs(loss) / 10, tolerances.VIOLATION)
            if (step and settled) or self.best.bound - self.best.value <= enough:
                break
            curve = self._curvature(point) + self.ridge * np.eye(len(centre))
            ahead = _on_simplex(curve, slope + curve @ point.policy, point.policy > 0) - point.policy
            point, whole = self._moved(point, centre, ahead, float(slope @ ahead))
            smooth &= whole
        self.policy, self.mixture = point.policy, point.mixture
        return step, smooth

    def _note(self, point: Point, worth: np.ndarray) -> float:
        """Keep the best policy and the least bound; what the mixture says of this policy too much."""
        value = self.welfare.value(point.utilities)
        if value > self.best.value:
            self.best = self.best._replace(policy=point.policy, value=value)
        if worth.max() < self.best.bound:
            mixture = self.counts * point.mixture
            bound = float(worth.max()) + excess(mixture, self.welfare.weights, self.welfare.prefix)
            if bound < self.best.bound:
                self.best = self.best._replace(bound=bound, mixture=mixture)
        return float(worth @ point.policy) - value

    def _curvature(self, point: Point) -> np.ndarray:
        """Minus the curvature: how rows that are tied differ from the mean of their block."""
        sizes = np.diff(point.starts)
        tied = np.flatnonzero(sizes > 1)
        sizes = sizes[tied]
        if not len(tied):
            return np.zeros((self.rows.shape[1], self.rows.shape[1]))
        heads = np.cumsum(sizes) - sizes
        places = point.order[np.repeat(point.starts[tied] - heads, sizes) + np.arange(sizes.sum())]
        rows, counts = self.rows[places], self.counts[places]
        means = np.add.reduceat(rows * counts[:, None], heads, axis=0) / np.add.reduceat(counts, heads)[:, None]
        apart = (rows - np.repeat(means, sizes, axis=0)) * np.sqrt(self.sigma * counts)[:, None]
        return apart.T @ apart

    def _moved(self, point: Point, centre: np.ndarray, ahead: np.ndarray, slope: float) -> tuple[Point, bool]:
        """The point after a step, halved until it brings something; whole where rounding would hide that."""
        part = 1.0
        while True:
            policy = np.maximum(point.policy + part * ahead, 0.0)
            moved = self._at(policy / policy.sum(), centre)
            if slope < 1e-13 or part < SHORTEST or moved.merit >= point.merit + 1e-4 * part * slope:
                return moved, part == 1
            part /= 2


def _on_simplex(curve: np.ndarray, slope: np.ndarray, playing: np.ndarray) -> np.ndarray:
    """The policy x of least xᵀQx/2 − b·x: arms are exchanged in blocks, and one at a time if that goes round."""
    playing, fewest, patience = playing.copy(), len(slope) + 1, PATIENCE
    rounding = tolerances.VIOLATION * max(1.0, float(np.abs(slope).max()))
    policy = playing / playing.sum()
    for _ in range(MOST_EXCHANGES):
        arms = np.flatnonzero(playing)
        inside = curve[np.ix_(arms, arms)]
        inside[np.diag_indices_from(inside)] *= 1 + tolerances.PIVOT  # twins
        solved = np.linalg.solve(inside, np.stack([slope[arms], np.ones(len(arms))], axis=1))
        level = (solved[:, 0].sum() - 1) / solved[:, 1].sum()
        policy = placed(solved[:, 0] - level * solved[:, 1], arms, len(slope))
        wrong = np.where(playing, policy < 0, curve @ policy - slope + level < -rounding)
        count = int(wrong.sum())
        if count == 0:
            return policy
        fewest, patience = (count, PATIENCE) if count < fewest else (fewest, patience - 1)
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        playing ^= wrong
        if not playing.any():
            playing[int(np.argmax(slope))] = True
    policy = np.maximum(policy, 0.0)
    return policy / policy.sum()
