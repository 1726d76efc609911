"""Rounds of a learner in an environment, a chunk at a time: by ask and tell, or compiled where that exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from isegoria.learning.protocol.learner import Learner
from isegoria.learning.runs.loop import play
from isegoria.learning.sets.set_learner import SetLearner
from isegoria.learning.worlds.environment import Environment, RewardStream

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
    """Plays a learner in one phase of an environment.

    `available(round)`, if given, names the arms that are possible in that round.
    """

    def __init__(
        self, learner: Learner, environment: Environment, stream: RewardStream, available: Available | None = None
    ):
        self.learner, self.environment, self.stream, self.available = learner, environment, stream, available
        self.sets: np.ndarray | None = None
        self._truth: dict[tuple[int, ...] | None, np.ndarray] = {}

    def play(self, rounds: int) -> Chunk:
        """The next rounds: compiled where that exists, once every arm was forced; else by ask and tell."""
        first = self.learner.rounds + 1
        if isinstance(self.learner, SetLearner) and self.available is None and self.learner.ready:
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
            self.learner.tell(ticket, self.stream.pull(ticket.arm))
            self.learner.forget_late()
        return arms, exploring, wrong, starts, policies, patterns

    def _possible(self) -> list[Any] | None:
        """The arms possible in the next round; None for all."""
        chosen = None if self.available is None else self.available(self.learner.rounds + 1)
        return None if chosen is None else list(chosen)

    def _true_sets(self, possible: Iterable[str | int] | None) -> np.ndarray:
        """(N, K) the true favourites among the arms possible in a round."""
        arms = None if possible is None else self.learner._arms.indices(possible)
        if arms not in self._truth:
            instance = self.environment.instance
            chosen = list(range(self.environment.n_arms)) if arms is None else list(arms)
            truth = np.zeros(self.environment.means.shape, dtype=bool)
            best = self.environment.means[:, chosen].max(axis=1, keepdims=True)
            truth[:, chosen] = self.environment.means[:, chosen] >= best - instance.tie_tolerance
            self._truth[arms] = truth
        return self._truth[arms]


def _chunk(first: int, arms: np.ndarray, exploring: np.ndarray, wrong: np.ndarray, starts: list[int],
           policies: list[Any], patterns: list[int]) -> Chunk:  # fmt: skip
    return Chunk(
        first, arms, exploring, wrong, np.array(starts, dtype=np.intp), np.array(policies, dtype=float), patterns
    )
