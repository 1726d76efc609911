"""`Environment`, which supplies rewards to a learner, indexed by the pull of an arm or by the round.

By pull, each arm has its own stream. Its n-th pull gives the same rewards to every learner that meets the same
environment with the same seed, whatever it pulled in between. Streams can be drawn in blocks of any size. By round,
each arm has its own stream in each round, so all learners meet the same rewards in the same round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.base.state_format import dump_generator, load_generator
from isegoria.profiles import Instance
from isegoria.utils.arrays import to_dense
from isegoria.utils.formatting import pluralise
from isegoria.utils.notebook import NotebookView

BLOCK_REWARDS = 1 << 15
"""Rewards drawn at once for one arm: enough to make the cost of a call vanish, little enough to stay in the cache."""


class Environment(NotebookView):
    """Base class of environments: rewards in [0, 1] of N agents for K arms, around the true means of `instance`.

    A subclass sets `id` and `summary` and implements `draw(rng, arm, first, pulls)`: return (pulls, N) rewards for the
    pulls number `first`, `first` + 1, … of `arm`. They must be drawn from `rng` in that order, so that the block size
    does not matter.

    An environment that changes sets `by_round = True`. It implements `draw_round(rng, arm, t)` instead, which returns
    the (N,) rewards of `arm` in round t, and `means_at(t)`, which returns the (N, K) true means in round t. Learners
    are then measured against the true means of each round. `means_at` is read every `truth_every` rounds, in rounds 1,
    1 + `truth_every`, …; the optimum is recomputed when the means differ.

    Parameters
    ----------
    means : array-like or Instance
        The (N, K) true means. In an `Instance`, a row of weight w is one agent with w voices.
    """

    id = summary = ""
    by_round = False
    truth_every = 1

    def __init__(self, means: Any):
        self.instance = means if isinstance(means, Instance) else Instance(means)
        self.means = self.instance.means
        self.n_agents, self.n_arms = self.means.shape

    @staticmethod
    def from_simulator(simulator: Any, means: Any = None, n_arms: int | None = None) -> Environment:
        """Return the environment of a simulator: any object with `step(arm)`, or a function that makes one.

        Parameters
        ----------
        simulator : object or callable
            `step(arm)` returns the rewards (N,), alone or in a tuple as in Gymnasium.
        means : array-like or Instance, optional
            The (N, K) true means; by default the attribute `means` of the simulator, or estimates from pulls.
        n_arms : int, optional
            The number of arms to pull for estimates, if the simulator does not say it.

        Returns
        -------
        SimulatorRewards
        """
        from isegoria.learning.environments.simulator_rewards import SimulatorRewards

        return SimulatorRewards(simulator, means, n_arms)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({pluralise(self.n_agents, 'agent')}, {pluralise(self.n_arms, 'arm')})"

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the average of the true means of each arm."""
        averages = np.average(to_dense(self.means), axis=0, weights=self.weights).tolist()
        return [{"arm": arm, "mean": mean} for arm, mean in zip(self.arms, averages, strict=True)]

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        raise NotImplementedError

    def draw_round(self, rng: np.random.Generator, arm: int, t: int) -> np.ndarray:
        raise NotImplementedError

    def means_at(self, t: int) -> np.ndarray:
        """Return the true means (N, K) in round t."""
        return self.means

    def truth_at(self, t: int) -> Instance:
        """Return the instance against which round t is measured; names and weights are constant, means may change."""
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
        """(N,) Integers: the weight of each agent in the instance that learners are measured against."""
        return self.instance.weights

    @property
    def arms(self) -> Sequence[str]:
        """The names of the arms."""
        return self.instance.arms

    def fingerprint(self) -> bytes:
        """Return bytes that differ between environments with different rewards."""
        parts = [value for _, value in sorted(vars(self).items()) if isinstance(value, np.ndarray | int | float | list)]
        arrays = [np.ascontiguousarray(item) for part in parts for item in (part if isinstance(part, list) else [part])]
        return b"|".join([self.id.encode(), self.weights.tobytes(), *(array.tobytes() for array in arrays)])

    def stream(self, seed: int) -> RewardStream | RoundStream:
        """Return the reward stream of this environment for one seed, with separate random streams for each arm."""
        return RoundStream(self, seed) if self.by_round else RewardStream(self, seed)


