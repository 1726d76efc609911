"""The pages: one for every step, made on the server. They do what the API does, by the same deeds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request as StarletteRequest
from starlette.responses import Response

from isegoria.errors import IsegoriaError
from isegoria.record.format.people import Person
from isegoria.record.group import Group
from isegoria.service import pictures
from isegoria.service.board import board, manifest
from isegoria.service.contacts import stop
from isegoria.service.devices import listed
from isegoria.service.example import example
from isegoria.service.forms import FORMS, do, form_fields, sheet
from isegoria.service.groups import StorePeople
from isegoria.service.heard import owed
from isegoria.service.http.request import LARGE, Reply, Request, json_reply, read_limited
from isegoria.service.http.tokens import MEMBER, Actor
from isegoria.service.joining import join, taken
from isegoria.service.links import links, qr_code
from isegoria.service.numbers import phones
from isegoria.service.rendering import Failed, hidden, html
from isegoria.service.routing import ANYONE, INSIDE, MEMBERS, ORGANISERS
from isegoria.service.sentences import Say, sentence
from isegoria.service.sources import offered
from isegoria.service.starting import home, new_group
from isegoria.service.timetable import RECURRENCES
from isegoria.service.views import round_view, seen_by
from isegoria.service.web.words import check_messages, day_text, language_of, speaker
from isegoria.service.webhooks import hook_key

if TYPE_CHECKING:
    from isegoria.service.app import Service

MOST_STARS = 11
HISTORY = 40
WEEK = 5  # turns that are shown at once
ROUNDS_SHOWN = 4  # rounds whose turns may stand in a plan


class PageRoute(NamedTuple):
    """A page: its method, its path and the function of (service, request) that gives its reply."""

    method: str
    path: str
    make: Callable[..., Any]


def page_endpoint(service: Service, page: PageRoute) -> Callable[[StarletteRequest], Awaitable[Response]]:
    """The Starlette endpoint of a page; a refusal is a page too."""

    async def call(incoming: StarletteRequest) -> Response:
        raw = await read_limited(incoming.stream(), LARGE) if page.method == "POST" else b""
        request = Request.of(incoming, raw)
        lane = service.files if page.make in (sheet, qr_code, example) else service.lane(page.method)
        try:
            reply = await lane.run(page.make, service, request)
        except IsegoriaError as error:
            reply = await lane.run(refusal, service, request, page, error)
        return request.cleared(reply.response())

    return call


def refusal(service: Service, request: Request, page: PageRoute, error: IsegoriaError) -> Reply:
    """The answer to what was refused: the form's page with the sentence beside its field, or the sentence alone."""
    status, headers = getattr(error, "status", 400), getattr(error, "headers", None)
    form = FORMS.get(request.parameters.get("step", "")) if page.make is do else None
    if form is not None and form.page in FORM_PAGES and status not in (401, 403, 404):
        try:
            return FORM_PAGES[form.page](service, request, Failed(form.name, str(error), form_fields(request), status))
        except IsegoriaError as other:  # whose page it is may have changed meanwhile
            error, status = other, getattr(other, "status", 400)
    back = f"/g/{request.group}" if request.group and status != 404 else "/"
    return html(request, "message.html", status, headers, refused=str(error), back=back)


def no_such_page(request: Request) -> Reply:
    """Where no page is."""
    say = speaker(language_of(request.query, request.cookies, request.headers))
    return html(request, "message.html", 404, refused=say("no_such_page"), back="/")


def check_words(service: Service, request: Request) -> Reply:
    """The languages that the verifier's page may speak beside English."""
    return json_reply(check_messages())


def today(service: Service, request: Request, failed: Failed | None = None) -> Reply:
    """What was drawn, whose turn it was, and what there is to rate."""
    actor = service.actor(request, ANYONE)
    with service.groups.reading(request.group) as (state, session):
        view = seen_by(state, actor, int(service.groups.clock()))
        own: dict[int, str] = {}
        address = None
        if actor is not None and actor.role == MEMBER:
            own = own_aliases(state, StorePeople(session, state)[actor.number])
            address = next((one.address for one in session.contacts(state.address) if one.number == actor.number), None)
        low, high = state.scale
        first = hero(view["plan"], view["date"])
        say = speaker(language_of(request.query, request.cookies, request.headers))
        shared = sentence(state, int(service.groups.clock()), say)
        ends = service.scheduler.announced(state)
    return html(
        request, "today.html", view=view, tab="today", roles=service.roles(request), own=own, stars=stars(low, high),
        shared=shared, address=address, mails=service.settings.smtp is not None, hidden=hidden(actor),
        ends=ends, hero=first, following=after(view["plan"], first), tomorrow=day_after(view["date"]),
        week=week(view["plan"], first), yours=own_day(view, first, own, say), moment_of=moment_of(view, first),
        done=request.query.get("said"), failed=failed,
    )  # fmt: skip


