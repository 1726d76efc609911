"""The world a learner meets: an `Environment` gives rewards, by the pull of an arm or by the round.

By the pull, each arm has a stream of its own: its n-th pull gives the same rewards to every learner that meets the same
environment with the same seed, whatever it pulled in between, and streams can be drawn in blocks of any size. By the
round, each arm in each round has one: all learners meet the same world at the same round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.learning.protocol.sealing import generator_from, generator_state
from isegoria.wording import counted

BLOCK = 1 << 15
"""Rewards drawn at once for one arm: enough to make the cost of a call vanish, little enough to stay in the cache."""


class Environment:
    """Rewards in [0, 1] of N agents for K arms, around the true means of `instance`.

    `means` is an (N, K) array or an `Instance`; a row of weight w is one agent with w voices. A subclass sets
    `id` and `summary` and writes `draw(rng, arm, first, pulls)`: (pulls, N) rewards for the pulls number `first`,
    `first` + 1, … of `arm`, drawn from `rng` in that order, so that the size of a block does not matter.

    A world that changes sets `by_round = True` and writes instead `draw_round(rng, arm, t)`: (N,) rewards of `arm` in
    round t, and `means_at(t)`: (N, K) the true means in round t. Learners are then measured by the truth of each round;
    it is solved anew when `means_at` gives other means, and looked at once every `truth_every` rounds, in rounds 1,
    1 + `truth_every`, ….
    """

    id = summary = ""
    by_round = False
    truth_every = 1

    def __init__(self, means: Any):
        self.instance = means if isinstance(means, Instance) else Instance(means)
        self.means = self.instance.means
        self.n_agents, self.n_arms = self.means.shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(self.n_agents, 'agent')}, {counted(self.n_arms, 'arm')})"

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        raise NotImplementedError

    def draw_round(self, rng: np.random.Generator, arm: int, t: int) -> np.ndarray:
        raise NotImplementedError

    def means_at(self, t: int) -> np.ndarray:
        """(N, K) the true means in round t."""
        return self.means

    def truth_at(self, t: int) -> Instance:
        """The truth by which round t is measured: names and weights stay, means may change."""
        means = self.means_at(truth_round(self, t))
        if means is self.means:
            return self.instance
        here = self.instance
        return Instance(means, here.agents, here.arms, here.weights, here.tie_tolerance)

    @property
    def agents(self) -> Sequence[str]:
        """The names of the agents."""
        return self.instance.agents

    @property
    def weights(self) -> np.ndarray:
        """(N,) whole numbers: how many voices each agent has in the truth that learners are measured by."""
        return self.instance.weights

    @property
    def arms(self) -> Sequence[str]:
        """The names of the arms."""
        return self.instance.arms

    def fingerprint(self) -> bytes:
        """Bytes that differ between environments that give other rewards."""
        parts = [value for _, value in sorted(vars(self).items()) if isinstance(value, np.ndarray | int | float | list)]
        arrays = [np.ascontiguousarray(item) for part in parts for item in (part if isinstance(part, list) else [part])]
        return b"|".join([self.id.encode(), self.weights.tobytes(), *(array.tobytes() for array in arrays)])

    def stream(self, seed: int) -> RewardStream | RoundStream:
        """The rewards of this environment for one seed, each arm from streams of its own."""
        return RoundStream(self, seed) if self.by_round else RewardStream(self, seed)


def truth_round(environment: Environment, t: int) -> int:
    """The round whose means round `t` is measured by: the last one at which the truth was looked at."""
    return t - (t - 1) % environment.truth_every


class RoundStream:
    """The rewards of one run in a world that knows the round: `pull(arm, t)` gives those of that arm in round t."""

    by_round = True

    def __init__(self, environment: Environment, seed: int):
        self.environment, self._seed = environment, seed

    def pull(self, arm: int, t: int) -> np.ndarray:
        """(N,) the rewards of `arm` in round `t`, whatever was pulled before it."""
        rng = generator_at(self._seed, "round", arm, t)
        return np.ascontiguousarray(self.environment.draw_round(rng, arm, t), dtype=float)

    def state(self) -> list[dict[str, Any]]:
        """The place in the stream: there is none, since every round has its own."""
        return []

    def resume(self, saved: list[dict[str, Any]]) -> None:
        """Go to the place that `state` described."""


def generator_at(seed: int, purpose: str, arm: int, t: int) -> np.random.Generator:
    """The random generator of an arm in a round, for one `purpose`."""
    key = crc32(purpose.encode()), arm, t
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


class RewardStream:
    """The rewards of one run: `pull(arm)` gives the next ones of that arm.

    `blocks[k]` holds rewards of arm k that were drawn already, and `used[k]` how many of them were taken.
    """

    by_round = False

    def __init__(self, environment: Environment, seed: int):
        self.environment = environment
        self._generators = [
            np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, arm))))
            for arm in range(environment.n_arms)
        ]
        self.pulls_per_block = max(1, min(1024, BLOCK // environment.n_agents))
        self.blocks = [np.empty((0, environment.n_agents))] * environment.n_arms
        self.used = np.zeros(environment.n_arms, dtype=np.intp)
        self._drawn = [0] * environment.n_arms
        self._before = [generator_state(rng) for rng in self._generators]

    def pull(self, arm: int, t: int = 0) -> np.ndarray:
        """(N,) the rewards of the next pull of `arm`, whatever the round `t`."""
        if self.used[arm] == len(self.blocks[arm]):
            self.refill(arm)
        row = self.blocks[arm][self.used[arm]]
        self.used[arm] += 1
        return row

    def refill(self, arm: int) -> np.ndarray:
        """Draw the next block of `arm`, once the last one is used up."""
        self._before[arm] = generator_state(self._generators[arm])
        block = self.environment.draw(self._generators[arm], arm, self._drawn[arm], self.pulls_per_block)
        self._drawn[arm] += len(block)
        self.blocks[arm] = np.ascontiguousarray(block, dtype=float)
        self.used[arm] = 0
        return self.blocks[arm]

    def state(self) -> list[dict[str, Any]]:
        """The place in each arm's stream, as plain data: the generator before its block, and what was used of it."""
        return [
            {"generator": before, "first": drawn - len(block), "used": int(used), "block": bool(len(block))}
            for before, drawn, block, used in zip(self._before, self._drawn, self.blocks, self.used, strict=True)
        ]

    def resume(self, saved: list[dict[str, Any]]) -> None:
        """Go to the place that `state` described, by drawing the blocks in use again."""
        for arm, entry in enumerate(saved):
            self._generators[arm] = generator_from(entry["generator"])
            self._drawn[arm] = int(entry["first"])
            if entry["block"]:
                self.refill(arm)
            self.used[arm] = int(entry["used"])


def checked_rewards(array: np.ndarray, what: str) -> np.ndarray:
    """Rewards given as data: numbers in [0, 1], or NaN for an agent who said nothing."""
    wrong = ~(np.isnan(array) | ((array >= 0) & (array <= 1)))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise InputError(f"{what}{list(where)} is {array[where]:.6g}; rewards must lie in [0, 1].")
    return array