def truth_round(environment: Environment, t: int) -> int:
    """Return the round whose means round `t` is measured against: the last one at which the true means were read."""
    return t - (t - 1) % environment.truth_every


class RoundStream:
    """The rewards of one run in an environment that depends on the round: `pull(arm, t)` returns those of round t."""

    by_round = True

    def __init__(self, environment: Environment, seed: int):
        self.environment, self._seed = environment, seed

    def pull(self, arm: int, t: int) -> np.ndarray:
        """Return the rewards (N,) of `arm` in round `t`, whatever was pulled before."""
        rng = make_generator(self._seed, "round", arm, t)
        return np.ascontiguousarray(self.environment.draw_round(rng, arm, t), dtype=float)

    def state(self) -> list[dict[str, Any]]:
        """Return the position in the stream, which is empty, since every round has its own stream."""
        return []

    def resume(self, saved: list[dict[str, Any]]) -> None:
        """Restore the position that `state` returned."""


def make_generator(seed: int, purpose: str, arm: int, t: int) -> np.random.Generator:
    """Return the random generator of an arm in a round, for one `purpose`."""
    key = crc32(purpose.encode()), arm, t
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


class RewardStream:
    """The rewards of one run: `pull(arm)` returns the next rewards of that arm.

    `blocks[k]` holds rewards of arm k that are drawn already, and `used[k]` is how many of them were taken.
    """

    by_round = False

    def __init__(self, environment: Environment, seed: int):
        self.environment = environment
        self._generators = [
            np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, arm))))
            for arm in range(environment.n_arms)
        ]
        self.pulls_per_block = max(1, min(1024, BLOCK_REWARDS // environment.n_agents))
        self.blocks = [np.empty((0, environment.n_agents))] * environment.n_arms
        self.used = np.zeros(environment.n_arms, dtype=np.intp)
        self._drawn = [0] * environment.n_arms
        self._before = [dump_generator(rng) for rng in self._generators]

    def pull(self, arm: int, t: int = 0) -> np.ndarray:
        """Return the rewards (N,) of the next pull of `arm`, whatever the round `t`."""
        if self.used[arm] == len(self.blocks[arm]):
            self.refill(arm)
        row = self.blocks[arm][self.used[arm]]
        self.used[arm] += 1
        return row

    def refill(self, arm: int) -> np.ndarray:
        """Draw and return the next block of `arm`, once the last one is used up."""
        self._before[arm] = dump_generator(self._generators[arm])
        block = self.environment.draw(self._generators[arm], arm, self._drawn[arm], self.pulls_per_block)
        self._drawn[arm] += len(block)
        self.blocks[arm] = np.ascontiguousarray(block, dtype=float)
        self.used[arm] = 0
        return self.blocks[arm]

    def state(self) -> list[dict[str, Any]]:
        """Return the position in each arm's stream as plain data: the generator before its block, and the rows used."""
        return [
            {"generator": before, "first": drawn - len(block), "used": int(used), "block": bool(len(block))}
            for before, drawn, block, used in zip(self._before, self._drawn, self.blocks, self.used, strict=True)
        ]

    def resume(self, saved: list[dict[str, Any]]) -> None:
        """Restore the position that `state` returned by drawing the blocks in use again."""
        for arm, entry in enumerate(saved):
            self._generators[arm] = load_generator(entry["generator"])
            self._drawn[arm] = int(entry["first"])
            if entry["block"]:
                self.refill(arm)
            self.used[arm] = int(entry["used"])


def require_rewards(array: np.ndarray, what: str) -> np.ndarray:
    """Validate rewards given as data: numbers in [0, 1], or NaN for no answer; raise `InputError` otherwise."""
    wrong = ~(np.isnan(array) | ((array >= 0) & (array <= 1)))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise InputError(f"{what}{list(where)} is {array[where]:.6g}; rewards must lie in [0, 1].")
    return array
