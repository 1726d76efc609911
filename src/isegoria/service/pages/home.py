"""The form for a new group; its creator is signed in at once as organiser and, if they take part, as member."""

from __future__ import annotations

import re
import secrets
from typing import Any

from isegoria.errors import IsegoriaError
from isegoria.record.turns.modes import TURN_MODES
from isegoria.service.actions.device_sessions import start_session
from isegoria.service.actions.group_creation import find_created_group, get_creator_id, store_new_group
from isegoria.service.actions.join_link import find_taken_names
from isegoria.service.actions.randomness_source import list_offered_sources
from isegoria.service.api.body_schemas import NEW_GROUP_SCHEMA
from isegoria.service.api.form_bodies import get_integer, get_lines, get_number, get_text
from isegoria.service.api.routing import FormData, make_action_context
from isegoria.service.groups.timetable import RECURRENCE_NAMES
from isegoria.service.http.http_errors import Unauthorized
from isegoria.service.http.origin import validate_origin
from isegoria.service.http.request import Reply
from isegoria.service.http.tokens import PROVENANCE_JOIN, ROLE_MEMBER, ROLE_ORGANISER, make_cookie, make_taken_row
from isegoria.service.pages.forms import parse_form
from isegoria.service.pages.rendering import render_page
from isegoria.service.request_context import RequestContext
from isegoria.utils.messages import FieldPath, Message

NEW_GROUP_DEFAULTS = {
    "title": "",
    "arms": "",
    "members": "",
    "me": "",
    "kind": "lunch",
    "learner": "lottery",
    "ballot": "",
    "source": "",
    "privacy": "ballots",
    "join": "",
    "recurrence": "weekdays",
    "time": "12:00",
    "zone": "",
    "low": "0",
    "high": "5",
    "block": "",
    "start": "",
    "single_use": "",
}
NEW_GROUP_FIELDS = (*NEW_GROUP_DEFAULTS, "scale", "timetable")
GROUP_KINDS = {
    "lunch": {"learner": "lottery", "recurrence": "weekdays", "single_use": ""},
    "films": {"learner": "lottery", "recurrence": "weekly", "single_use": "yes"},
    "once": {"learner": "known", "recurrence": "hand", "single_use": ""},
    "chores": {"learner": "lottery", "recurrence": "weekly", "single_use": ""},
}
"""The cards with which a group starts, and what each sets."""
NAME_SEPARATORS = re.compile(r"[,;\t]")


def render_home(context: RequestContext, given: FormData | None = None, refused: IsegoriaError | None = None) -> Reply:
    """Render the form for a new group; after an error, with everything that was entered."""
    request = context.request
    kept = NEW_GROUP_DEFAULTS | {
        name: values[0] for name, values in (given or {}).items() if name in NEW_GROUP_DEFAULTS
    }
    status = 200 if refused is None else getattr(refused, "status", 400)
    return render_page(
        request,
        "home.html",
        status,
        key=secrets.token_urlsafe(12),
        closed=context.settings.closed,
        kept=kept,
        sources=list_offered_sources(context.settings.relay),
        recurrences=RECURRENCE_NAMES,
        kinds=GROUP_KINDS,
        refused=None if refused is None else refused.message,
        wrong_field=find_error_field(refused),
    )


def find_error_field(error: IsegoriaError | None) -> str:
    """Return the form field that an error is about, or ""."""
    message = None if error is None else error.message
    field = message.values.get("field") if isinstance(message, Message) else None
    return field.root if isinstance(field, FieldPath) and field.root in NEW_GROUP_FIELDS else ""


def submit_new_group(context: RequestContext) -> Reply:
    """Create a group from the form and redirect to its links; on an error, render the form with the message."""
    request = context.request
    given = parse_form(request)
    validate_origin(request.headers, request.host, request.https, form=True)
    try:
        return create_and_sign_in(context, given)
    except IsegoriaError as error:
        return render_home(context, given, error)


