"""Publication of the record of a group with turns: every active member has to agree, and it cannot be undone.

In such a group a member has one pseudonym for all rounds, so a public record lets anybody follow each of them.
"""

from __future__ import annotations

from typing import Any

from isegoria.record.state.group import Group
from isegoria.service.http.http_errors import Conflict
from isegoria.service.http.request import Reply, make_json_reply
from isegoria.service.request_context import RequestContext
from isegoria.service.store import Transaction
from isegoria.utils.messages import Message

PUBLISHED_MARK = -1
"""The member number under which it is noted that a record is public."""


def set_consent(context: RequestContext) -> Reply:
    """Note whether a member agrees to publish the record; the last who agrees publishes it, for good.

    Raise `Conflict` if the record is public anyway.
    """
    actor, now = context.require_actor(), context.now
    with context.store.writing() as session:
        session.group(actor.group, lock=True)  # nobody joins meanwhile
        with context.groups.reading(actor.group) as (group, _):
            if is_record_public(session, group):
                raise Conflict(Message("record_is_public"))
            if not context.body["consent"]:
                session.drop_consent(actor.group, actor.number)
            else:
                session.add_consent(actor.group, actor.number, now)
                if set(group.members) <= set(session.consents(actor.group)):
                    session.add_consent(actor.group, PUBLISHED_MARK, now)
            return make_json_reply(describe_publication(session, group, actor.number))


def is_record_public(session: Transaction, group: Group) -> bool:
    """Return whether strangers may read the record: always without turns, otherwise once all members agreed."""
    return group.turns is None or PUBLISHED_MARK in session.consents(group.address)


def describe_publication(session: Transaction, group: Group, number: int | None = None) -> dict[str, Any]:
    """Return whether the record is public, how many active members agree to it, and whether one member does."""
    consents = session.consents(group.address)
    agreed = [member for member in group.members if member in consents]
    return {
        "published": consents.get(PUBLISHED_MARK),
        "agreed": len(agreed),
        "members": len(group.members),
        "own": number in agreed,
    }
