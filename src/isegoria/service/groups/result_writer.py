"""Write what an action has changed into the store, in the transaction of the action."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isegoria.record.actions.action import ActionResult, NewEvent
from isegoria.record.state.group import Group
from isegoria.service.http.http_errors import Conflict
from isegoria.service.http.tokens import Actor
from isegoria.service.store import (
    EventRow,
    GroupRow,
    LearnerSnapshotRow,
    PersonRow,
    TokenRow,
    Transaction,
)
from isegoria.utils.messages import Message


@dataclass(frozen=True)
class StoreActionResult(ActionResult):
    """Change with what only a store holds: links, a learner snapshot, and when the scheduler should look again.

    - `once`: the response contains tokens, so it is not stored.
    - `removes`: the whole group is deleted.
    - `unanswered`: (role, number) of actors whose stored responses are deleted.
    - `scrubbed`: new bodies of earlier events, by key, without the data to be erased.
    """

    tokens: Sequence[TokenRow] = ()
    revoked: Sequence[tuple[str, int]] = ()
    once: bool = False
    removes: bool = False
    unanswered: Sequence[tuple[str, int]] = ()
    scrubbed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    due: int | None = None
    snapshot: LearnerSnapshotRow | None = None

    @property
    def erases(self) -> bool:
        """Whether the change erases data that must also disappear from the disk."""
        return self.removes or bool(self.forgotten or self.scrubbed)

    @classmethod
    def of(cls, change: ActionResult, **kept: Any) -> StoreActionResult:
        """Create a `StoreActionResult` from a change of the record; `kept` adds or replaces fields."""
        return cls(**{**vars(change), **kept})


def write_result(
    session: Transaction, row: GroupRow, group: Group, change: StoreActionResult, actor: Actor, now: int
) -> GroupRow:
    """Write a change inside a transaction, apply it to the group, and return the group's row after it.

    Raise `ConcurrentChangeError` if the log already has an event with the same key or at the same place.
    """
    if change.removes:
        session.remove_group(row.id)
        return row
    for new in change.events:
        after = session.append(row, _to_event(new, row, actor.id, now), new.line.hash.hex() if new.line else None)
        if after is None:
            raise ConcurrentChangeError(Message("event_exists_already", key=new.key))
        row = after
        group.apply(new.kind, new.body, new.line, now)
    for role, number in change.revoked:
        session.revoke(row.id, role, number)
    for person in change.people:
        kept = {"salt": person.salt.hex(), "secret": person.secret.hex()}
        session.keep_person(row.id, PersonRow(person.number, person.name, encode_body(kept)))
        group.names[person.number] = person.name
        session.keep_count(row.id, person.number, None)
    if change.erases:
        session.drop_kept(row.id)
    for number in change.forgotten:
        session.keep_person(row.id, PersonRow(number, None, None))
        session.keep_count(row.id, number, None)
        session.forget_contact(row.id, number)
        session.release(row.id)
    for role, number in change.unanswered:
        session.forget_answers_of(f"{row.id}:{role}:{number}")
    for key, body in change.scrubbed.items():
        session.rewrite(row.id, key, encode_body(body))
    session.add_tokens(change.tokens)
    if change.snapshot is not None:
        session.keep_snapshot(row.id, change.snapshot)
    if change.due is not None:
        session.set_due(row.id, change.due)
    return row


def _to_event(new: NewEvent, row: GroupRow, actor: str, now: int) -> EventRow:
    line = None if new.line is None else new.line.data.decode()
    prev = None if line is None else row.head
    return EventRow(row.length + 1, new.key, new.kind, actor, now, encode_body(new.body), line, prev)


class ConcurrentChangeError(Conflict):
    """Conflict with another request that was first: the log no longer ends where this request expected it."""


def encode_body(body: Mapping[str, Any]) -> str:
    """Encode a body as compact JSON with sorted keys, as it is stored."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