def hero(plan: list[dict[str, Any]], today: str) -> dict[str, Any] | None:
    """The turn that a page begins with: today's or the next to come; the last where all are past; the first of all
    where none has a date.
    """
    dated = [turn for turn in plan if turn["date"]]
    ahead = [turn for turn in dated if turn["date"] >= today]
    return next(iter([*ahead[:1], *dated[-1:], *plan[:1]]), None)


def week(plan: list[dict[str, Any]], turn: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The turns of a plan that are shown at once: from the first of the page on, or the last where fewer follow."""
    start = plan.index(turn) if turn is not None else 0
    return plan[max(0, min(start, len(plan) - WEEK)) :][:WEEK]


def own_day(view: dict[str, Any], turn: dict[str, Any] | None, own: dict[int, str], say: Say) -> str:
    """When a member's own voice decided last, or decides next, where it is not today's; else nothing."""
    mine = [one for one in view["plan"] if one["voice"] is not None and one["voice"] == own.get(one["round"])]
    if turn is None or not mine or turn in mine:
        return ""
    place = view["plan"].index(turn)
    before = [one for one in mine if view["plan"].index(one) < place]
    nearest = before[-1] if before else mine[0]
    return say("yours_decided" if before else "yours_decides", day=_called(nearest, view["date"], say))


def _called(turn: dict[str, Any], today: str, say: Say) -> str:
    if turn["date"] is None:
        return say("at_turn", turn=turn["turn"])
    away = (date.fromisoformat(turn["date"]) - date.fromisoformat(today)).days
    near = {-1: "yesterday", 1: "tomorrow_small"}.get(away)
    return say(near) if near else say("on_day", date=day_text(say, date.fromisoformat(turn["date"])))


def moment_of(view: dict[str, Any], turn: dict[str, Any] | None) -> dict[str, Any] | None:
    """The chances of the round that a turn was drawn from, and where on their bar it lies: the moment of its draw."""
    last = view["last"]
    if turn is None or last is None or last["round"] != turn["round"] or not last["policy"] or view["turns"]:
        return None
    arm = view["arms"].index(turn["drawn"])
    return {"policy": last["policy"], "at": round(sum(last["policy"][:arm]) + last["policy"][arm] / 2, 4)}


def after(plan: list[dict[str, Any]], turn: dict[str, Any] | None) -> dict[str, Any] | None:
    """The turn that follows another one in a plan."""
    return plan[plan.index(turn) + 1] if turn is not None and turn is not plan[-1] else None


def day_after(day: str) -> str:
    """The day after a day, both as YYYY-MM-DD."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def my_voice(service: Service, request: Request) -> Reply:
    """What a member was promised, what happened, and a check of all of it on her own device."""
    actor = service.insider(request, MEMBERS)
    with service.groups.reading(request.group) as (state, _):
        view = seen_by(state, actor, int(service.groups.clock()))
    voice = service.heard(request.group, actor.number)
    return html(
        request, "voice.html", view=view, tab="voice", roles=service.roles(request), voice=voice, hidden=hidden(actor)
    )


def group(service: Service, request: Request) -> Reply:
    """The group: its lottery, the flow of voices, what was drawn, how long the unlucky wait, what equal voice costs."""
    actor = service.actor(request, ANYONE)
    with service.groups.reading(request.group) as (state, session):
        view = seen_by(state, actor, int(service.groups.clock()))
        fair = next((one for one in reversed(state.rounds) if one.fair), None)
        shown: dict[str, Any] = {
            "flow": pictures.flow(state, fair),
            "spells": None if state.turns else pictures.dry_spells(fair),
            "owed": owed_by_all(state, StorePeople(session, state)) if actor and shows_owed(state, actor) else None,
            "price": pictures.price(state) if actor else None,
            "history": [round_view(state, one) for one in reversed(state.rounds[-HISTORY:])],
        }
    return html(
        request, "group.html", view=view, tab="group", roles=service.roles(request), wait=pictures.WAIT, **shown
    )


def shows_owed(state: Group, actor: Actor) -> bool:
    """Whether somebody sees what everyone is owed: members only where the organiser has opened it."""
    return state.turns is not None and (actor.role != MEMBER or bool(state.settings.get("owed")))


def owed_by_all(state: Group, people: Mapping[int, Person]) -> list[dict[str, Any]]:
    """What everyone who is here is owed, most first."""
    found = [(state.name(number), owed(state, people[number])) for number in state.members]
    return sorted(({"name": name, **one} for name, one in found if one), key=lambda one: (-one["tenths"], one["name"]))


def my_devices(service: Service, request: Request, failed: Failed | None = None) -> Reply:
    """The devices that somebody uses, each with a button that ends it."""
    actor = service.insider(request, INSIDE)
    with service.groups.reading(request.group) as (state, _):
        view = seen_by(state, actor, int(service.groups.clock()))
    return html(
        request, "devices.html", view=view, tab="devices", roles=service.roles(request), hidden=hidden(actor),
        devices=listed(service, actor), done=request.query.get("said"), failed=failed,
    )  # fmt: skip


def own_aliases(state: Group, person: Person) -> dict[int, str]:
    """A member's pseudonym in each of the last rounds, by its number."""
    return {round_.number: state.alias(person, round_.number) for round_ in state.rounds[-ROUNDS_SHOWN:]}


def organise(service: Service, request: Request, failed: Failed | None = None) -> Reply:
    """Everything an organiser does: rows that open one at a time, the daily ones first."""
    actor = service.insider(request, ORGANISERS)
    with service.groups.reading(request.group) as (state, session):
        view = seen_by(state, actor, int(service.groups.clock()))
        held = taken(session, state)
        view["phones"] = [state.name(number) for number in phones(session, state, int(service.groups.clock()))]
        addresses = {one.number: one.address for one in session.contacts(request.group) if one.address}
        row = session.group(request.group)
    return html(
        request, "organise.html", view=view, tab="organise", roles=service.roles(request), taken=held,
        mails=service.settings.smtp is not None, addresses=addresses, hook_key=hook_key(row) if row else None,
        hidden=hidden(actor), recurrences=RECURRENCES, done=request.query.get("said"), failed=failed,
        open_row=FORMS[failed.step].row if failed else request.query.get("row", "round"),
        sources=list(dict.fromkeys([view["source"], *offered(service.settings.relay)])),
    )  # fmt: skip


def stars(low: float, high: float) -> list[float]:
    """The steps of a scale that a form shows: whole numbers where there are few, else eleven."""
    if float(low).is_integer() and float(high).is_integer() and high - low < MOST_STARS:
        return [int(low) + step for step in range(int(high - low) + 1)]
    return [round(low + (high - low) * step / (MOST_STARS - 1), 6) for step in range(MOST_STARS)]


FORM_PAGES: dict[str, Callable[..., Reply]] = {
    "": today,
    "/organise": organise,
    "/devices": my_devices,
    "/links": links,
}

PAGES = [
    PageRoute("GET", "/", home),
    PageRoute("POST", "/new", new_group),
    PageRoute("GET", "/example", example),
    PageRoute("POST", "/sheet", sheet),
    PageRoute("POST", "/qr", qr_code),
    PageRoute("GET", "/g/{group}", today),
    PageRoute("GET", "/g/{group}/voice", my_voice),
    PageRoute("GET", "/g/{group}/group", group),
    PageRoute("GET", "/g/{group}/organise", organise),
    PageRoute("GET", "/g/{group}/devices", my_devices),
    PageRoute("GET", "/g/{group}/links", links),
    PageRoute("GET", "/g/{group}/join", join),
    PageRoute("POST", "/g/{group}/do/{step}", do),
    PageRoute("GET", "/g/{group}/board", board),
    PageRoute("GET", "/g/{group}/manifest.webmanifest", manifest),
    PageRoute("GET", "/verify/words.json", check_words),
    PageRoute("GET", "/stop/{token}", stop),
    PageRoute("POST", "/stop/{token}", stop),
]
