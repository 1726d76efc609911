"""What an action asks of the store: events to append, people and links to keep, and the answer to give."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

from isegoria.service.groups.state import State, compact
from isegoria.service.http.tokens import Actor
from isegoria.service.store import Event, PersonRow, Snapshot, TokenRow


class Step(NamedTuple):
    """One event to be: its key (never twice in a group), kind, private body and public line."""

    key: str
    kind: str
    body: dict = {}  # noqa: RUF012 - never written to
    line: bytes | None = None

    def event(self, state_seq: int, prev: str, actor: str, at: int) -> Event:
        """The event behind number `state_seq`, its line behind the line with the hash `prev`."""
        line = None if self.line is None else self.line.decode()
        return Event(state_seq + 1, self.key, self.kind, actor, at, compact(self.body), line, prev if line else None)


@dataclass(frozen=True)
class Deed:
    """All that one request changes, and its answer.

    `secret`: the answer holds tokens, and is not kept. `removes`: the whole group goes. `due`: when the timetable
    should look at the group again.
    """

    answer: dict
    status: int = 200
    steps: list[Step] = field(default_factory=list)
    people: list[PersonRow] = field(default_factory=list)
    tokens: list[TokenRow] = field(default_factory=list)
    revoked: list[tuple[str, int]] = field(default_factory=list)
    secret: bool = False
    removes: bool = False
    due: int | None = None
    snapshot: Snapshot | None = None


class Call(NamedTuple):
    """Who asks what, and when; `vault` is what the whole group keeps secret, `people` its names and secrets."""

    actor: Actor
    body: dict
    now: int
    state: State
    vault: dict
    people: dict[int, PersonRow]


def line_hash(line: bytes) -> str:
    """The hash of a line of the record: SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(line).hexdigest()
