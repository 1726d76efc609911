"""The side of a learner that listens: answers to tickets, one agent at a time, late ones too, each counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, TicketError
from isegoria.instance.names import GivenNames
from isegoria.learning.protocol.answers import AnsweredBefore, RoundAnswers
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.learning.protocol.state import State
from isegoria.learning.protocol.ticket import Ticket
from isegoria.seeds import Seed

AnyTicket = Ticket | Mapping[str, Any]
"""A ticket, or what its `to_dict` gave."""
ByName = Mapping[str, float | None] | Mapping[int, float | None]
"""Rewards by the names or indices of agents, None being no answer."""
Rewards = Sequence[float] | np.ndarray | ByName
"""The rewards of a round: one for each agent who was asked, or by name."""


class Listener(State):
    """Takes what the agents say of the rounds that were decided; `Learner` decides them."""

    def __init__(self, n_agents: int, n_arms: int, seed: Seed = None, agents: GivenNames = None,
                 arms: GivenNames = None, weights: GivenWeights = None):  # fmt: skip
        super().__init__(n_agents, n_arms, seed, agents, arms, weights)
        self._listens = type(self)._observe is not Listener._observe

    def _observe(self, arm: int, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Called with the agents who answered and their rewards, after these were counted."""

    def _closed(self, round_: int, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        """Called when a ticket is closed, with everyone's answer, NaN being none; not for late answers."""

    # -- tell ----------------------------------------------------------------------------------------------------------

    def tell(self, ticket: AnyTicket, rewards: Rewards, close: bool = True, replace: bool = False) -> None:
        """Take the `rewards` of a ticket's round: an array over the agents present when it was asked, or by name.

        NaN, or a name left out, is an agent who said nothing. With `close=False` others may still answer, and what was
        said is held until `close=True` or `close(ticket)` ends the round and counts it. Each agent answers a ticket
        once; `replace=True` puts a new answer in place of one that is still held. Tickets may be told in any order, and
        agents who were silent when theirs was closed may still answer it late, once.

        A reward outside [0, 1], a wrong length, an unknown name, a second answer or a ticket that is not this learner's
        is refused, and then nothing has changed.
        """
        round_, entry, late = self._found(ticket)
        values = self._by_name(rewards, entry.rows) if isinstance(rewards, Mapping) else _array(rewards, entry.rows)
        try:
            if late:
                self._refuse_outside(values, entry)
                self._answers.hold_late(round_, values)
                self._count(entry.arm, entry.rows, values)
            elif close and entry.values is None:
                self._tell_at_once(round_, entry, values)
            else:
                self._refuse_outside(values, entry)
                self._answers.hold(round_, values, replace)
                if close:
                    self._close(round_)
        except AnsweredBefore as twice:
            name = self._roster.agents[twice.row]
            way_out = "late answers are taken once." if late else "pass replace=True to change what it said."
            raise TicketError(f"agent {name!r} answered the ticket of round {twice.round} before; {way_out}") from None

    def close(self, ticket: AnyTicket) -> None:
        """End a ticket's round: what was answered so far is counted, and whoever answers now is late.

        >>> from isegoria import ProceduralLearner
        >>> learner = ProceduralLearner(2, 2, agents=["Ann", "Bob"], seed=1)
        >>> ticket = learner.ask()
        >>> learner.tell(ticket, {"Bob": 0.5}, close=False)
        >>> learner.tell(ticket, {"Ann": 0.8}, close=False)
        >>> learner.close(ticket)
        >>> learner.sums[:, 0].tolist()
        [0.8, 0.5]
        """
        round_, _, late = self._found(ticket)
        if late:
            raise TicketError(f"the ticket of round {round_} is closed already.")
        self._close(round_)

    # -- counting ------------------------------------------------------------------------------------------------------

    def _tell_at_once(self, round_: int, entry: RoundAnswers, values: np.ndarray) -> None:
        """Count a ticket that is answered in one tell: the usual way, without anything held in between."""
        told = self._tally.add(entry.arm, values, entry.rows)
        if told >= 0:
            self._refuse(values[told], int(entry.rows[told]), entry.arm)
        if told < -1:
            entry.values = np.array(values)
            self._answers.close(round_)
        else:
            del self._answers.open[round_]
        self._heard(entry.arm, entry.rows, values)
        self._closed(round_, entry.arm, entry.rows, values)

    def _close(self, round_: int) -> None:
        entry = self._answers.close(round_)
        values = np.array(entry.values)
        self._count(entry.arm, entry.rows, values)
        self._closed(round_, entry.arm, entry.rows, values)

    def _count(self, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        self._tally.add(arm, values, rows)
        self._heard(arm, rows, values)

    def _heard(self, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        if self._listens:
            answered = ~np.isnan(values)
            self._observe(arm, rows[answered], values[answered])

    # -- checks --------------------------------------------------------------------------------------------------------

    def _found(self, ticket: AnyTicket) -> tuple[int, RoundAnswers, bool]:
        """The round of a ticket, what was answered to it, and whether it is closed and waits for late answers only."""
        if not isinstance(ticket, Ticket):
            ticket = Ticket.from_dict(ticket)
        if ticket.learner != self.run:
            raise TicketError("this ticket was asked by another learner; tell it to that one.")
        answers, round_ = self._answers, ticket.round
        entry = answers.open.get(round_) or answers.late.get(round_)
        if entry is None and isinstance(round_, int) and 1 <= round_ <= self.rounds:
            raise TicketError(
                f"the ticket of round {round_} was told before: it is closed, and no more answers to it are taken."
            )
        if entry is None or entry.arm != ticket.arm:
            raise TicketError(
                f"no ticket of round {round_!r} with arm {ticket.arm!r} was asked; pass on what ask() gave."
            )
        return round_, entry, round_ not in answers.open

    def _by_name(self, rewards: ByName, rows: np.ndarray) -> np.ndarray:
        """Rewards by name (or index) as an array over `rows`, NaN where a name is missing or its value is None."""
        values = np.full(len(rows), np.nan)
        for name, reward in rewards.items():
            row = self._agents.find(name)
            place = int(np.searchsorted(rows, row))
            if place == len(rows) or rows[place] != row:
                raise InputError(f"agent {name!r} was not present when this ticket was asked; leave it out.")
            if reward is not None:
                values[place] = _array([reward], [row])[0]
        return values

    def _refuse_outside(self, values: np.ndarray, entry: RoundAnswers) -> None:
        wrong = ~(np.isnan(values) | ((values >= 0.0) & (values <= 1.0)))
        if wrong.any():
            place = int(np.argmax(wrong))
            self._refuse(values[place], int(entry.rows[place]), entry.arm)

    def _refuse(self, reward: float, row: int, arm: int) -> None:
        raise InputError(
            f"the reward of agent {self._agents[row]!r} for arm {self._arm_names[arm]!r} is {reward:.6g}; rewards must "
            "lie in [0, 1]. Rescale with (x - low) / (high - low), or tell NaN for no answer."
        )


def _array(rewards: Sequence[float] | np.ndarray, rows: Sequence[int] | np.ndarray) -> np.ndarray:
    try:
        values = np.ascontiguousarray(rewards, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"rewards are not numbers ({error}); expected one number, or NaN, for each agent.") from None
    if values.shape != (len(rows),):
        raise InputError(
            f"rewards have shape {values.shape}; expected ({len(rows)},), one for each agent present at the ask."
        )
    return values
