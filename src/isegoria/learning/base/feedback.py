"""The feedback side of a learner: `tell` and `close`, answers of single agents, and late answers, each counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, TicketError
from isegoria.learning.base.feedback_buffer import DuplicateFeedbackError, RoundFeedback
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.learner_state import LearnerState
from isegoria.learning.base.ticket import Ticket
from isegoria.profiles.names import NamesLike
from isegoria.utils.seeds import Seed

TicketLike = Ticket | Mapping[str, Any]
"""A ticket, or what its `to_dict` gave."""
RewardsByName = Mapping[str, float | None] | Mapping[int, float | None]
"""Rewards by the names or indices of agents, None being no answer."""
RewardsLike = Sequence[float] | np.ndarray | RewardsByName
"""The rewards of a round: one for each agent who was asked, or by name."""


class FeedbackBase(LearnerState):
    """Base class that accepts feedback on decided rounds; `Learner` decides them."""

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        super().__init__(n_agents, n_arms, seed, agents, arms, weights)
        self._listens = type(self).observe is not FeedbackBase.observe

    def observe(self, arm: int, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Handle new rewards; called with the agents who answered and their rewards, after these were counted."""

    def on_ticket_close(self, round_: int, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        """Handle a closed ticket; called with every agent's answer (NaN: none), not for late answers."""

    # -- tell ----------------------------------------------------------------------------------------------------------

    def tell(self, ticket: TicketLike, rewards: RewardsLike, close: bool = True, replace: bool = False) -> None:
        """Give the learner the `rewards` of a ticket's round.

        Each agent answers a ticket once. Tickets may be answered in any order. Agents who were silent when a ticket was
        closed may still answer it late, once. If the call raises, nothing has changed.

        Parameters
        ----------
        ticket : Ticket or mapping
            A ticket from `ask`, or the result of its `to_dict`.
        rewards : array-like or mapping
            One reward in [0, 1] for each agent present at the ask, or rewards by agent name or index. NaN, None or a
            missing name means that the agent did not answer.
        close : bool
            Whether to close the ticket and count its feedback. With False, other agents may still answer, and the
            feedback is buffered until a call with `close=True` or `close(ticket)`.
        replace : bool
            Whether a new answer replaces a buffered one of the same agent.

        Raises
        ------
        InputError
            If a reward is outside [0, 1], the length is wrong, or a name is unknown.
        TicketError
            If an agent answers twice, or the ticket is not from this learner or no longer accepts feedback.
        """
        round_, entry, late = self._find_ticket(ticket)
        values = (
            self._by_name(rewards, entry.rows)
            if isinstance(rewards, Mapping)
            else _rewards_from_array(rewards, entry.rows)
        )
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
        except DuplicateFeedbackError as twice:
            name = self._roster.agents[twice.row]
            way_out = "late answers are taken once." if late else "pass replace=True to change what it said."
            raise TicketError(f"agent {name!r} answered the ticket of round {twice.round} before; {way_out}") from None

    def close(self, ticket: TicketLike) -> None:
        """Close a ticket: count the feedback given so far; later answers are late.

        Raises
        ------
        TicketError
            If the ticket is not from this learner or is closed already.

        Examples
        --------
        >>> from isegoria import ProceduralLearner
        >>> learner = ProceduralLearner(2, 2, agents=["Ann", "Bob"], seed=1)
        >>> ticket = learner.ask()
        >>> learner.tell(ticket, {"Bob": 0.5}, close=False)
        >>> learner.tell(ticket, {"Ann": 0.8}, close=False)
        >>> learner.close(ticket)
        >>> learner.sums[:, 0].tolist()
        [0.8, 0.5]
        """
        round_, _, late = self._find_ticket(ticket)
        if late:
            raise TicketError(f"the ticket of round {round_} is closed already.")
        self._close(round_)

    # -- counting ------------------------------------------------------------------------------------------------------

    def _tell_at_once(self, round_: int, entry: RoundFeedback, values: np.ndarray) -> None:
        """Count a ticket answered in a single `tell`, the usual case, without buffering."""
        told = self._tally.add(entry.arm, values, entry.rows)
        if told >= 0:
            self._refuse(values[told], int(entry.rows[told]), entry.arm)
        if told < -1:
            entry.values = np.array(values)
            self._answers.close(round_)
        else:
            del self._answers.open[round_]
        self._notify_observer(entry.arm, entry.rows, values)
        self.on_ticket_close(round_, entry.arm, entry.rows, values)

    def _close(self, round_: int) -> None:
        entry = self._answers.close(round_)
        values = np.array(entry.values)
        self._count(entry.arm, entry.rows, values)
        self.on_ticket_close(round_, entry.arm, entry.rows, values)

    def _count(self, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        self._tally.add(arm, values, rows)
        self._notify_observer(arm, rows, values)

    def _notify_observer(self, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        if self._listens:
            answered = ~np.isnan(values)
            self.observe(arm, rows[answered], values[answered])

    # -- checks --------------------------------------------------------------------------------------------------------

    def _find_ticket(self, ticket: TicketLike) -> tuple[int, RoundFeedback, bool]:
        """Return the round of a ticket, its feedback, and whether it is closed and accepts late feedback only."""
        if not isinstance(ticket, Ticket):
            ticket = Ticket.from_dict(ticket)
        if ticket.run_id != self.run:
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

    def _by_name(self, rewards: RewardsByName, rows: np.ndarray) -> np.ndarray:
        """Return rewards by name (or index) as an array over `rows`; a missing name or a value of None becomes NaN."""
        values = np.full(len(rows), np.nan)
        for name, reward in rewards.items():
            row = self._agents.find(name)
            place = int(np.searchsorted(rows, row))
            if place == len(rows) or rows[place] != row:
                raise InputError(f"agent {name!r} was not present when this ticket was asked; leave it out.")
            if reward is not None:
                values[place] = _rewards_from_array([reward], [row])[0]
        return values

    def _refuse_outside(self, values: np.ndarray, entry: RoundFeedback) -> None:
        wrong = ~(np.isnan(values) | ((values >= 0.0) & (values <= 1.0)))
        if wrong.any():
            place = int(np.argmax(wrong))
            self._refuse(values[place], int(entry.rows[place]), entry.arm)

    def _refuse(self, reward: float, row: int, arm: int) -> None:
        raise InputError(
            f"the reward of agent {self._agents[row]!r} for arm {self._arm_names[arm]!r} is {reward:.6g}; rewards must "
            "lie in [0, 1]. Rescale with (x - low) / (high - low), or tell NaN for no answer."
        )


def _rewards_from_array(rewards: Sequence[float] | np.ndarray, rows: Sequence[int] | np.ndarray) -> np.ndarray:
    try:
        values = np.ascontiguousarray(rewards, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"rewards are not numbers ({error}); expected one number, or NaN, for each agent.") from None
    if values.shape != (len(rows),):
        raise InputError(
            f"rewards have shape {values.shape}; expected ({len(rows)},), one for each agent present at the ask."
        )
    return values
