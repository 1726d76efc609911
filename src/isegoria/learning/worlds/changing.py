"""Environments that change with the rounds."""

from __future__ import annotations

import itertools

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.worlds.environment import Environment


class ChangingRewards(Environment):
    """One environment until a given round, then another: `ChangingRewards(before, (5000, after), …)`.

    From round 5000 on, rewards and truth are those of `after`. Rewards go by the round: those of round t are the same
    for every learner, whatever it pulled before. A log that is replayed inside goes by the round too: its n-th row is
    for the n-th round of its time.

    >>> from isegoria.learning.worlds.noise import PointRewards
    >>> world = ChangingRewards(PointRewards([[1.0, 0.0]]), (5000, PointRewards([[0.0, 1.0]])))
    >>> world.means_at(4999).tolist(), world.means_at(5000).tolist()
    ([[1.0, 0.0]], [[0.0, 1.0]])
    """

    id = "changing"
    summary = "another environment from a given round on"
    by_round = True

    def __init__(self, before: Environment, *changes: tuple[int, Environment]):
        super().__init__(before.instance)
        self._starts = [1, *(first for first, _ in changes)]
        self._worlds = (before, *(world for _, world in changes))
        if any(later <= earlier for earlier, later in itertools.pairwise(self._starts)):
            raise InputError(
                f"changes come at rounds {self._starts[1:]}; expected rounds above 1, in increasing order."
            )
        if any((world.n_agents, world.n_arms) != (before.n_agents, before.n_arms) for world in self._worlds):
            raise InputError("every phase must have the same number of agents and of arms.")

    def draw_round(self, rng: np.random.Generator, arm: int, t: int) -> np.ndarray:
        first, world = self._now(t)
        if world.by_round:
            return world.draw_round(rng, arm, t - first + 1)
        return world.draw(rng, arm, t - first, 1)[0]

    def means_at(self, t: int) -> np.ndarray:
        first, world = self._now(t)
        return world.means_at(t - first + 1)

    def fingerprint(self) -> bytes:
        return b"|".join([super().fingerprint(), *(world.fingerprint() for world in self._worlds)])

    def _now(self, t: int) -> tuple[int, Environment]:
        """(its first round, the environment) that round t is in."""
        place = int(np.searchsorted(self._starts, t, side="right")) - 1
        return self._starts[place], self._worlds[place]
