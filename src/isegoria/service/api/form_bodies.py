"""Fields of HTML forms, and the body that each form builds for its endpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isegoria.record.sources.dice import parse_dice_form
from isegoria.service.api.routing import FormData
from isegoria.service.http.http_errors import BadRequest, translate_record_errors
from isegoria.service.http.tokens import ROLE_JOIN
from isegoria.service.request_context import RequestContext
from isegoria.utils.messages import FieldPath, Message


def get_text(given: FormData, name: str) -> str | None:
    """Return a field's text, stripped, or None if it is empty."""
    return (given.get(name) or [""])[0].strip() or None


def get_integer(given: FormData, name: str) -> int | None:
    """Return a field's integer, or None if it is empty; raise `BadRequest` if it is not an integer."""
    said = get_text(given, name) or ""
    try:
        return int(said) if said else None
    except ValueError:
        raise BadRequest(Message("expected_integer", field=FieldPath(name), value=repr(said[:20]))) from None


def get_number(given: FormData, name: str, called: FieldPath | None = None) -> float | None:
    """Return a field's number, or None if it is empty; a decimal comma is allowed.

    Raise `BadRequest` if it is not a number; `called` is its name in the message.
    """
    said = get_text(given, name) or ""
    try:
        value = float(said.replace(",", ".")) if said else None
    except ValueError:
        raise BadRequest(Message("expected_number", field=called or FieldPath(name), value=repr(said[:20]))) from None
    return int(value) if value is not None and value.is_integer() else value


def get_lines(given: FormData, name: str) -> list[str]:
    """Return the lines of a field that are not empty, stripped."""
    return [line.strip() for line in (given.get(name) or [""])[0].splitlines() if line.strip()]


def build_rating(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body of a rating, from stars or from tapped favourites."""
    with context.groups.reading(context.request.group) as (state, _):
        names, turns = list(state.options), state.turns is not None
        low, high = state.scale
    if get_text(given, "ballot") == "favourites":
        tapped = [bool(get_text(given, f"arm{place}")) for place in range(len(names))]
        untapped = None if turns else low  # untapped options stay no favourites once all tapped ones are used up
        ratings = {
            name: (high if on else untapped) if any(tapped) else None for name, on in zip(names, tapped, strict=True)
        }
        if turns:
            offered = {state.options[arm] for arm in state.available}
            ratings = {name: value for name, value in ratings.items() if name in offered}
        return {"round": None, "slot": None, "values": ratings}
    values = {}
    for field in given:
        if field.startswith("arm") and field[3:].isascii() and field[3:].isdigit() and int(field[3:]) < len(names):
            name = names[int(field[3:])]
            values[name] = get_number(given, field, FieldPath("values").at(repr(name)))
    return {"round": get_integer(given, "round"), "slot": get_integer(given, "slot"), "values": values}


def make_body_builder(
    **kinds: Callable[[FormData, str], Any],
) -> Callable[[FormData, RequestContext], dict[str, Any]]:
    """Return a function that builds a body from single fields and omits the empty ones."""

    def body(given: FormData, context: RequestContext) -> dict[str, Any]:
        found = {name: kind(given, name) for name, kind in kinds.items()}
        return {name: value for name, value in found.items() if value is not None}

    return body


def build_timetable(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body of a timetable; without a recurrence, the group decides by hand."""
    if get_text(given, "recurrence") is None:
        return {"timetable": None}
    return {
        "timetable": make_body_builder(recurrence=get_text, time=get_text, zone=get_text, lead=get_integer)(
            given, context
        )
    }


def build_settings(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body of the settings."""
    return {
        "webhook": get_text(given, "webhook"),
        "retention": get_integer(given, "retention"),
        "note": get_text(given, "note") or "",
        "waiting": get_text(given, "waiting") == "yes",
        "owed": get_text(given, "owed") == "yes",
        "results": get_text(given, "results") == "yes",
        "remind": get_integer(given, "remind"),
        "changes": get_integer(given, "changes"),
    }


def build_freeze(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body of a freeze; a dice form is given as COUNT,LOW,HIGH,ORDER, or as number of dice and sides."""
    body: dict[str, Any] = {"event": get_text(given, "event"), "undrawn": get_text(given, "undrawn") == "yes"}
    count, sides = get_integer(given, "dice"), get_integer(given, "sides")
    shape = get_text(given, "form") if count is None else f"{count},1,{sides or 6},throw"
    with translate_record_errors():
        return body if shape is None else body | {"form": parse_dice_form(shape)}


def build_address(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body of a member's mail address."""
    return {"member": get_integer(given, "member"), "address": get_text(given, "address")}


def build_own_address(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body of the sender's own mail address."""
    return {"address": get_text(given, "address")}


def build_join_link(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body that issues the join link again."""
    return {"role": ROLE_JOIN}


def build_mask(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Build the body of the unavailable options."""
    return {"unavailable": given.get("arm", [])}


build_override = make_body_builder(round=get_integer, slot=get_integer, arm=get_text, reason=get_text)


def build_consent(given: FormData, context: RequestContext) -> dict[str, Any]:
    """Return the body of a member's consent to publish the record."""
    return {"consent": get_text(given, "consent") == "yes"}
