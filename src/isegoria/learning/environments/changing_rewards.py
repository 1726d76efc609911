"""Environments that change over the rounds."""

from __future__ import annotations

import itertools

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.environments.environment import Environment


class ChangingRewards(Environment):
    """Environment that is replaced by another from given rounds on: `ChangingRewards(before, (5000, after), …)`.

    Here rewards and true means are those of `after` from round 5000 on. Rewards depend on the round: those of round t
    are the same for every learner, whatever it pulled before. A replayed log inside a phase also goes by round: its
    n-th row is for the n-th round of its phase.

    Parameters
    ----------
    before : Environment
        The environment from round 1 on.
    *changes : tuple of (int, Environment)
        The first round of each later phase, above 1 and increasing, and its environment.

    Raises
    ------
    InputError
        If the rounds are not increasing, or the phases have different numbers of agents or arms.

    Examples
    --------
    >>> from isegoria.learning.environments.noise_models import PointRewards
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
        """Return (first round, environment) of the phase that round t is in."""
        place = int(np.searchsorted(self._starts, t, side="right")) - 1
        return self._starts[place], self._worlds[place]
