"""Rows of the tables as named tuples, the same for both databases."""

from __future__ import annotations

from typing import NamedTuple

from isegoria.errors import IsegoriaError


class StoreError(IsegoriaError):
    """The database cannot be used: it is down, full, or locked by another program. Nothing was changed."""


class GroupRow(NamedTuple):
    """A group in the store: its number of events (`length`) and of lines, and the hash of its last line.

    `due` is when the timetable needs the next step, `touched` when the last event was appended (both Unix seconds).
    `vault` is JSON with the group's secrets.
    """

    id: str
    made: int
    touched: int
    length: int
    lines: int
    head: str
    due: int | None
    vault: str


class EventRow(NamedTuple):
    """One event: its sequence number, its key (unique in a group), its actor, and its body.

    `body` is JSON and private. An event on the public record has its `line` and `prev`, the hash of the line before it;
    no two lines can follow the same one.
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
    """A member's name and secrets (JSON), stored apart from the log so that both can be erased."""

    number: int
    name: str | None
    secrets: str | None


class SecurityEventRow(NamedTuple):
    """A security event: when, what, by whom (`role` and `number`), and whom it concerns."""

    at: int
    kind: str
    role: str
    number: int
    subject_role: str
    subject: int


class TokenRow(NamedTuple):
    """The owner of a token, by its SHA-256.

    The token itself (`secret`) is stored until it is first opened, so that an organiser who lost a page can hand it
    out. The token of a join link stays stored, since it is shown to the whole group. `how` says how its device was let
    in (see `KEY_PROVENANCES`).
    """

    hash: str
    group: str
    role: str
    number: int
    issued: int
    used: int | None
    secret: str | None = None
    how: str = "organiser_link"


class SessionRow(NamedTuple):
    """A device that somebody uses.

    It has the SHA-256 of its cookie, its owner, its number among the owner's devices (`place`), its label, when its
    session began and when it was last used. `how` is that of its link.
    """

    hash: str
    group: str
    role: str
    number: int
    place: int
    label: str
    begun: int
    seen: int
    how: str = "organiser_link"


class ContactRow(NamedTuple):
    """A member's mail address and language, and the unsubscribe token (`stop`).

    After unsubscribing, the address is deleted. The SHA-256 of each such address stays in `refused`, separated by
    spaces, so that nobody else can enter it again in the group. `confirmed` is when the recipient asked for
    mail: before that they get one letter, and no more. `typed_by` is who entered the address, "member" or
    "organiser".
    """

    number: int
    address: str | None
    language: str
    stop: str
    refused: str | None = None
    confirmed: int | None = None
    typed_by: str = "organiser"


class OutboxRow(NamedTuple):
    """An outbox message: its `key` (unique in a group), its channel, and its member (-1: none in particular).

    Its text is written when it is sent. `due` is the time of the next try, None once it was delivered or given up.
    """

    group: str
    key: str
    channel: str
    number: int
    made: int
    due: int | None
    tries: int


class CommitmentRow(NamedTuple):
    """A member's commitment that waits for the freeze: the signed statement as JSON, and when it was last repeated."""

    number: int
    slip: str
    at: int


class ResponseRow(NamedTuple):
    """The stored response to an actor's idempotency key, and the digest of the request."""

    digest: str
    status: int
    body: str


class LearnerSnapshotRow(NamedTuple):
    """A cached learner state and the position in the log that it belongs to; discarded when in doubt."""

    seq: int
    head: str
    state: str
