"""What was answered to tickets: held until a ticket is closed, each agent once, and once more if it was late."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.errors import TicketError

LATE_TICKETS = 1000
"""Closed tickets for which late answers are still taken, the latest ones: a state must not grow with every silence."""


@dataclass(slots=True)
class RoundAnswers:
    """A ticket's arm, the rows of the agents who were asked, and what they said so far (None: nothing yet)."""

    arm: int
    rows: np.ndarray
    values: np.ndarray | None = None

    @property
    def said(self) -> np.ndarray:
        """What the agents said, NaN where they said nothing."""
        return np.full(len(self.rows), np.nan) if self.values is None else self.values


class Answers:
    """Open tickets with what was said so far, and closed ones whose silent agents may still answer."""

    def __init__(self) -> None:
        self.open: dict[int, RoundAnswers] = {}
        self.late: dict[int, RoundAnswers] = {}

    def hold(self, round_: int, values: np.ndarray, replace: bool) -> None:
        """Keep these answers to an open ticket; one who answered before is refused unless `replace` says so."""
        entry = self.open[round_]
        held = entry.said.copy()
        answered = ~np.isnan(values)
        if not replace:
            refuse_twice(round_, entry.rows, answered & ~np.isnan(held))
        held[answered] = values[answered]
        entry.values = held

    def close(self, round_: int) -> RoundAnswers:
        """The answers to a ticket, which is open no more; from now on its silent agents are late."""
        entry = self.open.pop(round_)
        entry.values = entry.said
        if np.isnan(entry.values).any():
            self.late[round_] = RoundAnswers(entry.arm, entry.rows, entry.values)
            while len(self.late) > LATE_TICKETS:
                del self.late[next(iter(self.late))]
        return entry

    def hold_late(self, round_: int, values: np.ndarray) -> None:
        """Keep these late answers, so that nobody gives another one."""
        entry, answered = self.late[round_], ~np.isnan(values)
        refuse_twice(round_, entry.rows, answered & ~np.isnan(entry.said))
        entry.values = np.where(answered, values, entry.said)
        if not np.isnan(entry.values).any():
            del self.late[round_]

    # -- state ---------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """As plain data: rosters that several tickets share are written once, silence as bits."""
        entries = [*self.open.values(), *self.late.values()]
        rosters = list({id(entry.rows): entry.rows for entry in entries}.values())
        place = {id(rows): index for index, rows in enumerate(rosters)}
        return {
            "rosters": rosters,
            "pending": [[t, entry.arm, place[id(entry.rows)], _held(entry)] for t, entry in self.open.items()],
            "late": [[t, entry.arm, place[id(entry.rows)], _silent(entry)] for t, entry in self.late.items()],
        }

    def restore(self, state: dict[str, Any], rosters: list[np.ndarray]) -> None:
        """Take back what `state` said, with its `rosters` checked."""
        for t, arm, roster, held in state["pending"]:
            values = None
            if held is not None:
                values = np.full(len(rosters[roster]), np.nan)
                for place, value in held:
                    values[place] = value
            self.open[int(t)] = RoundAnswers(int(arm), rosters[roster], values)
        for t, arm, roster, bits in state["late"]:
            length = len(rosters[roster])
            silent = np.unpackbits(np.frombuffer(b64decode(bits), np.uint8), count=length).astype(bool)
            self.late[int(t)] = RoundAnswers(int(arm), rosters[roster], np.where(silent, np.nan, 0.0))


def refuse_twice(round_: int, rows: np.ndarray, twice: np.ndarray) -> None:
    """Raise if some agent would answer a ticket twice; the learner puts in the name."""
    if twice.any():
        raise AnsweredBefore(round_, int(rows[int(np.argmax(twice))]))


class AnsweredBefore(TicketError):
    """An agent, by its row, who has answered that round already."""

    def __init__(self, round_: int, row: int):
        super().__init__(round_, row)
        self.round, self.row = round_, row


def _held(entry: RoundAnswers) -> list[list[float]] | None:
    if entry.values is None:
        return None
    return [[int(place), float(entry.values[place])] for place in np.flatnonzero(~np.isnan(entry.values))]


def _silent(entry: RoundAnswers) -> str:
    return b64encode(np.packbits(np.isnan(entry.said)).tobytes()).decode()
