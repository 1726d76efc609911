"""Rounds of a learner in an environment, a chunk at a time: by ask and tell, or compiled where that exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from isegoria.instance import Instance
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.ticket import Ticket
from isegoria.learning.runs.delays import Delays
from isegoria.learning.runs.loop import play
from isegoria.learning.sets.set_learner import SetLearner
from isegoria.learning.worlds.environment import Environment, RewardStream, RoundStream

Available = Callable[[int], Iterable[str | int] | None]
"""The arms that are possible in a round, by its number; None for all of them."""


@dataclass(frozen=True)
class Chunk:
    """What happened in some rounds, from round `first` on.

    - `arms`, `exploring`, `wrong`: (n,) each round's arm, whether it explored, whether some set was not true.
    - `starts` (s,), `policies` (s, K): the offsets at which the learned policy changed, and what it was from there on.
    - `patterns`: a digest of the favourite sets for each time that some set changed.
    """

    first: int
    arms: np.ndarray
    exploring: np.ndarray
    wrong: np.ndarray
    starts: np.ndarray
    policies: np.ndarray
    patterns: list[int]


def steps_as_written(kind: type[SetLearner]) -> bool:
    """Whether the `step` of this class is its own: one that it inherits knows nothing of methods that it changed.

    >>> from isegoria.learning.learners.procedural import ProceduralLearner
    >>> class Bold(ProceduralLearner):
    ...     def _exploration(self, arms):
    ...         return 0.0, arms
    >>> steps_as_written(ProceduralLearner), steps_as_written(Bold)
    (True, False)
    """
    for owner in kind.__mro__:
        if "step" in vars(owner):
            return True
        if any(callable(value) and not name.startswith("__") for name, value in vars(owner).items()):
            return False
    return False


class Player:
    """Plays a learner in an environment, on a stream of its rewards.

    `available(round)`, if given, names the arms that are possible in that round; `delays` say when rewards are told,
    which is at once without them.
    """

    def __init__(self, learner: Learner, environment: Environment, stream: RewardStream | RoundStream,
                 available: Available | None = None, delays: Delays | None = None):  # fmt: skip
        self.learner, self.stream, self.available, self.delays = learner, stream, available, delays
        self.sets: np.ndarray | None = None
        self.meet(environment.instance)

    def meet(self, truth: Instance) -> None:
        """From now on, sets are compared with those of `truth`."""
        self.truth = truth
        self._true: dict[tuple[int, ...] | None, np.ndarray] = {}

    def play(self, rounds: int) -> Chunk:
        """The next rounds: compiled where that exists, once every arm was forced; else by ask and tell."""
        first = self.learner.rounds + 1
        plain = self.available is None and self.delays is None
        if isinstance(self.learner, SetLearner) and plain and self.learner.ready:
            step = self.learner.step(self._true_sets(None)) if steps_as_written(type(self.learner)) else None
            if step is not None:
                return _chunk(first, *play(self.learner, step, self.stream, rounds))
        return _chunk(first, *self.ask_and_tell(rounds))

    def ask_and_tell(self, rounds: int) -> tuple[Any, ...]:
        """The next rounds, asked and told one by one through the public interface."""
        arms, exploring, wrong = (np.empty(rounds, dtype) for dtype in (np.intp, bool, bool))
        starts: list[int] = []
        policies: list[tuple[float, ...]] = []
        patterns: list[int] = []
        for j in range(rounds):
            self._tell_what_is_due()
            possible = self._possible()
            ticket = self.learner.ask(possible)
            arms[j], exploring[j] = ticket.arm, ticket.exploring
            wrong[j] = ticket.forced
            if not ticket.forced:
                sets = self.learner._sets()
                if self.sets is None or not np.array_equal(sets, self.sets):
                    patterns.append(int.from_bytes(blake2b(np.packbits(sets).tobytes(), digest_size=8).digest()))
                wrong[j] = not np.array_equal(sets, self._true_sets(possible))
                self.sets = sets
            if not policies or policies[-1] != ticket.policy:
                starts.append(j)
                policies.append(ticket.policy)
            self._reward(ticket)
        return arms, exploring, wrong, starts, policies, patterns

    def _reward(self, ticket: Ticket) -> None:
        """Tell the rewards of a round, or put them aside until they are due."""
        rewards = self.stream.pull(ticket.arm, ticket.round)
        if self.delays is None:
            self.learner.tell(ticket, rewards)
            self.learner.forget_late()
        else:
            self.delays.put(ticket, rewards)

    def _tell_what_is_due(self) -> None:
        """Tell what is due before the next round, in the order of the rounds that it is about."""
        if self.delays is not None:
            for ticket, rewards in self.delays.due(self.learner.rounds + 1):
                self.learner.tell(ticket, rewards)

    def _possible(self) -> list[Any] | None:
        """The arms possible in the next round; None for all."""
        chosen = None if self.available is None else self.available(self.learner.rounds + 1)
        return None if chosen is None else list(chosen)

    def _true_sets(self, possible: Iterable[str | int] | None) -> np.ndarray:
        """(N, K) the true favourites among the arms possible in a round."""
        arms = None if possible is None else self.learner._arms.indices(possible)
        if arms not in self._true:
            means = self.truth.means
            chosen = list(range(means.shape[1])) if arms is None else list(arms)
            true = np.zeros(means.shape, dtype=bool)
            best = means[:, chosen].max(axis=1, keepdims=True)
            true[:, chosen] = means[:, chosen] >= best - self.truth.tie_tolerance
            self._true[arms] = true
        return self._true[arms]


def _chunk(first: int, arms: np.ndarray, exploring: np.ndarray, wrong: np.ndarray, starts: list[int],
           policies: list[Any], patterns: list[int]) -> Chunk:  # fmt: skip
    return Chunk(
        first, arms, exploring, wrong, np.array(starts, dtype=np.intp), np.array(policies, dtype=float), patterns
    )
