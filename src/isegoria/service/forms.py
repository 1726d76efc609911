"""From the fields of a form to the body of a route: one row for each form."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from isegoria.service.endpoints import ENDPOINTS, GROUP
from isegoria.service.http.refusals import BadBody
from isegoria.service.routing import Endpoint

Fields = dict[str, list[str]]


class Form(NamedTuple):
    """A form: its name in the address, the route it stands for, how its body is made, and the page after it."""

    name: str
    endpoint: Endpoint
    body: Callable[[Fields, object, object], dict]
    leads_to: str = ""


def text(given: Fields, name: str) -> str | None:
    """A field's text, or None where it is empty."""
    return (given.get(name) or [""])[0].strip() or None


def whole(given: Fields, name: str) -> int | None:
    """A field's whole number, or None where it is empty."""
    said = text(given, name)
    try:
        return None if said is None else int(said)
    except ValueError:
        raise BadBody(f"{name} is {said[:20]!r}; expected a whole number.") from None


def real(given: Fields, name: str) -> float | None:
    """A field's number, with a point or a comma, or None where it is empty."""
    said = text(given, name)
    try:
        value = None if said is None else float(said.replace(",", "."))
    except ValueError:
        raise BadBody(f"{name} is {said[:20]!r}; expected a number.") from None
    return int(value) if value is not None and value.is_integer() else value


def lines(given: Fields, name: str) -> list[str]:
    """The lines of a field that are not empty."""
    return [line.strip() for line in (given.get(name) or [""])[0].splitlines() if line.strip()]


def new_group_body(given: Fields) -> dict:
    """The body of a new group."""
    body = {"title": text(given, "title") or "", "arms": lines(given, "arms"), "members": lines(given, "members")}
    for name in ("privacy", "source", "learner"):
        if text(given, name):
            body[name] = text(given, name)
    low, high = real(given, "low"), real(given, "high")
    return body | {"block": whole(given, "block"), "scale": [0 if low is None else low, 5 if high is None else high]}


def _rating(given: Fields, service, asked) -> dict:
    with service.desk.reading(asked.group) as (state, _):
        names = list(state.arms)
    values = {}
    for field in given:
        if field.startswith("arm") and field[3:].isdigit() and int(field[3:]) < len(names):
            values[names[int(field[3:])]] = real(given, field)
    return {"round": whole(given, "round"), "slot": whole(given, "slot"), "values": values}


def _plain(**kinds) -> Callable:
    """A body made of single fields; those left empty are left out."""

    def body(given: Fields, service, asked) -> dict:
        found = {name: kind(given, name) for name, kind in kinds.items()}
        return {name: value for name, value in found.items() if value is not None}

    return body


def _timetable(given: Fields, service, asked) -> dict:
    if text(given, "recurrence") is None:
        return {"timetable": None}
    return {"timetable": _plain(recurrence=text, time=text, zone=text, lead=whole)(given, service, asked)}


def _settings(given: Fields, service, asked) -> dict:
    return {
        "webhook": text(given, "webhook"),
        "retention": whole(given, "retention"),
        "note": text(given, "note") or "",
        "waiting": text(given, "waiting") == "yes",
    }


def _mask(given: Fields, service, asked) -> dict:
    return {"unavailable": given.get("arm", [])}


def _row(path: str) -> Endpoint:
    return next(row for row in ENDPOINTS if row.method == "POST" and row.path == f"{GROUP}/{path}")


FORMS = {
    form.name: form
    for form in [
        Form("rate", _row("ratings"), _rating),
        Form("leave", _row("leave"), _plain()),
        Form("forget", _row("session/end"), _plain()),
        Form("freeze", _row("freeze"), _plain(event=text), "/organise"),
        Form("draw", _row("draw"), _plain(value=text, missing=text), "/organise"),
        Form("void", _row("void"), _plain(reason=text), "/organise"),
        Form("override", _row("override"), _plain(round=whole, slot=whole, arm=text, reason=text), "/organise"),
        Form("option", _row("options"), _plain(name=text), "/organise"),
        Form("mask", _row("mask"), _mask, "/organise"),
        Form("timetable", _row("timetable"), _timetable, "/organise"),
        Form("join", _row("people"), _plain(name=text), "/organise"),
        Form("remove", _row("people/leave"), _plain(member=whole), "/organise"),
        Form("erase", _row("people/erase"), _plain(member=whole), "/organise"),
        Form("reissue", _row("links"), _plain(number=whole), "/organise"),
        Form("invite", _row("coorganisers"), _plain(name=text), "/organise"),
        Form("dismiss", _row("coorganisers/dismiss"), _plain(number=whole), "/organise"),
        Form("settings", _row("settings"), _settings, "/organise"),
        Form("end", _row("end"), _plain(), "/organise"),
        Form("delete", _row("delete"), _plain(title=text)),
    ]
}
