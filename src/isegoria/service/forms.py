"""Forms that pages send: the same checks as the API, and then the same deeds. One row of `FORMS` for each form."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl

from isegoria.errors import InputError
from isegoria.io.cage import CageBusyError
from isegoria.record.sources.dice import form_of
from isegoria.service.devices import close_session
from isegoria.service.endpoints import ENDPOINTS, GROUP
from isegoria.service.explorer.uploads import chosen_of, read_options
from isegoria.service.groups import refusing
from isegoria.service.http.refusals import BadRequest, Forbidden, NotFound, TooLarge, TooManyRequests
from isegoria.service.http.request import LARGE, Reply, Request, check_origin, digest, json_reply, place_of
from isegoria.service.http.tokens import JOIN, Actor, csrf_token_fits
from isegoria.service.questions import QUESTIONS
from isegoria.service.rendering import html
from isegoria.service.routing import ANYONE, INSIDE, STARTERS, Endpoint
from isegoria.service.views import seen_by

if TYPE_CHECKING:
    from isegoria.service.app import Service

SHEETS = (".csv", ".tsv", ".xlsx", ".ods")
"""What a table of people and options may be on the web; other formats are for the command line and the explorer."""
Fields = dict[str, list[str]]


class Form(NamedTuple):
    """A form: its name in the address, the route it stands for, how its body is made, and the page after it.

    `leads_to` is below the group's own page, or None for the home page; `row` the row of *Organise* in which it stands.
    """

    name: str
    endpoint: Endpoint
    body: Callable[[Fields, Service, Request], dict[str, Any]]
    leads_to: str | None = ""
    row: str = ""

    @property
    def page(self) -> str:
        """The page on which the form stands, below the group's own."""
        return "/organise" if self.row else self.leads_to or ""


def text(given: Fields, name: str) -> str | None:
    """A field's text, or None where it is empty."""
    return (given.get(name) or [""])[0].strip() or None


def whole(given: Fields, name: str) -> int | None:
    """A field's whole number, or None where it is empty."""
    said = text(given, name) or ""
    try:
        return int(said) if said else None
    except ValueError:
        raise BadRequest(f"{name} is {said[:20]!r}; expected a whole number.") from None


def real(given: Fields, name: str, called: str = "") -> float | None:
    """A field's number, with a point or a comma, or None where it is empty; `called` is its name in a refusal."""
    said = text(given, name) or ""
    try:
        value = float(said.replace(",", ".")) if said else None
    except ValueError:
        raise BadRequest(f"{called or name} is {said[:20]!r}; expected a number.") from None
    return int(value) if value is not None and value.is_integer() else value


def lines(given: Fields, name: str) -> list[str]:
    """The lines of a field that are not empty."""
    return [line.strip() for line in (given.get(name) or [""])[0].splitlines() if line.strip()]


