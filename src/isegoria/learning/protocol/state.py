"""What a learner knows: who takes part, what was asked and told, its random streams; and how all of it is saved."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from isegoria.errors import StateError
from isegoria.instance.names import GivenNames
from isegoria.learning.protocol.answers import Answers
from isegoria.learning.protocol.roster import GivenWeights, Roster, names_of
from isegoria.learning.protocol.sealing import (
    VERSION,
    generator_from,
    generator_state,
    seal,
    seal_parts,
    seal_to,
    unseal,
)
from isegoria.learning.sets.tally import Tally
from isegoria.rows.views import read_only
from isegoria.seeds import Seed, checked_seed, stream


class State:
    """Everything that every learner keeps, what can be read of it, and its JSON."""

    id = ""
    settings: tuple[str, ...] = ()
    gone: ClassVar[dict[str, str]] = {}

    def __init__(self, n_agents: int, n_arms: int, seed: Seed = None, agents: GivenNames = None,
                 arms: GivenNames = None, weights: GivenWeights = None):  # fmt: skip
        self._roster = Roster(n_agents, n_arms, agents, arms, weights)
        self._tally = Tally(np.zeros((n_arms, n_agents)), np.zeros((n_arms, n_agents)))
        self._asked = [0] * n_arms
        self._explored = 0
        self._last = np.full(n_arms, 1.0 / n_arms)
        self._entropy = checked_seed(seed)
        self._streams: dict[str, np.random.Generator] = {}
        self._answers = Answers()
        self._notes: list[str] = []
        self.rounds = 0
        self._derive()

    # -- what can be read ----------------------------------------------------------------------------------------------

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents present, in the order of a rewards array."""
        return tuple([self._agents[row] for row in self._present.tolist()])

    @property
    def weights(self) -> np.ndarray:
        """(n,) whole numbers: how many voices each of the agents present has."""
        return read_only(self._weights)

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self._arm_names

    @property
    def policy(self) -> np.ndarray:
        """(K,) the policy of the last round: the learner's answer. Uniform before the first."""
        return read_only(self._last)

    @property
    def counts(self) -> np.ndarray:
        """(N, K) whole numbers n_ik: the rewards each agent that ever joined has told for each arm."""
        return read_only(self._tally.counts.T)

    @property
    def sums(self) -> np.ndarray:
        """(N, K) the sums of the rewards told."""
        return read_only(self._tally.sums.T.copy())

    @property
    def pulls(self) -> np.ndarray:
        """(K,) how often each arm was asked for."""
        return np.array(self._asked)

    @property
    def pending(self) -> tuple[int, ...]:
        """The rounds whose tickets are open. `close` ends one that nobody will answer."""
        return tuple(self._answers.open)

    def forget_late(self) -> None:
        """Take no more late answers to the tickets closed so far; a state then need not keep who was silent."""
        self._answers.late.clear()

    # -- who takes part ------------------------------------------------------------------------------------------------

    def join(self, name: str) -> int:
        """Let an agent join, and return its index; one who left comes back with all it ever said."""
        row = self._roster.join(name)
        self._grow()
        return row

    def leave(self, name: str | int) -> None:
        """Let an agent leave. What it said is kept, and late rewards of rounds it took part in are still taken."""
        self._roster.leave(name)
        self._grow()

    def set_weight(self, name: str | int, weight: int) -> None:
        """Give an agent `weight` voices from the next round on; what anybody said stays as it is."""
        self._roster.set_weight(name, weight)
        self._grow()

    def add_arm(self, name: str) -> int:
        """Add an arm, and return its index; it is forced once, when it is first available."""
        arm = self._roster.arms.add(name)
        self._asked.append(0)
        self._last = np.append(self._last, 0.0)
        self._grow()
        return arm

    def _grow(self) -> None:
        shape = len(self._arms), len(self._agents)
        if shape != self._tally.sums.shape:
            self._tally = self._tally.grown(shape[1], shape[0])
        self._derive()
        self._resized()

    def _resized(self) -> None:
        """Called once at the start, and after agents or arms joined or left, or a weight was set."""

    def _derive(self) -> None:
        """What follows from who takes part and from the streams."""
        self._agents, self._arms, self._present = self._roster.agents, self._roster.arms, self._roster.present
        self._weights = self._roster.weights[self._present]
        self._every_arm = tuple(range(len(self._arms)))
        self._arm_names = tuple(self._arms)
        self._uniform = self._stream("play").random
        self._drawn: tuple[Any, ...] = ()
        self.run = format(int(stream(self._entropy, f"run {self.id}").integers(2**63)), "016x")

    def _stream(self, purpose: str) -> np.random.Generator:
        """The learner's random generator for one purpose; its place in the stream is part of the state."""
        if purpose not in self._streams:
            self._streams[purpose] = stream(self._entropy, purpose)
        return self._streams[purpose]

    # -- saving --------------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The whole state as versioned JSON, random generators and open tickets included."""
        return seal(self._state())

    def to_bytes(self) -> bytes:
        """The whole state in a sealed binary form, for large groups: a twentieth of JSON's time where measured."""
        return b"".join(seal_parts(self._state()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, whole or not at all: JSON, or the binary form where that would be large."""
        seal_to(path, self._state())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """A learner of this class from what `to_json` or `to_bytes` gave."""
        return cls._from_state(unseal(text))

    def copy(self, seed: Seed = None) -> Self:
        """An independent learner that continues exactly as this one would; with a `seed`, with other luck."""
        state = self._state()
        if seed is not None:
            state |= {"entropy": str(checked_seed(seed)), "streams": {}}
        return type(self)._from_state(state)

    def __reduce__(self) -> tuple[Callable[[str], Self], tuple[str]]:
        return type(self).from_json, (self.to_json(),)

    def _extra_state(self) -> dict[str, Any]:
        return {}

    def _restore_extra(self, state: dict[str, Any]) -> None:
        """Take back what `_extra_state` gave."""

    def _state(self) -> dict[str, Any]:
        """The state as plain data: what every learner has, and what this one adds."""
        return {
            "learner": self.id,
            "settings": {name: getattr(self, name) for name in self.settings},
            "agents": self._agents.state(),
            "arms": self._arms.state(),
            "present": self._present,
            "weights": None if (self._roster.weights == 1).all() else self._roster.weights,
            "rounds": self.rounds,
            "asked": list(self._asked),
            "explored": self._explored,
            "sums": self._tally.sums.T,
            "counts": self._tally.small_counts().T,
            "policy": self._last.tolist(),
            "notes": list(self._notes),
            **self._answers.state(),
            "entropy": str(self._entropy),
            "streams": {purpose: generator_state(rng) for purpose, rng in self._streams.items()},
            "extra": self._extra_state(),
        }

    @classmethod
    def _upgraded(cls, body: dict[str, Any]) -> dict[str, Any]:
        """A state of version 1 as one of today: nothing was held, nobody was late, and only ε-greedy counted."""
        pending = [[round_, arm, roster, None] for round_, arm, roster in body["pending"]]
        return {**body, "explored": int(body["extra"].get("turn", 0)), "pending": pending, "late": []}

    @classmethod
    def _from_state(cls, body: dict[str, Any]) -> Self:
        """A learner with that state; a body that does not fit together raises `StateError`."""
        try:
            if body.get("version", VERSION) == 1:
                body = cls._upgraded(body)
            names = {"agents": names_of(body["agents"], "agent"), "arms": names_of(body["arms"], "arm")}
            shape = len(names["agents"]), len(names["arms"])
            learner = cls._remade(*shape, seed=int(body["entropy"]), **names, **body["settings"])
            learner._restore(body)
            learner._derive()
            learner._resized()
            learner._restore_extra(body["extra"])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise StateError(f"the state does not fit together ({error}); use the last complete copy.") from error
        return learner

    @classmethod
    def _remade(cls, *args: Any, **keywords: Any) -> Self:
        """A learner that was made before and comes back: it announces nothing again."""
        return cls(*args, **keywords)

    def _restore(self, body: dict[str, Any]) -> None:
        """Take over what `_state` said; what does not fit together raises `StateError`."""
        sums, counts = np.array(body["sums"], dtype=float), np.array(body["counts"], dtype=np.int64)
        present = self._roster.present = _rows(body["present"], len(self._agents))
        self._roster.weigh(body.get("weights"))
        rosters = [_rows(rows, len(self._agents)) for rows in body["rosters"]]
        self._answers.restore(body, [present if np.array_equal(rows, present) else rows for rows in rosters])
        self._asked = [int(count) for count in body["asked"]]
        self._explored, self.rounds = int(body["explored"]), int(body["rounds"])
        self._last = np.array(body["policy"], dtype=float)
        self._notes = [str(note) for note in body["notes"]]
        self._streams = {purpose: generator_from(saved) for purpose, saved in body["streams"].items()}
        self._refuse_misfit(sums, counts)
        self._tally = Tally(sums.T, counts.T)

    def _refuse_misfit(self, sums: np.ndarray, counts: np.ndarray) -> None:
        shape = len(self._agents), len(self._arms)
        tickets = {**self._answers.open, **self._answers.late}
        fits = {
            "sums": sums.shape == shape and np.all((sums >= 0) & (sums <= counts)),
            "counts": counts.shape == shape,
            "asked": len(self._asked) == shape[1] and sum(self._asked) == self.rounds,
            "policy": self._last.shape == shape[1:],
            "pending": all(1 <= t <= self.rounds and 0 <= one.arm < shape[1] for t, one in tickets.items()),
        }
        for entry, right in fits.items():
            if not right:
                raise StateError(f"the state's {entry!r} does not fit its other entries; use the last complete copy.")


def _rows(listed: list[int], agents: int) -> np.ndarray:
    """Indices of agents: distinct, in order, and within those that there are."""
    rows = np.array(listed, dtype=np.intp)
    if rows.ndim != 1 or not len(rows) or rows[0] < 0 or rows[-1] >= agents or np.any(np.diff(rows) <= 0):
        raise StateError("the state lists agents that do not exist; use the last complete copy.")
    return rows