def create_and_sign_in(context: RequestContext, given: FormData) -> Reply:
    """Create a group from a form, sign this device in as its organiser, and redirect to the page of links.

    Sending the same form again, by a double tap or a reload, creates no second group and redirects to the first one.
    """
    request = context.request
    actor = None
    if context.settings.closed:
        actor = context.authenticator.authenticate_start_token(get_text(given, "start"))
        if actor is None:
            context.authenticator.count_failed_token(request)
            raise Unauthorized(Message("server_closed"))
    body = NEW_GROUP_SCHEMA.check(build_new_group_body(given, context.settings.relay))
    context = make_action_context(context, actor, body, (get_text(given, "key") or "")[:200])
    with context.store.reading() as session:
        name = find_created_group(session, get_creator_id(request, actor), context.key, context.body_digest)
    if name is None:
        name = store_new_group(context).row.id
    kept = _start_sessions(context, name, body["me"])
    return Reply(b"", 303, headers={"location": f"/g/{name}/links"}, cookies=kept)


def _start_sessions(context: RequestContext, name: str, me: str | None) -> tuple[str, ...]:
    """Begin sessions for the creator, while nobody else has taken their roles, and return the cookies.

    The creator's own member name is marked as taken. A reload of the form begins no session once a link was opened.
    """
    request, now = context.request, context.now
    with context.groups.reading(name) as (state, _):
        own = [number for number in state.members if me is not None and state.name(number) == me]
    begun = []
    with context.store.writing() as session:
        taken = find_taken_names(session, name)
        rows = [row for row in session.tokens(name) if row.role == ROLE_ORGANISER]
        if not any(row.used is None for row in rows):
            return ()
        begun.append((ROLE_ORGANISER, start_session(session, request, name, ROLE_ORGANISER, 0, now)))
        for number in own:
            if number not in taken:
                session.add_tokens([make_taken_row(name, number, now)])
            begun.append(
                (ROLE_MEMBER, start_session(session, request, name, ROLE_MEMBER, number, now, PROVENANCE_JOIN))
            )
    return tuple(make_cookie(name, token, request.https, role) for role, token in begun)


def build_new_group_body(given: FormData, relay: str | None) -> dict[str, Any]:
    """Return the body of a new group; a creator who takes part is added to the members."""
    me, members = get_text(given, "me"), parse_names(given, "members")
    if me is not None and me not in members:
        members = [me, *members]
    body: dict[str, Any] = {
        "title": get_text(given, "title") or "",
        "arms": parse_names(given, "arms"),
        "members": members,
        "me": me,
        "source": list_offered_sources(relay)[0],
        "join": get_text(given, "join") != "no",
        "once": get_text(given, "kind") == "once",
    }
    if get_text(given, "learner") == "known":
        given = {name: values for name, values in given.items() if name != "learner"}
    if body["once"] and get_text(given, "learner") is None:
        given = given | {"block": ["1"]}
    if (mode := get_text(given, "learner")) in TURN_MODES:
        body["turns"] = {"mode": mode, "single_use": get_text(given, "single_use") == "yes"}
        given = {name: values for name, values in given.items() if name != "learner"}
    for name in ("privacy", "source", "learner", "ballot"):
        if get_text(given, name):
            body[name] = get_text(given, name)
    if get_text(given, "recurrence") not in (None, "hand"):
        times = {
            "recurrence": get_text(given, "recurrence"),
            "time": get_text(given, "time"),
            "zone": get_text(given, "zone"),
        }
        body["timetable"] = {name: value for name, value in times.items() if value is not None}
    low, high = get_number(given, "low"), get_number(given, "high")
    return body | {
        "block": get_integer(given, "block"),
        "scale": [0 if low is None else low, 5 if high is None else high],
    }


def parse_names(given: FormData, name: str) -> list[str]:
    """Return the distinct names in a field, one per line or separated by commas on a single line.

    >>> parse_names({"members": ["Ann, Bob; Cem,"]}, "members"), parse_names({"members": ["Lee, Ann\\nOak, Bob"]},
    ... "members")
    (['Ann', 'Bob', 'Cem'], ['Lee, Ann', 'Oak, Bob'])
    """
    found = get_lines(given, name)
    parted = [part.strip() for part in NAME_SEPARATORS.split(found[0]) if part.strip()] if len(found) == 1 else found
    return list(dict.fromkeys(parted))
