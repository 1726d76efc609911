"""Security events of a group: links used or issued again, keys registered, exports, restores, organisers added.

The organisers see all of them, a member those that concern the member. They are kept for a year, and are no part of the
record or of a backup.
"""

from __future__ import annotations

from typing import Any

from isegoria.service.http.request import Reply, make_json_reply
from isegoria.service.http.tokens import ROLE_MEMBER, Actor
from isegoria.service.request_context import RequestContext
from isegoria.service.store import SecurityEventRow, Transaction

MAX_EVENT_AGE_SECONDS = 366 * 86400
OPERATOR = ("operator", 0)  # the person who runs the server


def add_security_event(
    session: Transaction,
    group: str,
    kind: str,
    now: int,
    actor: tuple[str, int],
    subject: tuple[str, int] | None = None,
) -> None:
    """Add an event inside a transaction, and forget those that are too old."""
    session.remove_security_events(group, now - MAX_EVENT_AGE_SECONDS)
    session.add_security_event(group, SecurityEventRow(now, kind, *actor, *(subject or actor)))


def log_request(context: RequestContext, kind: str) -> None:
    """Add the event of a request that was answered; its body may name whom it concerns."""
    actor = context.require_actor()
    named = context.body.get("number") or context.body.get("member")
    subject = (str(context.body.get("role", ROLE_MEMBER)), int(named)) if named else None
    with context.store.writing() as session:
        add_security_event(session, actor.group, kind, context.now, (actor.role, actor.number), subject)


def list_security_events(context: RequestContext) -> Reply:
    """Return the security events of a group, newest first; a member gets those that concern the member."""
    return make_json_reply({"events": load_security_events(context, context.require_actor())})


def load_security_events(context: RequestContext, actor: Actor) -> list[dict[str, Any]]:
    """Return the security events that the actor may see: when, what, by whom, and whom it concerns."""
    with context.groups.reading(actor.group) as (group, session):
        rows = session.security_events(actor.group)
        names = {number: group.name(number) for number in group.members}
    if actor.role == ROLE_MEMBER:
        own = {(ROLE_MEMBER, actor.number), OPERATOR}
        rows = [row for row in rows if own & {(row.role, row.number), (row.subject_role, row.subject)}]
    return [
        {
            "at": row.at,
            "event": row.kind,
            "by": names.get(row.number, row.role) if row.role == ROLE_MEMBER else row.role,
            "concerns": names.get(row.subject, row.subject_role)
            if row.subject_role == ROLE_MEMBER
            else row.subject_role,
        }
        for row in rows
    ]
