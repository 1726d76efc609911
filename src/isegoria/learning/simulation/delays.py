"""Delayed feedback: how long each agent takes to answer, drawn independently of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.base.feedback_buffer import MAX_LATE_TICKETS
from isegoria.learning.base.ticket import Ticket
from isegoria.learning.base.validation import require_integer
from isegoria.learning.environments.environment import make_generator

DelayLike = int | Callable[[np.random.Generator, int, int], Any]
"""How many rounds later than at once rewards are told: a number, or a function of (rng, arm, round) that gives one for
each agent."""


class DelayQueue:
    """Queue of delayed feedback: that of round t with delay d is told before round t + 1 + d, so 0 means at once.

    Delays are drawn from a separate stream for each arm and round. They depend neither on rewards nor on what the
    learner did before, and all learners meet the same delays.

    >>> delays = DelayQueue(2, agents=1, seed=7)
    >>> delays.put(Ticket(1, 0, "tea", (1.0,), (1.0,), False, True, (), ""), np.array([0.5]))
    >>> [len(list(delays.due(t))) for t in (2, 3, 4)]
    [0, 0, 1]
    """

    def __init__(self, delay: DelayLike, agents: int, seed: int):
        self.delay = delay if callable(delay) else require_integer(delay, "delay", least=0)
        self.agents, self.seed = agents, seed
        self._waiting: dict[int, list[tuple[Ticket, np.ndarray]]] = {}

    def put(self, ticket: Ticket, rewards: np.ndarray) -> None:
        """Queue the rewards of a round until they are due."""
        answered = ~np.isnan(rewards)
        delays = self._of(ticket.arm, ticket.round, rewards)
        for delay in np.unique(delays[answered]) if answered.any() else delays[:1]:
            told = np.where(delays == delay, rewards, np.nan)
            self._waiting.setdefault(ticket.round + 1 + int(delay), []).append((ticket, told))

    def due(self, t: int) -> Iterator[tuple[Ticket, np.ndarray]]:
        """Yield the feedback to be told before round `t`, each item once."""
        yield from self._waiting.pop(t, [])

    def untold(self) -> np.ndarray:
        """Return the sum (N,) of the rewards not told yet."""
        waiting = [rewards for answers in self._waiting.values() for _, rewards in answers]
        return np.nansum(waiting, axis=0) if waiting else np.zeros(self.agents)

    def _of(self, arm: int, t: int, rewards: np.ndarray) -> np.ndarray:
        """Return the delays (N,) of a round, which must not depend on the rewards.

        Tests override this method to show what fails otherwise.
        """
        if not callable(self.delay):
            return np.full(self.agents, self.delay)
        delays = np.asarray(self.delay(make_generator(self.seed, "delay", arm, t), arm, t))
        whole_numbers = delays.shape == (self.agents,) and delays.dtype.kind in "iu" and delays.min() >= 0
        if not whole_numbers or delays.max() - delays.min() >= MAX_LATE_TICKETS:
            raise InputError(
                f"the delays of round {t} are {delays!r}; expected {self.agents} whole numbers from 0 up, one for each "
                f"agent, that are less than {MAX_LATE_TICKETS} rounds apart."
            )
        return delays
