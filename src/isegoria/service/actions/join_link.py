"""Join link, one for the whole group: people open it and choose their name, which signs in their device."""

from __future__ import annotations

from isegoria.record.state.group import Group
from isegoria.service.actions.device_sessions import start_session
from isegoria.service.http.http_errors import Conflict, NotFound, TooManyRequests, Unauthorized
from isegoria.service.http.origin import to_client_network
from isegoria.service.http.request import Reply, Request, make_json_reply
from isegoria.service.http.tokens import ROLE_JOIN, ROLE_MEMBER, TOKEN_PATTERN, hash_token, make_cookie
from isegoria.service.request_context import RequestContext
from isegoria.service.store import Transaction
from isegoria.utils.messages import Message

JOIN_ATTEMPT_LIMIT = (10, 10 / 3600)
"""Rate limit of wrong join tokens per address and group: attempts at once, and attempts per second (10 an hour). A
right token is looked at first and never refused, since a whole class may share one address with whoever guesses."""


def list_join_names(context: RequestContext) -> Reply:
    """Return the names of a group and which of them are taken since when; the body must have the join link's token."""
    request, body = context.request, context.body
    held = [one.number for one in context.authenticator.find_session_actors(request) if one.role == ROLE_MEMBER]
    with context.groups.reading(request.group) as (group, session):
        _validate_join_token(context, session, request, body["token"])
        gone = find_taken_names(session, group)
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
        free = session.take(request.group, ROLE_MEMBER, number, now) is not None
        token = start_session(session, request, request.group, ROLE_MEMBER, number, now) if free else None
    if token is None:
        raise Conflict(Message("taken_another_device", name=name))
    return Reply(make_json_reply(answer).body, cookies=(make_cookie(request.group, token, request.https),))


def find_taken_names(session: Transaction, group: Group) -> dict[int, int | None]:
    """Return the members whose names are not free, by number, with the time when their link was opened, if known."""
    rows = {row.number: row for row in session.tokens(group.address) if row.role == ROLE_MEMBER}
    open_ = {number for number, row in rows.items() if row.secret is not None and row.used is None}
    return {number: rows[number].used if number in rows else None for number in group.members if number not in open_}


def _validate_join_token(context: RequestContext, session: Transaction, request: Request, token: str) -> None:
    """Raise `Unauthorized` if the token is not that of the group's join link, and count it against the rate limit."""
    row = session.token(hash_token(token)) if TOKEN_PATTERN.fullmatch(token) else None
    if row is None or row.role != ROLE_JOIN or row.group != request.group:
        wait = context.limits.join_attempts.take(f"{to_client_network(request.address)} {request.group}")
        if wait > 0:
            raise TooManyRequests(Message("too_many_join_links_tried"), {"retry-after": str(int(wait) + 1)})
        raise Unauthorized(Message("join_link_not_good_any"))
