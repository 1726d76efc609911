"""What the tables hold, as plain rows: the same from either database."""

from __future__ import annotations

from typing import NamedTuple

from isegoria.errors import IsegoriaError


class StoreError(IsegoriaError):
    """The database could not be asked: it is down, full, or another program holds it. Nothing was changed."""


class GroupRow(NamedTuple):
    """A group as the store knows it: how many events and lines it has, and the hash of its last line.

    `due` is when the timetable next wants something (Unix seconds), `touched` when the last event came; `vault` is
    JSON with what the whole group keeps secret.
    """

    id: str
    made: int
    touched: int
    length: int
    lines: int
    head: str
    due: int | None
    vault: str


class Event(NamedTuple):
    """One transition: its place, its key (never twice in a group), who did it, and what it says.

    `body` is JSON and private. A transition that stands on the public record carries its `line` and `prev`, the hash
    of the line before it: two lines can never follow the same one.
    """

    seq: int
    key: str
    kind: str
    actor: str
    at: int
    body: str
    line: str | None = None
    prev: str | None = None


class PersonRow(NamedTuple):
    """A member's name and secrets (JSON), kept apart from the log so that both can be erased."""

    number: int
    name: str | None
    secrets: str | None


class TokenRow(NamedTuple):
    """Whose token has this SHA-256. The token itself is kept beside it (`secret`) until it is first opened, so that an
    organiser who lost a page can hand it out; that of a join link stays, since it is shown to the whole group.
    """

    hash: str
    group: str
    role: str
    number: int
    issued: int
    used: int | None
    secret: str | None = None


class SessionRow(NamedTuple):
    """A device that somebody uses: the SHA-256 of its cookie, whose it is, its number among hers, what it is, since
    when it is hers and when it was last used.
    """

    hash: str
    group: str
    role: str
    number: int
    place: int
    label: str
    begun: int
    seen: int


class Contact(NamedTuple):
    """A member's mail address and language, and the secret of the link that ends her mail.

    Once ended, the address is gone and its SHA-256 stays (`refused`, of each such address, by spaces), so that
    nobody else enters it again in the group.
    """

    number: int
    address: str | None
    language: str
    stop: str
    refused: str | None = None


class Letter(NamedTuple):
    """Something to be told: what (`key`, once in a group), by which channel, to which member (-1: none in particular).

    What it says is made when it is sent. `due` is when it is tried next, None once it was delivered.
    """

    group: str
    key: str
    channel: str
    number: int
    made: int
    due: int | None
    tries: int


class HeldRow(NamedTuple):
    """A member's commitment that waits for the freeze: her slip as JSON, and when her page last said it."""

    number: int
    slip: str
    at: int


class AnswerRow(NamedTuple):
    """What was answered to an actor's idempotency key, and the digest of the body that it came with."""

    digest: str
    status: int
    body: str


class Snapshot(NamedTuple):
    """A cached state and the place of the log that it belongs to; thrown away when in doubt."""

    seq: int
    head: str
    state: str
