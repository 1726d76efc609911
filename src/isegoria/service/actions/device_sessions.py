"""Sessions of devices. A device gets one by opening a link.

Each session has its own token, is listed for the person it belongs to, and can be ended separately.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isegoria.service.actions.security_log import add_security_event
from isegoria.service.http.device_labels import describe_device
from isegoria.service.http.http_errors import NotFound, Unauthorized
from isegoria.service.http.request import Reply, Request, make_json_reply
from isegoria.service.http.tokens import (
    PROVENANCE_LINK,
    ROLE_JOIN,
    ROLE_MEMBER,
    ROLE_ORGANISER,
    Actor,
    find_actor,
    generate_token,
    hash_link_use,
    hash_token,
    make_cookie,
    make_cookie_name,
    make_deletion_cookies,
)
from isegoria.service.request_context import RequestContext
from isegoria.service.store import SessionRow, Store, Transaction
from isegoria.utils.messages import Message

MAX_SESSIONS_PER_PERSON = 20
"""Maximum number of sessions of one person; a further one ends the least recently used session."""


def open_session(context: RequestContext) -> Reply:
    """Exchange the token of a private link for a session of this device; raise `Unauthorized` for a wrong token."""
    request, body = context.request, context.body
    with context.store.reading() as session:
        found = _find_link_owner(session, request, body["token"])
    token, now = None, context.now
    if found is not None:
        with context.store.writing() as session:
            session.group(request.group, lock=True)  # a link that is being reissued must not open a session
            if _find_link_owner(session, request, body["token"]) == found:
                session.used(hash_token(body["token"]), now)
                if found.role == ROLE_MEMBER:
                    session.drop_unopened(found.group, found.number)
                token = start_session(session, request, found.group, found.role, found.number, now, found.how)
    if found is None or token is None:
        context.authenticator.count_failed_token(request)
        raise Unauthorized(Message("token_not_valid"))
    answer = make_json_reply({"group": found.group, "role": found.role, "number": found.number})
    return replace(answer, cookies=(make_cookie(found.group, token, request.https, found.role),))


def _find_link_owner(session: Transaction, request: Request, token: str) -> Actor | None:
    """Return the actor of a private link of this group; None for a join link or an unknown token."""
    found = find_actor(session, token)
    return found if found is not None and found.group == request.group and found.role != ROLE_JOIN else None


def start_session(
    session: Transaction, request: Request, group: str, role: str, number: int, now: int, how: str = PROVENANCE_LINK
) -> str:
    """Create a session for the device that sends the request, inside a transaction, and return its token.

    `how` says how the device was let in.

    At most `MAX_SESSIONS_PER_PERSON` sessions of the person remain: those not used for longest are ended.
    """
    token, rows = generate_token(), session.sessions(group, role, number)
    for row in sorted(rows, key=lambda row: row.seen)[: max(0, len(rows) - MAX_SESSIONS_PER_PERSON + 1)]:
        session.end_session(row.hash)
    place = 1 + max((row.place for row in rows), default=0)
    label = describe_device(request.headers.get("user-agent", ""))
    session.add_session(SessionRow(hash_token(token), group, role, number, place, label, now, now, how))
    add_security_event(session, group, "link used", now, (role, number))
    return token


def close_session(context: RequestContext) -> Reply:
    """End the sessions of this device in the group; its links remain valid."""
    request = context.request
    names = [make_cookie_name(request.group, request.https, role) for role in (ROLE_MEMBER, ROLE_ORGANISER)]
    held = [token for name in names if (token := request.cookies.get(name))]
    if held:
        with context.store.writing() as session:
            for token in held:
                session.end_session(hash_token(token))
    return replace(
        make_json_reply({"group": request.group}), cookies=make_deletion_cookies(request.group, request.https)
    )


def list_devices(context: RequestContext) -> Reply:
    """Return the actor's devices: when each session began, and the day of its last use."""
    actor = context.require_actor()
    return make_json_reply({"devices": load_devices(context.store, actor)})


def load_devices(store: Store, actor: Actor) -> list[dict[str, Any]]:
    """Return the sessions of an actor, newest first; `this` marks the one that sends the request."""
    with store.reading() as session:
        rows = session.sessions(actor.group, actor.role, actor.number)
    own = hash_token(actor.token)
    return [
        {
            "place": row.place,
            "label": row.label,
            "how": row.how,
            "begun": row.begun,
            "seen": row.seen,
            "this": row.hash == own,
        }
        for row in sorted(rows, key=lambda row: -row.place)
    ]


def end_device(context: RequestContext) -> Reply:
    """End the session of one of the actor's devices; raise `NotFound` if it has none.

    Where the device used the link itself, the link ends too.
    """
    actor, body = context.require_actor(), context.body
    with context.store.writing() as session:
        rows = session.sessions(actor.group, actor.role, actor.number)
        found = next((row for row in rows if row.place == body["place"]), None)
        if found is None:
            raise NotFound(Message("device_no_session_any"))
        session.end_session(found.hash)
        for row in session.tokens(actor.group):
            if hash_link_use(row.hash) == found.hash:
                session.end_token(row.hash)
    return make_json_reply({"place": body["place"], "ended": True})
