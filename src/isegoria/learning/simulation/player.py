"""Plays a learner in an environment, a chunk of rounds at a time: in the compiled loop, or by ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from isegoria.learning.base.learner import Learner
from isegoria.learning.base.set_learner import SetLearner
from isegoria.learning.base.ticket import Ticket
from isegoria.learning.environments.environment import Environment, RewardStream, RoundStream
from isegoria.learning.simulation.compiled_loop import play
from isegoria.learning.simulation.delays import DelayQueue
from isegoria.profiles import Instance

AvailableArms = Callable[[int], Iterable[str | int] | None]
"""The arms that are possible in a round, by its number; None for all of them."""


@dataclass(frozen=True)
class Chunk:
    """What happened in consecutive rounds, from round `first` on.

    - `arms`, `exploring`, `wrong`: (n,) each round's arm, whether it explored, whether some set was not the true one.
    - `starts` (s,), `policies` (s, K): the offsets at which the learned policy changed, and its value from there on.
    - `patterns`: a digest of the favourite sets for each time that some set changed.
    """

    first: int
    arms: np.ndarray
    exploring: np.ndarray
    wrong: np.ndarray
    starts: np.ndarray
    policies: np.ndarray
    patterns: list[int]


def has_own_step(kind: type[SetLearner]) -> bool:
    """Return whether this class may use its `step`: an inherited one would ignore methods that the class overrides.

    >>> from isegoria.learning.learners.procedural_learner import ProceduralLearner
    >>> class Bold(ProceduralLearner):
    ...     def plan_exploration(self, state, arms):
    ...         return 0.0, arms
    >>> has_own_step(ProceduralLearner), has_own_step(Bold)
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

    `available(round)`, if given, returns the arms available in that round. `delays`, if given, say when rewards are
    told; by default they are told at once.
    """

    def __init__(
        self,
        learner: Learner,
        environment: Environment,
        stream: RewardStream | RoundStream,
        available: AvailableArms | None = None,
        delays: DelayQueue | None = None,
    ):
        self.learner, self.stream, self.available, self.delays = learner, stream, available, delays
        self.sets: np.ndarray | None = None
        self.meet(environment.instance)

    def meet(self, truth: Instance) -> None:
        """Compare sets with those of `truth` from now on."""
        self.truth = truth
        self._true: dict[tuple[int, ...] | None, np.ndarray] = {}

    def play(self, rounds: int) -> Chunk:
        """Play the next rounds: in the compiled loop if possible and every arm was forced, else by ask and tell."""
        first = self.learner.rounds + 1
        plain = self.available is None and self.delays is None
        if isinstance(self.learner, SetLearner) and plain and self.learner.ready:
            step = self.learner.step(self._true_sets(None)) if has_own_step(type(self.learner)) else None
            if step is not None:
                return _make_chunk(first, *play(self.learner, step, self.stream, rounds))
        return _make_chunk(first, *self.ask_and_tell(rounds))

    def ask_and_tell(self, rounds: int) -> tuple[Any, ...]:
        """Play the next rounds one by one through the public interface."""
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
                sets = self.learner.compute_sets(self.learner._view)
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
        """Tell the rewards of a round, or queue them until they are due."""
        rewards = self.stream.pull(ticket.arm, ticket.round)
        if self.delays is None:
            self.learner.tell(ticket, rewards)
            self.learner.forget_late()
        else:
            self.delays.put(ticket, rewards)

    def _tell_what_is_due(self) -> None:
        """Tell the feedback due before the next round, in the order of the rounds it is about."""
        if self.delays is not None:
            for ticket, rewards in self.delays.due(self.learner.rounds + 1):
                self.learner.tell(ticket, rewards)

    def _possible(self) -> list[Any] | None:
        """Return the arms available in the next round; None for all."""
        chosen = None if self.available is None else self.available(self.learner.rounds + 1)
        return None if chosen is None else list(chosen)

    def _true_sets(self, possible: Iterable[str | int] | None) -> np.ndarray:
        """Return the true favourites (N, K) among the arms available in a round."""
        arms = None if possible is None else self.learner._arms.indices(possible)
        if arms not in self._true:
            means = self.truth.means
            chosen = list(range(means.shape[1])) if arms is None else list(arms)
            true = np.zeros(means.shape, dtype=bool)
            best = means[:, chosen].max(axis=1, keepdims=True)
            true[:, chosen] = means[:, chosen] >= best - self.truth.tie_tolerance
            self._true[arms] = true
        return self._true[arms]


def _make_chunk(
    first: int,
    arms: np.ndarray,
    exploring: np.ndarray,
    wrong: np.ndarray,
    starts: list[int],
    policies: list[Any],
    patterns: list[int],
) -> Chunk:
    return Chunk(
        first, arms, exploring, wrong, np.array(starts, dtype=np.intp), np.array(policies, dtype=float), patterns
    )
