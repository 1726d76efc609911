"""The join link: one for everybody. Whoever opens it sees the names, taps hers, and that device is hers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isegoria.record.group import Group
from isegoria.service.devices import begin
from isegoria.service.http.refusals import Conflict, NotFound, TooManyRequests, Unauthorized
from isegoria.service.http.request import Reply, Request, json_reply, place_of
from isegoria.service.http.tokens import JOIN, MEMBER, TOKEN, cookie, token_hash
from isegoria.service.rendering import html
from isegoria.service.store import Session

if TYPE_CHECKING:
    from isegoria.service.app import Service
    from isegoria.service.http.tokens import Actor

TRIES = (10, 10 / 3600)
"""Tries that may fail from one address: so many at once, and so many an hour. One that succeeds costs nothing, since a
whole class may sit behind one address; there are no more of those than free names."""


def names(
    service: Service, request: Request, actor: Actor | None, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """The names of a group, and which of them are taken: for whoever has its join link."""
    held = [one.number for one in service.holders(request) if one.role == MEMBER]
    with service.groups.reading(request.group) as (group, session):
        _check(service, session, request, body["token"])
        gone = taken(session, group)
        people = [{"number": number, "name": group.name(number), "taken": number in gone} for number in group.members]
        return json_reply({"title": group.terms["title"], "people": people, "yours": held[0] if held else None})


def take(
    service: Service, request: Request, actor: Actor | None, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """Take a free name for this device; a taken one only from the device that has it, or once it was freed."""
    number = body["member"]
    mine = [one for one in service.holders(request) if one.role == MEMBER]
    with service.groups.reading(request.group) as (group, session):
        _check(service, session, request, body["token"])
        if number not in group.members:
            raise NotFound("nobody of that name is in the group any more; open the link again.")
        name = group.name(number)
    answer = {"group": request.group, "role": MEMBER, "number": number}
    if mine and mine[0].number == number:
        return json_reply(answer)
    if mine:
        raise Conflict("this device has another name in this group; let it forget that one first.")
    now = int(service.groups.clock())
    with service.store.writing() as session:
        free = session.take(request.group, MEMBER, number, now) is not None
        token = begin(session, request, request.group, MEMBER, number, now) if free else None
    if token is None:
        _count(service, request)
        raise Conflict(f"{name} is taken on another device. If that is wrong, the organiser can free the name.")
    return Reply(json_reply(answer).body, cookies=(cookie(request.group, token, request.https),))


def taken(session: Session, group: Group) -> dict[int, int | None]:
    """The members whose link was opened, by number, and when: their names are not free."""
    rows = {row.number: row for row in session.tokens(group.address) if row.role == MEMBER}
    open_ = {number for number, row in rows.items() if row.secret is not None and row.used is None}
    return {number: rows[number].used if number in rows else None for number in group.members if number not in open_}


SKELETON = 30  # names whose places are kept while they come: more than a screen has


def join(service: Service, request: Request) -> Reply:
    """The page that the join link opens; the names come once its script has sent what stands behind the #."""
    with service.groups.reading(request.group) as (group, _):
        title, places = group.terms["title"], min(len(group.members), SKELETON)
    return html(request, "join.html", title=title, group=request.group, places=places)


def _check(service: Service, session: Session, request: Request, token: str) -> None:
    """Refuse what is not the join link of this group; wrong ones are counted."""
    if service.join_tries.wait(place_of(request.address)) > 0:
        _refuse(service, request)
    row = session.token(token_hash(token)) if TOKEN.fullmatch(token) else None
    if row is None or row.role != JOIN or row.group != request.group:
        _count(service, request)
        raise Unauthorized("this join link is not good any more; ask your organiser for the new one.")


def _count(service: Service, request: Request) -> None:
    if service.join_tries.take(place_of(request.address)) > 0:
        _refuse(service, request)


def _refuse(service: Service, request: Request) -> None:
    wait = int(service.join_tries.wait(place_of(request.address))) + 1
    raise TooManyRequests(
        "too many names or join links were tried from this address; wait, or ask your organiser for a private link.",
        {"retry-after": str(wait)},
    )
