"""Feedback on tickets: buffered until a ticket is closed, once per agent, with one late answer for silent agents."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.errors import TicketError

MAX_LATE_TICKETS = 1000
"""Closed tickets for which late answers are still taken, the latest ones: a state must not grow with every silence."""


@dataclass(slots=True)
class RoundFeedback:
    """The arm of a ticket, the rows of the agents asked, and their feedback so far (None: no feedback yet)."""

    arm: int
    rows: np.ndarray
    values: np.ndarray | None = None

    @property
    def said(self) -> np.ndarray:
        """The feedback of the agents asked, NaN where an agent has not answered."""
        return np.full(len(self.rows), np.nan) if self.values is None else self.values


class FeedbackBuffer:
    """The feedback buffer: open tickets with their feedback so far, and closed tickets that accept late feedback."""

    def __init__(self) -> None:
        self.open: dict[int, RoundFeedback] = {}
        self.late: dict[int, RoundFeedback] = {}

    def hold(self, round_: int, values: np.ndarray, replace: bool) -> None:
        """Store feedback on an open ticket.

        A second answer of an agent raises `DuplicateFeedbackError` unless `replace` is true.
        """
        entry = self.open[round_]
        held = entry.said.copy()
        answered = ~np.isnan(values)
        if not replace:
            reject_duplicates(round_, entry.rows, answered & ~np.isnan(held))
        held[answered] = values[answered]
        entry.values = held

    def close(self, round_: int) -> RoundFeedback:
        """Close a ticket and return its feedback; agents who have not answered may still do so late.

        Only the latest `MAX_LATE_TICKETS` closed tickets accept late feedback.
        """
        entry = self.open.pop(round_)
        entry.values = entry.said
        if np.isnan(entry.values).any():
            self.late[round_] = RoundFeedback(entry.arm, entry.rows, entry.values)
            while len(self.late) > MAX_LATE_TICKETS:
                del self.late[next(iter(self.late))]
        return entry

    def hold_late(self, round_: int, values: np.ndarray) -> None:
        """Store late feedback on a closed ticket, so that no agent can answer it again."""
        entry, answered = self.late[round_], ~np.isnan(values)
        reject_duplicates(round_, entry.rows, answered & ~np.isnan(entry.said))
        entry.values = np.where(answered, values, entry.said)
        if not np.isnan(entry.values).any():
            del self.late[round_]

    # -- state ---------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the buffer as plain data.

        Rosters that several tickets share are stored once. For closed tickets, missing answers are stored as bits.
        """
        entries = [*self.open.values(), *self.late.values()]
        rosters = list({id(entry.rows): entry.rows for entry in entries}.values())
        place = {id(rows): index for index, rows in enumerate(rosters)}
        return {
            "rosters": rosters,
            "pending": [[t, entry.arm, place[id(entry.rows)], _list_rewards(entry)] for t, entry in self.open.items()],
            "late": [[t, entry.arm, place[id(entry.rows)], _encode_missing(entry)] for t, entry in self.late.items()],
        }

    def restore(self, state: dict[str, Any], rosters: list[np.ndarray]) -> None:
        """Restore the buffer from the result of `state`, with its validated `rosters`."""
        for t, arm, roster, held in state["pending"]:
            values = None
            if held is not None:
                values = np.full(len(rosters[roster]), np.nan)
                for place, value in held:
                    values[place] = value
            self.open[int(t)] = RoundFeedback(int(arm), rosters[roster], values)
        for t, arm, roster, bits in state["late"]:
            length = len(rosters[roster])
            silent = np.unpackbits(np.frombuffer(b64decode(bits), np.uint8), count=length).astype(bool)
            self.late[int(t)] = RoundFeedback(int(arm), rosters[roster], np.where(silent, np.nan, 0.0))


def reject_duplicates(round_: int, rows: np.ndarray, twice: np.ndarray) -> None:
    """Raise `DuplicateFeedbackError` if any agent would answer a ticket twice; the learner adds the agent's name."""
    if twice.any():
        raise DuplicateFeedbackError(round_, int(rows[int(np.argmax(twice))]))


class DuplicateFeedbackError(TicketError):
    """Raised when an agent, given by its row, has already answered that round."""

    def __init__(self, round_: int, row: int):
        super().__init__(round_, row)
        self.round, self.row = round_, row


def _list_rewards(entry: RoundFeedback) -> list[list[float]] | None:
    if entry.values is None:
        return None
    return [[int(place), float(entry.values[place])] for place in np.flatnonzero(~np.isnan(entry.values))]


def _encode_missing(entry: RoundFeedback) -> str:
    return b64encode(np.packbits(np.isnan(entry.said)).tobytes()).decode()
