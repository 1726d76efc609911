"""The state of a learner: roster, tickets and feedback, random streams, and how all of it is saved and restored."""

from __future__ import annotations

import os
from collections.abc import Callable
from math import fsum
from typing import Any, Self

import numpy as np

from isegoria.errors import StateError
from isegoria.learning.base.feedback_buffer import FeedbackBuffer
from isegoria.learning.base.learner_roster import Roster, WeightsLike, load_names
from isegoria.learning.base.reward_tally import Tally
from isegoria.learning.base.state_format import (
    dump_generator,
    dump_state,
    dump_state_parts,
    load_generator,
    load_state,
    write_state,
)
from isegoria.learning.base.state_view import StateView
from isegoria.profiles.names import NamesLike
from isegoria.utils import tolerances
from isegoria.utils.arrays import read_only_view
from isegoria.utils.seeds import Seed, random_stream, resolve_seed


class LearnerState:
    """Base class with the state of every learner, its public properties, and saving and loading."""

    id = ""
    settings: tuple[str, ...] = ()

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        self._roster = Roster(n_agents, n_arms, agents, arms, weights)
        self._tally = Tally(np.zeros((n_arms, n_agents)), np.zeros((n_arms, n_agents)))
        self._asked = [0] * n_arms
        self._explored = 0
        self._last = np.full(n_arms, 1.0 / n_arms)
        self._entropy = resolve_seed(seed)
        self._streams: dict[str, np.random.Generator] = {}
        self._answers = FeedbackBuffer()
        self._notes: list[str] = []
        self.rounds = 0
        self._view = StateView(self)
        self._derive()

    # -- what can be read ----------------------------------------------------------------------------------------------

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents present, in the order of a rewards array."""
        return tuple([self._agents[row] for row in self._present.tolist()])

    @property
    def weights(self) -> np.ndarray:
        """(n,) Integers: the weight of each agent present, that is, how many voices it has."""
        return read_only_view(self._weights)

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self._arm_names

    @property
    def policy(self) -> np.ndarray:
        """(K,) The policy of the last round; uniform before the first."""
        return read_only_view(self._last)

    @property
    def counts(self) -> np.ndarray:
        """(N, K) Integers n_ik: how many rewards each agent that ever joined has reported for each arm."""
        return read_only_view(self._tally.counts.T)

    @property
    def sums(self) -> np.ndarray:
        """(N, K) The sums of the reported rewards."""
        return read_only_view(self._tally.sums.T.copy())

    @property
    def pulls(self) -> np.ndarray:
        """(K,) How often each arm was asked for."""
        return np.array(self._asked)

    @property
    def pending(self) -> tuple[int, ...]:
        """The rounds whose tickets are open. `close` ends a ticket that nobody will answer."""
        return tuple(self._answers.open)

    def forget_late(self) -> None:
        """Stop accepting late feedback on the tickets closed so far; the state then need not store who was silent."""
        self._answers.late.clear()

    # -- who takes part ------------------------------------------------------------------------------------------------

    def join(self, name: str) -> int:
        """Add an agent and return its index; an agent that left returns with all the feedback it ever gave."""
        row = self._roster.join(name)
        self._grow()
        return row

    def leave(self, name: str | int) -> None:
        """Remove an agent from those present.

        Its feedback is kept, and late feedback on rounds it took part in is still accepted.
        """
        self._roster.leave(name)
        self._grow()

    def set_weight(self, name: str | int, weight: int) -> None:
        """Set the weight (number of voices) of an agent from the next round on; feedback given so far does not change.

        Parameters
        ----------
        name : str or int
            The agent's name or index.
        weight : int
            The new weight, from 1 up.
        """
        self._roster.set_weight(name, weight)
        self._grow()

    def add_arm(self, name: str) -> int:
        """Add an arm and return its index; it is forced once, when it is first available."""
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
        self.on_roster_change()

    def on_roster_change(self) -> None:
        """Handle a change of the group; called at the start and whenever agents, arms or weights change."""

    def _derive(self) -> None:
        """Recompute everything that follows from the roster and the random streams."""
        self._agents, self._arms, self._present = self._roster.agents, self._roster.arms, self._roster.present
        self._weights = self._roster.weights[self._present]
        self._every_arm = tuple(range(len(self._arms)))
        self._arm_names = tuple(self._arms)
        self._uniform = self.random_stream("play").random
        self._drawn: tuple[Any, ...] = ()
        self.run = format(int(random_stream(self._entropy, f"run {self.id}").integers(2**63)), "016x")

    def random_stream(self, purpose: str) -> np.random.Generator:
        """Return the learner's random generator for one purpose; its position in the stream is part of the state."""
        if purpose not in self._streams:
            self._streams[purpose] = random_stream(self._entropy, purpose)
        return self._streams[purpose]

    # -- saving --------------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the whole state as versioned JSON, including random generators and open tickets."""
        return dump_state(self._state())

    def to_bytes(self) -> bytes:
        """Return the whole state in a checksummed binary format, for large groups.

        It took a twentieth of JSON's time where measured.
        """
        return b"".join(dump_state_parts(self._state()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file atomically: as JSON, or in the binary format if its arrays are large."""
        write_state(path, self._state())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Restore a learner from the result of `to_json` or `to_bytes`.

        The restored learner continues bit for bit and accepts feedback on the tickets that were open.

        Parameters
        ----------
        text : str or bytes
            The state.

        Returns
        -------
        Learner
            A learner of this class; `Learner.from_json` restores the class that was saved, by its id.

        Raises
        ------
        StateError
            If `text` is not a complete, undamaged state.

        Examples
        --------
        >>> import isegoria as iso
        >>> learner = iso.ProceduralLearner(2, 3, seed=5)
        >>> ticket = learner.ask()
        >>> twin = iso.Learner.from_json(learner.to_json())
        >>> twin.tell(ticket, [0.2, 0.4])
        >>> twin.ask().arm
        1
        """
        body = load_state(text)
        return cls._find_class(body)._from_state(body)

    @classmethod
    def _find_class(cls, body: dict[str, Any]) -> type[Self]:
        """Return the class of a saved state."""
        return cls

    def copy(self, seed: Seed = None) -> Self:
        """Return an independent learner that continues exactly as this one would; a `seed` changes its draws."""
        state = self._state()
        if seed is not None:
            state |= {"entropy": str(resolve_seed(seed)), "streams": {}}
        return type(self)._from_state(state)

    def __reduce__(self) -> tuple[Callable[[str], Self], tuple[str]]:
        return type(self).from_json, (self.to_json(),)

    def extra_state(self) -> dict[str, Any]:
        """Return what a subclass adds to the saved state, as plain data."""
        return {}

    def restore_extra(self, state: dict[str, Any]) -> None:
        """Restore what `extra_state` returned."""

    def _state(self) -> dict[str, Any]:
        """Return the state as plain data: what every learner has, plus what this class adds."""
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
            "streams": {purpose: dump_generator(rng) for purpose, rng in self._streams.items()},
            "extra": self.extra_state(),
        }

    @classmethod
    def _from_state(cls, body: dict[str, Any]) -> Self:
        """Create a learner with that state; raise `StateError` if its parts do not fit together."""
        try:
            names = {"agents": load_names(body["agents"], "agent"), "arms": load_names(body["arms"], "arm")}
            shape = len(names["agents"]), len(names["arms"])
            learner = cls._remade(*shape, seed=int(body["entropy"]), **names, **body["settings"])
            learner._restore(body)
            learner._derive()
            learner.on_roster_change()
            learner.restore_extra(body["extra"])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            raise StateError(f"the state does not fit together ({error}); use the last complete copy.") from error
        return learner

    @classmethod
    def _remade(cls, *args: Any, **keywords: Any) -> Self:
        """Create a learner that is being restored, so that it announces nothing again."""
        return cls(*args, **keywords)

    def _restore(self, body: dict[str, Any]) -> None:
        """Restore what `_state` returned; raise `StateError` if its parts do not fit together."""
        sums, counts = np.array(body["sums"], dtype=float), np.array(body["counts"], dtype=np.int64)
        present = self._roster.present = _parse_rows(body["present"], len(self._agents))
        self._roster.weigh(body.get("weights"))
        rosters = [_parse_rows(rows, len(self._agents)) for rows in body["rosters"]]
        self._answers.restore(body, [present if np.array_equal(rows, present) else rows for rows in rosters])
        self._asked = [int(count) for count in body["asked"]]
        self._explored, self.rounds = int(body["explored"]), int(body["rounds"])
        self._last = np.array(body["policy"], dtype=float)
        self._notes = [str(note) for note in body["notes"]]
        self._streams = {purpose: load_generator(saved) for purpose, saved in body["streams"].items()}
        self._refuse_misfit(sums, counts)
        self._tally = Tally(sums.T, counts.T)

    def _refuse_misfit(self, sums: np.ndarray, counts: np.ndarray) -> None:
        shape = len(self._agents), len(self._arms)
        tickets = {**self._answers.open, **self._answers.late}
        fits = {
            "sums": sums.shape == shape and np.all((sums >= 0) & (sums <= counts)),
            "counts": counts.shape == shape,
            "asked": len(self._asked) == shape[1] and sum(self._asked) == self.rounds,
            "policy": self._last.shape == shape[1:] and _is_policy(self._last),
            "pending": all(1 <= t <= self.rounds and 0 <= one.arm < shape[1] for t, one in tickets.items()),
        }
        for entry, right in fits.items():
            if not right:
                raise StateError(f"the state's {entry!r} does not fit its other entries; use the last complete copy.")


def _is_policy(policy: np.ndarray) -> bool:
    """Return whether these are probabilities: none negative, with sum 1 but for rounding."""
    entries = policy.tolist()
    return all(0 <= entry <= 1 + tolerances.POLICY_ROUNDING for entry in entries) and (
        abs(fsum(entries) - 1) <= tolerances.POLICY_SUM
    )


def _parse_rows(listed: list[int], agents: int) -> np.ndarray:
    """Validate indices of agents: distinct, increasing and within range; raise `StateError` otherwise."""
    rows = np.array(listed, dtype=np.intp)
    if rows.ndim != 1 or not len(rows) or rows[0] < 0 or rows[-1] >= agents or np.any(np.diff(rows) <= 0):
        raise StateError("the state lists agents that do not exist; use the last complete copy.")
    return rows
