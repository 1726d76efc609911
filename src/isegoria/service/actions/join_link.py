"""Join link, one for the whole group: people open it and choose their name, which signs in their device."""

from __future__ import annotations

from typing import Any

from isegoria.record.state.group import Group
from isegoria.service.actions.device_sessions import start_session
from isegoria.service.http.http_errors import Conflict, NotFound, TooManyRequests, Unauthorized
from isegoria.service.http.origin import to_client_network
from isegoria.service.http.request import Reply, Request, make_json_reply
from isegoria.service.http.tokens import (
    PROVENANCE_JOIN,
    ROLE_JOIN,
    ROLE_MEMBER,
    TOKEN_PATTERN,
    generate_token,
    hash_token,
    make_cookie,
    make_cookie_name,
    make_taken_row,
)
from isegoria.service.request_context import RequestContext
from isegoria.service.store import Transaction
from isegoria.utils.messages import Message

JOIN_ATTEMPT_LIMIT = (10, 10 / 3600)
"""Rate limit of wrong join tokens per address and group: attempts at once, and attempts per second (10 an hour). A
right token is looked at first and never refused, since a whole class may share one address with whoever guesses."""

OBJECTION_LIMIT = (10, 10 / 3600)
"""Rate limit of objections per address and group: at once, and per second (10 an hour)."""
OBJECTION_COOKIE = "objection"
"""The role in the name of the cookie by which a device that objected is known again."""


def list_join_names(context: RequestContext) -> Reply:
    """Return the names of a group and which of them are taken since when; the body must have the join link's token."""
    request, body = context.request, context.body
    held = [one.number for one in context.authenticator.find_session_actors(request) if one.role == ROLE_MEMBER]
    with context.groups.reading(request.group) as (group, session):
        _validate_join_token(context, session, request, body["token"])
        gone = find_taken_names(session, request.group)
        people = [
            {"number": number, "name": group.name(number), "taken": number in gone, "since": gone.get(number)}
            for number in group.members
        ]
        return make_json_reply({"title": group.terms["title"], "people": people, "yours": held[0] if held else None})


def claim_name(context: RequestContext) -> Reply:
    """Take a free name for this device; do nothing if the device already has that name.

    Raise `Conflict` if the name is taken on another device and was not freed, or if this device has another name.
    """
    request, body = context.request, context.body
    number = body["member"]
    mine = [one for one in context.authenticator.find_session_actors(request) if one.role == ROLE_MEMBER]
    with context.groups.reading(request.group) as (group, session):
        _validate_join_token(context, session, request, body["token"])
        if number not in group.members:
            raise NotFound(Message("nobody_name_group_any"))
        name = group.name(number)
    answer = {"group": request.group, "role": ROLE_MEMBER, "number": number}
    if mine and mine[0].number == number:
        return make_json_reply(answer)
    if mine:
        raise Conflict(Message("device_another_name_group"))
    now = context.now
    with context.store.writing() as session:
        session.group(request.group, lock=True)  # of several who tap a name at once, one gets it
        free = number not in find_taken_names(session, request.group)
        token = None
        if free:
            session.drop_unopened(request.group, number)  # a private link or a letter that came too late is void
            session.add_tokens([make_taken_row(request.group, number, now)])
            token = start_session(session, request, request.group, ROLE_MEMBER, number, now, PROVENANCE_JOIN)
    if token is None:
        raise Conflict(Message("taken_another_device", name=name))
    return Reply(make_json_reply(answer).body, cookies=(make_cookie(request.group, token, request.https),))


def object_to_name(context: RequestContext) -> Reply:
    """Note that the owner of a taken name says that it was another device: once for each device, for all to see.

    Raise `Conflict` if the name is free.
    """
    request, number, now = context.request, context.body["member"], context.now
    with context.groups.reading(request.group) as (group, session):
        _validate_join_token(context, session, request, context.body["token"])
        if number not in group.members:
            raise NotFound(Message("nobody_name_group_any"))
        if number not in find_taken_names(session, request.group):
            raise Conflict(Message("name_is_free", name=group.name(number)))
    if (wait := context.limits.objections.take(f"{to_client_network(request.address)} {request.group}")) > 0:
        raise TooManyRequests(Message("too_many_objections"), {"retry-after": str(int(wait) + 1)})
    name = make_cookie_name(request.group, request.https, OBJECTION_COOKIE)
    device = request.cookies.get(name) or generate_token()
    with context.store.writing() as session:
        session.group(request.group, lock=True)
        session.add_objection(request.group, number, hash_token(device), now)
    cookie = make_cookie(request.group, device, request.https, OBJECTION_COOKIE)
    return Reply(make_json_reply({"member": number, "objected": True}).body, cookies=(cookie,))


def list_objections(session: Transaction, group: Group) -> list[dict[str, Any]]:
    """Return for each name that was taken wrongly, as somebody says: since when, how many devices say so, and when."""
    taken = find_taken_names(session, group.address)
    found: dict[int, dict[str, Any]] = {}
    for number, _, at in session.objections(group.address):
        if number in group.members and number in taken:
            entry = found.setdefault(number, {"member": number, "name": group.name(number), "since": taken[number]})
            entry |= {"devices": entry.get("devices", 0) + 1, "at": entry.get("at", at)}
    return list(found.values())


def find_taken_names(session: Transaction, group: str) -> dict[int, int]:
    """Return since when each name that is not free is taken: since a device was first let in by any link."""
    taken: dict[int, int] = {}
    for row in session.tokens(group):
        if row.role == ROLE_MEMBER and row.used is not None:
            taken[row.number] = min(row.used, taken.get(row.number, row.used))
    return taken


def _validate_join_token(context: RequestContext, session: Transaction, request: Request, token: str) -> None:
    """Raise `Unauthorized` if the token is not that of the group's join link, and count it against the rate limit."""
    row = session.token(hash_token(token)) if TOKEN_PATTERN.fullmatch(token) else None
    if row is None or row.role != ROLE_JOIN or row.group != request.group:
        wait = context.limits.join_attempts.take(f"{to_client_network(request.address)} {request.group}")
        if wait > 0:
            raise TooManyRequests(Message("too_many_join_links_tried"), {"retry-after": str(int(wait) + 1)})
        raise Unauthorized(Message("join_link_not_good_any"))
