"""Sessions: what a device gets for a link. Each is its own token, is listed for whoever it is of, and ends apart."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from isegoria.service.http.refusals import NotFound, Unauthorized
from isegoria.service.http.request import Reply, Request, json_reply
from isegoria.service.http.tokens import (
    JOIN,
    MEMBER,
    ORGANISER,
    Actor,
    actor_of,
    cookie,
    cookie_name,
    new_token,
    no_cookies,
    token_hash,
)
from isegoria.service.store import Session, SessionRow

if TYPE_CHECKING:
    from isegoria.service.app import Service

UNUSED = 90 * 86400
"""Seconds after which a session that nobody used has ended."""
OFTEN = 86400
"""Seconds in which the use of a session is noted once."""
MOST = 20
"""Sessions of one person; another one ends the one that was not used for longest."""
BROWSERS = (("Firefox", "Firefox"), ("Edg", "Edge"), ("OPR", "Opera"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
           ("Linux", "Linux"))  # fmt: skip


def device_label(agent: str) -> str:
    """A device as its owner knows it, and no more than that: the browser and the system.

    >>> device_label("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0")
    'Firefox, Android'
    """
    found = [next((name for mark, name in known if re.search(mark, agent)), "") for known in (BROWSERS, SYSTEMS)]
    return ", ".join(filter(None, found)) or "a program"


def actor_of_cookie(session: Session, token: str, now: int) -> tuple[Actor, SessionRow] | None:
    """Whose session this token is of, if it has not ended."""
    row = session.session_of(token_hash(token))
    if row is None or now - row.seen > UNUSED:
        return None
    return Actor(row.group, row.role, row.number, token), row


def open_session(
    service: Service, request: Request, actor: Actor | None, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """Change the secret of a private link for a session of this device."""
    with service.store.reading() as session:
        found = _whose(session, request, body["token"])
    token, now = None, int(service.groups.clock())
    if found is not None:
        with service.store.writing() as session:
            session.group(request.group, lock=True)  # a link that is being issued again opens nothing any more
            if _whose(session, request, body["token"]) == found:
                session.used(token_hash(body["token"]), now)
                token = begin(session, request, found.group, found.role, found.number, now)
    if found is None or token is None:
        service.wrong_guess(request)
        raise Unauthorized(
            "this link is not good here; it may have been issued again. Ask your organiser for a new one."
        )
    answer = json_reply({"group": found.group, "role": found.role, "number": found.number})
    return replace(answer, cookies=(cookie(found.group, token, request.https, found.role),))


def _whose(session: Session, request: Request, token: str) -> Actor | None:
    """Whose private link of this group has this token; a join link is nobody's."""
    found = actor_of(session, token)
    return found if found is not None and found.group == request.group and found.role != JOIN else None


def begin(session: Session, request: Request, group: str, role: str, number: int, now: int) -> str:
    """The token of a new session of somebody, inside a transaction: for the device that asks."""
    token, rows = new_token(), session.sessions(group, role, number)
    for row in sorted(rows, key=lambda row: row.seen)[: max(0, len(rows) - MOST + 1)]:
        session.end_session(row.hash)
    place = 1 + max((row.place for row in rows), default=0)
    label = device_label(request.headers.get("user-agent", ""))
    session.add_session(SessionRow(token_hash(token), group, role, number, place, label, now, now))
    return token


def close_session(
    service: Service, request: Request, actor: Actor | None, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """End the sessions of this device in the group; its links stay good."""
    names = [cookie_name(request.group, request.https, role) for role in (MEMBER, ORGANISER)]
    held = [token for name in names if (token := request.cookies.get(name))]
    if held:
        with service.store.writing() as session:
            for token in held:
                session.end_session(token_hash(token))
    return replace(json_reply({"group": request.group}), cookies=no_cookies(request.group, request.https))


def devices(service: Service, request: Request, actor: Actor) -> Reply:
    """Your devices: which have a session, since when, and when each was last used (to a day)."""
    return json_reply({"devices": listed(service, actor)})


def listed(service: Service, actor: Actor) -> list[dict[str, Any]]:
    """The sessions of an actor, newest first; `this` is the one that asks."""
    with service.store.reading() as session:
        rows = session.sessions(actor.group, actor.role, actor.number)
    own = token_hash(actor.token)
    return [
        {"place": row.place, "label": row.label, "begun": row.begun, "seen": row.seen, "this": row.hash == own}
        for row in sorted(rows, key=lambda row: -row.place)
    ]


def end_device(
    service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """End the session of one of your devices."""
    with service.store.writing() as session:
        rows = session.sessions(actor.group, actor.role, actor.number)
        found = next((row for row in rows if row.place == body["place"]), None)
        if found is None:
            raise NotFound("this device has no session any more.")
        session.end_session(found.hash)
    return json_reply({"place": body["place"], "ended": True})
