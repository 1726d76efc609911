"""The betting variant of the guided learner's bounds, side by side: fewer rounds, and what they cost.

`python -m benchmarks.betting` (a few seconds). Hedged capital after Waudby-Smith and Ramdas (2024): a candidate mean m
falls when one of two gamblers who bet against it, upwards and downwards, has multiplied its stake by 2/α.
"""

from __future__ import annotations

import time

import numpy as np

from isegoria.data import dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, GuidedLearner
from isegoria.learning.sets.bernstein import observe_arm, unseen
from isegoria.studies.beyond.worlds import hard

GRID = 200
LARGEST = 0.75
ROUNDS = 20_000


class ClosedForm:
    """The empirical-Bernstein bounds of the package."""

    numbers = 8

    def __init__(self, n_arms: int, n_agents: int, log_term: float):
        self.pairs, self.log_terms = unseen(n_arms, n_agents), np.full(n_agents, log_term)

    def see(self, arm: int, x: np.ndarray) -> None:
        observe_arm(self.pairs[arm], x, self.log_terms)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self.pairs[..., -2], self.pairs[..., -1]


class Betting:
    """Hedged capital on a grid of candidate means; bounds are rounded outwards."""

    numbers = 2 * GRID

    def __init__(self, n_arms: int, n_agents: int, log_term: float):
        self.grid, self.log_term = (np.arange(GRID) + 0.5) / GRID, log_term
        self.up, self.down = np.zeros((2, n_arms, n_agents, GRID))
        self.alive = np.ones((n_arms, n_agents, GRID), dtype=bool)
        self.count, self.sums, self.spread = np.zeros(n_arms), *np.zeros((2, n_arms, n_agents))

    def see(self, arm: int, x: np.ndarray) -> None:
        t, off = self.count[arm] + 1, x[:, None] - self.grid
        bet = np.sqrt(2 * self.log_term / ((0.25 + self.spread[arm]) * np.log1p(t)))[:, None]
        self.up[arm] += np.log1p(np.minimum(bet, LARGEST / self.grid) * off)
        self.down[arm] += np.log1p(-np.minimum(bet, LARGEST / (1 - self.grid)) * off)
        self.alive[arm] &= np.maximum(self.up[arm], self.down[arm]) < self.log_term
        self.count[arm], self.sums[arm] = t, self.sums[arm] + x
        self.spread[arm] += (x - (0.5 + self.sums[arm]) / (t + 1)) ** 2

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self.alive.argmax(axis=2) / GRID, 1 - self.alive[..., ::-1].argmax(axis=2) / GRID


def resolved_after(kind: type, world, seed: int) -> tuple[int, float]:
    """The round at which every set is one arm, pulling the least-pulled arm in doubt; and µs for a reward vector."""
    error = GuidedLearner(world.n_agents, world.n_arms).pair_errors[0, 0]
    sequence, stream = kind(world.n_arms, world.n_agents, np.log(2 / error)), world.stream(seed)
    pulls, spent = np.zeros(world.n_arms, dtype=int), 0.0
    for t in range(1, ROUNDS + 1):
        lower, upper = sequence.bounds()
        sets = upper >= lower.max(axis=0)
        doubtful = sets[:, sets.sum(axis=0) > 1].any(axis=1)
        if not doubtful.any():
            return t, 1e6 * spent / t
        arm = int(np.where(doubtful, pulls, ROUNDS).argmin())
        pulls[arm] += 1
        rewards = stream.pull(arm)
        start = time.perf_counter()
        sequence.see(arm, rewards)
        spent += time.perf_counter() - start
    return ROUNDS, 1e6 * spent / ROUNDS


def main() -> None:
    """Print both, on three kinds of group."""
    worlds = {
        "Dots, Beta": BetaRewards(dots_sample(), sd=0.1),
        "Dots, Bernoulli": BernoulliRewards(dots_sample()),
        "hard": BetaRewards(hard(0), sd=0.1),
    }
    print(f"{'group':16} {'bounds':11} {'rounds':>7} {'µs a reward vector':>19} {'numbers a pair':>15}")
    for name, world in worlds.items():
        for kind in (ClosedForm, Betting):
            found = [resolved_after(kind, world, seed) for seed in range(3)]
            rounds, cost = np.median([r for r, _ in found]), min(c for _, c in found)
            print(f"{name:16} {kind.__name__:11} {rounds:7,.0f} {cost:19.1f} {kind.numbers:15}")


if __name__ == "__main__":
    main()