def _rating(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    with service.groups.reading(request.group) as (state, _):
        names, turns = list(state.options), state.turns is not None
        low, high = state.scale
    if text(given, "ballot") == "favourites":
        tapped = [bool(text(given, f"arm{place}")) for place in range(len(names))]
        untapped = None if turns else low  # what she did not tap is no favourite, also when all she tapped is used up
        ratings = {name: (high if on else untapped) if any(tapped) else None
                   for name, on in zip(names, tapped, strict=True)}  # fmt: skip
        if turns:
            offered = {state.options[arm] for arm in state.available}
            ratings = {name: value for name, value in ratings.items() if name in offered}
        return {"round": None, "slot": None, "values": ratings}
    values = {}
    for field in given:
        if field.startswith("arm") and field[3:].isascii() and field[3:].isdigit() and int(field[3:]) < len(names):
            name = names[int(field[3:])]
            values[name] = real(given, field, f"values[{name!r}]")
    return {"round": whole(given, "round"), "slot": whole(given, "slot"), "values": values}


def _plain(**kinds: Callable[[Fields, str], Any]) -> Callable[[Fields, Service, Request], dict[str, Any]]:
    """A body made of single fields; those left empty are left out."""

    def body(given: Fields, service: Service, request: Request) -> dict[str, Any]:
        found = {name: kind(given, name) for name, kind in kinds.items()}
        return {name: value for name, value in found.items() if value is not None}

    return body


def _timetable(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    if text(given, "recurrence") is None:
        return {"timetable": None}
    return {"timetable": _plain(recurrence=text, time=text, zone=text, lead=whole)(given, service, request)}


def _settings(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    return {
        "webhook": text(given, "webhook"),
        "retention": whole(given, "retention"),
        "note": text(given, "note") or "",
        "waiting": text(given, "waiting") == "yes",
        "owed": text(given, "owed") == "yes",
        "results": text(given, "results") == "yes",
        "remind": whole(given, "remind"),
        "changes": whole(given, "changes"),
    }


def _freeze(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    """A freeze; under dice with its form as COUNT,LOW,HIGH,ORDER."""
    body: dict[str, Any] = {"event": text(given, "event"), "undrawn": text(given, "undrawn") == "yes"}
    count, sides = whole(given, "dice"), whole(given, "sides")
    shape = text(given, "form") if count is None else f"{count},1,{sides or 6},throw"
    with refusing():
        return body if shape is None else body | {"form": form_of(shape)}


def _address(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    return {"member": whole(given, "member"), "address": text(given, "address")}


def _own_address(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    return {"address": text(given, "address")}


def _join_link(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    return {"role": JOIN}


def _mask(given: Fields, service: Service, request: Request) -> dict[str, Any]:
    return {"unavailable": given.get("arm", [])}


_override = _plain(round=whole, slot=whole, arm=text, reason=text)


def _row(path: str) -> Endpoint:
    return next(row for row in ENDPOINTS if row.method == "POST" and row.path == f"{GROUP}/{path}")


FORMS = {
    form.name: form
    for form in [
        Form("rate", _row("ratings"), _rating),
        Form("leave", _row("leave"), _plain()),
        Form("forget", _row("session/end"), _plain()),
        Form("device", _row("devices/end"), _plain(place=whole), "/devices"),
        Form("freeze", _row("freeze"), _freeze, "/organise", row="round"),
        Form("draw", _row("draw"), _plain(value=text), row="round"),
        Form("roster", _row("roster"), _plain(), "/organise", row="chance"),
        Form("mark", _row("people/mark"), _plain(member=whole, organiser=whole), "/organise", row="chance"),
        Form("override", _row("override"), _override, "/organise", row="rare"),
        Form("option", _row("options"), _plain(name=text), "/organise", row="options"),
        Form("propose", _row("propose"), _plain(name=text)),
        Form("withdraw", _row("withdraw"), _plain(name=text)),
        Form("mask", _row("mask"), _mask, "/organise", row="options"),
        Form("timetable", _row("timetable"), _timetable, "/organise", row="time"),
        Form("source", _row("source"), _plain(source=text), "/organise", row="chance"),
        Form("join", _row("people"), _plain(name=text), "/links", row="people"),
        Form("remove", _row("people/leave"), _plain(member=whole), "/organise", row="people"),
        Form("address", _row("people/mail"), _address, "/organise", row="people"),
        Form("my-address", _row("mail"), _own_address),
        Form("remind", _row("remind"), _plain(), "/organise", row="people"),
        Form("erase", _row("people/erase"), _plain(member=whole), "/organise", row="people"),
        Form("reissue", _row("links"), _plain(number=whole), "/links", row="people"),
        Form("join-link", _row("links"), _join_link, "/links"),
        Form("close-join", _row("join/close"), _plain(), "/links"),
        Form("invite", _row("coorganisers"), _plain(name=text), "/links", row="rare"),
        Form("dismiss", _row("coorganisers/dismiss"), _plain(number=whole), "/organise", row="rare"),
        Form("settings", _row("settings"), _settings, "/organise", row="messages"),
        Form("end", _row("end"), _plain(), "/organise", row="end"),
        Form("delete", _row("delete"), _plain(title=text), None, row="end"),
    ]
}


def do(service: Service, request: Request) -> Reply:
    """A form of a group: the same checks as the API, and then the same deed."""
    form = FORMS.get(request.parameters["step"])
    if form is None:
        raise NotFound("there is no such step.")
    actor = service.insider(request, form.endpoint.roles if form.endpoint.roles != ANYONE else INSIDE)
    check_origin(request.headers, request.host, request.https, form=True)
    given = form_fields(request)
    if not csrf_token_fits(actor.token, text(given, "csrf") or ""):
        raise Forbidden("this form is not from a page of yours; open the page again.")
    if asked := _question(service, request, actor, form, given):
        return asked
    if form.name == "forget":
        ended = close_session(service, request, actor, {}, "", "")
        return Reply(b"", 303, headers={"location": f"/g/{request.group}"}, cookies=ended.cookies)
    body = form.endpoint.takes.check(form.body(given, service, request))
    return answered(service, request, actor, form, body, (text(given, "key") or secrets.token_urlsafe(12))[:200])


def _question(service: Service, request: Request, actor: Actor, form: Form, given: Fields) -> Reply | None:
    """The page that asks whether this is meant, with everything that was sent; None where it was said, or is plain."""
    asks = QUESTIONS.get(form.name)
    if asks is None or text(given, "sure") == "yes":
        return None
    body = form.endpoint.takes.check(form.body(given, service, request))
    with service.groups.reading(request.group) as (state, _):
        asked, view = asks(state, body), seen_by(state, actor, int(service.groups.clock()))
    if asked is None:
        return None
    fields = [(name, value) for name, values in given.items() for value in values]
    back = f"/g/{request.group}{form.page}"
    return html(
        request, "confirm.html", view=view, roles=service.roles(request), step=form.name, question=asked[0],
        values=asked[1], fields=fields, back=back,
    )  # fmt: skip


def answered(service: Service, request: Request, actor: Actor, form: Form, body: dict[str, Any], key: str) -> Reply:
    """Do it, and lead on: to the new link, or back to the page."""
    row = form.endpoint
    body_digest = digest("POST", request.path, body)
    service.check_pace(row, actor, body)
    if row.plain:
        row.run(service, request, actor, body, key, body_digest)
    else:
        service.groups.act(actor, row.run, body, key, body_digest, status=row.success)
    opens = f"&row={form.row}" if form.leads_to == "/organise" else ""
    where = "/" if form.leads_to is None else f"/g/{request.group}{form.leads_to}?said=1{opens}"
    return Reply(b"", 303, headers={"location": where})


def form_fields(request: Request) -> Fields:
    """The fields of a form, each with all its values."""
    if request.raw is None:
        raise TooLarge(f"the form is larger than {LARGE} bytes.")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise BadRequest("this is not a form.")
    try:
        pairs = parse_qsl(request.raw.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=50_000)
    except (UnicodeDecodeError, ValueError):
        raise BadRequest("the form is not UTF-8, or has too many fields.") from None
    given: Fields = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    return given


def sheet(service: Service, request: Request) -> Reply:
    """The people and options of a spreadsheet, for a new group; nothing of it is kept."""
    if service.settings.closed:
        service.actor(request, STARTERS)
    check_origin(request.headers, request.host, request.https, form=False)
    if service.new_groups.take(place_of(request.address)) > 0:
        raise TooManyRequests("too many tables from this address; wait and try again.")
    if request.raw is None:
        return json_reply({"error": f"the file is larger than {LARGE // 1024 // 1024} MB; paste the names instead."})
    name = request.query.get("name", "table.csv")[:200]
    if not name.lower().endswith(SHEETS):
        return json_reply({"error": f"this is no table that is read here; save it as one of {', '.join(SHEETS)}."})
    try:
        instance, notes = service.cage.read(name, request.raw, read_options(chosen_of(request.query)))
    except CageBusyError as error:
        raise TooManyRequests(str(error), {"retry-after": "15"}) from None
    except InputError as error:
        return json_reply({"error": str(error)})
    return json_reply({"members": list(instance.agents), "arms": list(instance.arms), "notes": notes})
