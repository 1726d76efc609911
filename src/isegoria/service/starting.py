"""Where a group begins: the form, and its maker logged in at once, as organiser and, if she takes part, as member."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from isegoria.errors import IsegoriaError
from isegoria.record.turns.modes import MODES
from isegoria.service.creating import creator, made_before, made_group
from isegoria.service.devices import begin
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.forms import Fields, form_fields, lines, real, text, whole
from isegoria.service.http.refusals import Unauthorized
from isegoria.service.http.request import Reply, Request, check_origin, digest
from isegoria.service.http.tokens import MEMBER, ORGANISER, cookie
from isegoria.service.rendering import html
from isegoria.service.sources import offered
from isegoria.service.timetable import RECURRENCES

if TYPE_CHECKING:
    from isegoria.service.app import Service

NEW = {
    "title": "", "arms": "", "members": "", "me": "", "learner": "", "ballot": "", "source": "", "privacy": "ballots",
    "join": "", "recurrence": "", "time": "12:00", "zone": "", "low": "0", "high": "5", "block": "", "start": "",
    "used_up": "",
}  # fmt: skip
FIELDS = (*NEW, "scale", "timetable")
PARTED = re.compile(r"[,;\t]")


def home(
    service: Service, request: Request, given: Fields | None = None, refused: IsegoriaError | None = None
) -> Reply:
    """Where a group is made; after a refusal with everything that was typed."""
    kept = NEW | {name: values[0] for name, values in (given or {}).items() if name in NEW}
    status = 200 if refused is None else getattr(refused, "status", 400)
    return html(
        request, "home.html", status, key=secrets.token_urlsafe(12), closed=service.settings.closed, kept=kept,
        sources=offered(service.settings.relay), recurrences=RECURRENCES,
        refused=None if refused is None else str(refused), wrong_field=field_of(refused),
    )  # fmt: skip


def field_of(refused: IsegoriaError | None) -> str:
    """The field of the form that a refusal speaks of, by its first word; empty where it speaks of none."""
    named = re.match(r"[a-z_]+", "" if refused is None else str(refused))
    return named[0] if named and named[0] in FIELDS else ""


def new_group(service: Service, request: Request) -> Reply:
    """Make a group from the form, and lead on to its links; or show the form again, and why."""
    given = form_fields(request)
    check_origin(request.headers, request.host, request.https, form=True)
    try:
        return first_links(service, request, given)
    except IsegoriaError as error:
        return home(service, request, given, error)


def first_links(service: Service, request: Request, given: Fields) -> Reply:
    """A new group made from a form that is in order: this device is its organiser's, and the next page has the links.

    The same form again, by a double tap or a reload, makes no second group, and leads to the first.
    """
    actor = None
    if service.settings.closed:
        actor = service.starting(text(given, "start"))
        if actor is None:
            service.wrong_guess(request)
            raise Unauthorized("this server is closed; whoever runs it has the start link.")
    body = NEW_GROUP.check(new_group_body(given, service.settings.relay))
    key, body_digest = (text(given, "key") or "")[:200], digest("POST", "/new", body)
    with service.store.reading() as session:
        name = made_before(session, creator(request, actor), key, body_digest)
    if name is None:
        name = made_group(service, request, actor, body, key, body_digest).row.id
    kept = _sessions(service, request, name, body["me"])
    return Reply(b"", 303, headers={"location": f"/g/{name}/links"}, cookies=kept)


def _sessions(service: Service, request: Request, name: str, me: str | None) -> tuple[str, ...]:
    """The cookies that log its maker in, while nobody has opened her links elsewhere. Her own name is taken hereby."""
    with service.groups.reading(name) as (state, session):
        hers = {(MEMBER, number) for number in state.members if me is not None and state.name(number) == me}
        rows = [row for row in session.tokens(name) if (row.role, row.number) in hers | {(ORGANISER, 0)}]
    with service.store.writing() as session:
        now = int(service.groups.clock())
        for row in rows:
            if row.role == MEMBER and row.used is None:
                session.used(row.hash, now, hides=False)
        unopened = [row for row in rows if row.secret is not None]
        begun = [(row.role, begin(session, request, name, row.role, row.number, now)) for row in unopened]
    return tuple(cookie(name, token, request.https, role) for role, token in begun)


def new_group_body(given: Fields, relay: str | None) -> dict[str, Any]:
    """The body of a new group, with its maker among the people where she says that she takes part."""
    me, members = text(given, "me"), people(given, "members")
    if me is not None and me not in members:
        members = [me, *members]
    body: dict[str, Any] = {
        "title": text(given, "title") or "", "arms": people(given, "arms"), "members": members, "me": me,
        "source": offered(relay)[0], "join": text(given, "join") != "no",
    }  # fmt: skip
    if (mode := text(given, "learner")) in MODES:
        body["turns"] = {"mode": mode, "used_up": text(given, "used_up") == "yes"}
        given = {name: values for name, values in given.items() if name != "learner"}
    for name in ("privacy", "source", "learner", "ballot"):
        if text(given, name):
            body[name] = text(given, name)
    if text(given, "recurrence"):
        times = {"recurrence": text(given, "recurrence"), "time": text(given, "time"), "zone": text(given, "zone")}
        body["timetable"] = {name: value for name, value in times.items() if value is not None}
    low, high = real(given, "low"), real(given, "high")
    return body | {"block": whole(given, "block"), "scale": [0 if low is None else low, 5 if high is None else high]}


def people(given: Fields, name: str) -> list[str]:
    """The names in a field: one a line, or with commas between them on one line; one that stands twice counts once.

    >>> people({"members": ["Ann, Bob; Cem,"]}, "members"), people({"members": ["Lee, Ann\\nOak, Bob"]}, "members")
    (['Ann', 'Bob', 'Cem'], ['Lee, Ann', 'Oak, Bob'])
    """
    found = lines(given, name)
    parted = [part.strip() for part in PARTED.split(found[0]) if part.strip()] if len(found) == 1 else found
    return list(dict.fromkeys(parted))
