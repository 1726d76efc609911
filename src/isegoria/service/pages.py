"""The pages: one for every step, made on the server. They do what the API does, by the same deeds."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from isegoria.errors import InputError, IsegoriaError
from isegoria.service.asking import Asked, Reply, json_reply
from isegoria.service.explorer.shelf import chosen_of, read_bytes
from isegoria.service.forms import FORMS, Fields, Form, new_group_body
from isegoria.service.groups import pictures
from isegoria.service.groups.creating import offered
from isegoria.service.groups.views import round_view, seen_by
from isegoria.service.groups.voices import heard, secret_of
from isegoria.service.http.bodies import LARGE, digest, read_limited
from isegoria.service.http.origins import check_origin
from isegoria.service.http.refusals import BadBody, NoToken, NotThere, NotYours, TooLarge, TooMany
from isegoria.service.http.tokens import MEMBER, Actor, form_mark, form_mark_fits, no_cookie
from isegoria.service.routing import ANYONE, INSIDE, MEMBERS, ORGANISERS
from isegoria.service.timetable import RECURRENCES, utc_text
from isegoria.service.web import STATIC, TEMPLATES
from isegoria.service.web.words import COOKIE, LANGUAGES, language_of, reworded, speaker

MOST_STARS = 11
HISTORY = 40

environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
environment.filters["moment"] = utc_text


class Page(NamedTuple):
    """A page: its method, its path and the function of (service, asked) that gives its reply."""

    method: str
    path: str
    make: Callable


def page_endpoint(service, page: Page):
    """The Starlette endpoint of a page; a refusal is a page too."""

    async def call(request: Request) -> Response:
        raw = await read_limited(request.stream(), LARGE) if page.method == "POST" else b""
        asked = Asked.of(request, raw)
        try:
            reply = await service.run(page.make, service, asked)
        except IsegoriaError as error:
            status = getattr(error, "status", 400)
            back = f"/g/{asked.group}" if asked.group and status != 404 else "/"
            reply = html(asked, "message.html", status, refused=str(error), back=back)
        return reply.response()

    return call


def html(asked: Asked, template: str, status: int = 200, headers: dict | None = None, **values) -> Reply:
    """A page made from a template, in the language of whoever asks."""
    language = language_of(asked.query, asked.cookies, asked.headers)
    shared = {"said": None, "refused": None, "say": speaker(language), "language": language, "languages": LANGUAGES,
              "path": asked.path if asked.method == "GET" else None, "view": None, "tab": None}  # fmt: skip
    if values.get("refused"):
        values["refused"] = reworded(values["refused"], language)
    text = environment.get_template(template).render(shared | values)
    headers = dict(headers or {})
    if asked.query.get("lang") == language:
        headers.setdefault("set-cookie", f"{COOKIE}={language}; Path=/; Max-Age=31536000; SameSite=Lax")
    return Reply(text.encode(), status, "text/html", headers)


NEW = {"title": "", "arms": "", "members": "", "learner": "", "source": "", "privacy": "ballots",
       "low": "0", "high": "5", "block": "", "start": ""}  # fmt: skip


def home(service, asked: Asked, given: Fields | None = None, refused: IsegoriaError | None = None) -> Reply:
    """Where a group is made; after a refusal with everything that was typed."""
    kept = NEW | {name: values[0] for name, values in (given or {}).items() if name in NEW}
    status = 200 if refused is None else getattr(refused, "status", 400)
    return html(
        asked, "home.html", status, key=secrets.token_urlsafe(12), closed=service.settings.closed, sources=offered(),
        kept=kept, refused=None if refused is None else str(refused),
    )  # fmt: skip


def today(service, asked: Asked) -> Reply:
    """What was drawn, whose turn it was, and what there is to rate."""
    actor = service.actor(asked, ANYONE)
    with service.desk.reading(asked.group) as (state, session):
        view = seen_by(state, actor, int(service.desk.clock()))
        alias = ""
        if actor is not None and actor.role == MEMBER:
            alias = own_alias(state, actor.number, secret_of(session, asked.group, actor.number))
        low, high = state.scale
    return html(
        asked, "today.html", view=view, tab="today", alias=alias, stars=stars(low, high), hidden=hidden(actor),
        done=asked.query.get("said"),
    )  # fmt: skip


def my_voice(service, asked: Asked) -> Reply:
    """What a member was promised, what happened, and a check of all of it on her own device."""
    actor = service.actor(asked, MEMBERS)
    with service.desk.reading(asked.group) as (state, session):
        view = seen_by(state, actor, int(service.desk.clock()))
        voice = heard(state, actor.number, secret_of(session, asked.group, actor.number))
    return html(asked, "voice.html", view=view, tab="voice", voice=voice, hidden=hidden(actor))


def circle(service, asked: Asked) -> Reply:
    """The group: its lottery, the flow of voices, what was drawn, how long the unlucky wait, what equal voice costs."""
    actor = service.actor(asked, ANYONE)
    with service.desk.reading(asked.group) as (state, _):
        view = seen_by(state, actor, int(service.desk.clock()))
        fair = next((one for one in reversed(state.rounds) if one.freeze["kind"] == "fair"), None)
        shown = {
            "flow": pictures.flow(state, fair),
            "spells": pictures.dry_spells(fair),
            "price": pictures.price(state) if actor else None,
            "history": [round_view(state, one) for one in reversed(state.rounds[-HISTORY:])],
        }
    return html(asked, "circle.html", view=view, tab="circle", wait=pictures.WAIT, **shown)


def own_alias(state, number: int, secret: bytes) -> str:
    """The pseudonym of a member in the last round."""
    from isegoria.lottery.people import pseudonym

    return pseudonym(secret, state.record.group, state.last.number, number).hex() if state.last else ""


def organise(service, asked: Asked) -> Reply:
    """Everything an organiser does."""
    actor = service.actor(asked, ORGANISERS)
    with service.desk.reading(asked.group) as (state, _):
        view = seen_by(state, actor, int(service.desk.clock()))
    return html(asked, "organise.html", view=view, tab="organise", hidden=hidden(actor), recurrences=RECURRENCES,
                done=asked.query.get("said"))  # fmt: skip


def stars(low: float, high: float) -> list[float]:
    """The steps of a scale that a form shows: whole numbers where there are few, else eleven."""
    if float(low).is_integer() and float(high).is_integer() and high - low < MOST_STARS:
        return [int(low) + step for step in range(int(high - low) + 1)]
    return [round(low + (high - low) * step / (MOST_STARS - 1), 6) for step in range(MOST_STARS)]


def hidden(actor: Actor | None):
    """The hidden fields of a form: a key of its own, and the mark that shows it to be ours."""

    def fields() -> Markup:
        mark = form_mark(actor.token) if actor else ""
        return Markup(
            f'<input type="hidden" name="key" value="{secrets.token_urlsafe(12)}">'
            f'<input type="hidden" name="mark" value="{mark}">'
        )

    return fields


def sheet(service, asked: Asked) -> Reply:
    """The people and options of a spreadsheet, for a new group; nothing of it is kept."""
    check_origin(asked.headers, asked.host, asked.https, form=False)
    if service.new_groups.take(asked.address) > 0:
        raise TooMany("too many tables from this address; wait and try again.")
    if asked.raw is None:
        return json_reply({"error": f"the file is larger than {LARGE // 1024 // 1024} MB; paste the names instead."})
    try:
        instance, notes = read_bytes(asked.query.get("name", "table.csv")[:200], asked.raw, chosen_of(asked.query))
    except InputError as error:
        return json_reply({"error": str(error)})
    return json_reply({"members": list(instance.agents), "arms": list(instance.arms), "notes": notes})


# -- forms -------------------------------------------------------------------------------------------------------------


def new_group(service, asked: Asked) -> Reply:
    """Make a group from the form, and show its links once; or show the form again, and why."""
    given = form_fields(asked)
    check_origin(asked.headers, asked.host, asked.https, form=True)
    try:
        return made_group(service, asked, given)
    except IsegoriaError as error:
        return home(service, asked, given, error)


def made_group(service, asked: Asked, given: Fields) -> Reply:
    """The group of a form that is in order."""
    from isegoria.service.endpoints import NEW_GROUP
    from isegoria.service.groups.creating import create

    actor = None
    if service.settings.closed:
        actor = service._starter(first(given, "start"))
        if actor is None:
            service.wrong_guess(asked)
            raise NoToken("this server is closed; the start link was printed when it was started.")
    body = NEW_GROUP.check(new_group_body(given))
    reply = create(service, asked, actor, body, first(given, "key") or "", digest("POST", "/new", body))
    import json

    made = json.loads(reply.body)
    say = speaker(language_of(asked.query, asked.cookies, asked.headers))
    people = [(say("organiser_you"), made["organiser"]), *made["members"].items()]
    return links_page(asked, made["group"], body["title"], people, fresh=True)


def links_page(asked: Asked, group: str, title: str, people, fresh: bool = False) -> Reply:
    """Links that are shown once, each with a QR code."""
    cards = [{"name": name, "address": f"{asked.site}/g/{group}#k={token}"} for name, token in people]
    for card in cards:
        card["qr"] = Markup(qr(card["address"]))
    return html(asked, "links.html", 201, group=group, title=title, links=cards, fresh=fresh)


def qr(address: str) -> str:
    """A QR code as a picture that stands in the page."""
    import segno

    return segno.make(address, error="m").svg_inline(scale=4, title="QR code of the link", omitsize=True)


def do(service, asked: Asked) -> Reply:
    """A form of a group: the same checks as the API, and then the same deed."""
    form = FORMS.get(asked.parameters["step"])
    if form is None:
        raise NotThere("there is no such step.")
    actor = service.actor(asked, form.endpoint.roles if form.endpoint.roles != ANYONE else INSIDE)
    check_origin(asked.headers, asked.host, asked.https, form=True)
    given = form_fields(asked)
    if not form_mark_fits(actor.token, first(given, "mark") or ""):
        raise NotYours("this form is not from a page of yours; open the page again.")
    if form.name == "forget":
        return Reply(
            b"", 303, headers={"location": f"/g/{asked.group}", "set-cookie": no_cookie(asked.group, asked.https)}
        )
    body = form.endpoint.takes.check(form.body(given, service, asked))
    return answered(service, asked, actor, form, body, first(given, "key") or secrets.token_urlsafe(12))


def answered(service, asked: Asked, actor: Actor, form: Form, body: dict, key: str) -> Reply:
    """Do it, and lead on: to the new link, or back to the page."""
    import json

    row = form.endpoint
    mark = digest("POST", asked.path, body)
    if row.plain:
        reply = row.run(service, asked, actor, body, key, mark)
        answer = json.loads(reply.body)
    else:
        answer = json.loads(service.desk.act(actor, row.run, body, key, mark).body)
    if "token" in answer:
        with service.desk.reading(asked.group) as (state, _):
            title = state.charter["title"]
        name = answer.get("name") or f"{answer.get('role')} {answer.get('number')}"
        return links_page(asked, asked.group, title, [(name, answer["token"])])
    where = "/" if "deleted" in answer else f"/g/{asked.group}{form.leads_to}?said=1"
    return Reply(b"", 303, headers={"location": where})


def form_fields(asked: Asked) -> Fields:
    """The fields of a form, each with all its values."""
    if asked.raw is None:
        raise TooLarge(f"the form is larger than {LARGE} bytes.")
    if asked.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise BadBody("this is not a form.")
    try:
        pairs = parse_qsl(asked.raw.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=50_000)
    except (UnicodeDecodeError, ValueError):
        raise BadBody("the form is not UTF-8, or has too many fields.") from None
    given: Fields = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    return given


def first(given: Fields, name: str) -> str | None:
    """The first value of a field."""
    return given.get(name, [None])[0]


PAGES = [
    Page("GET", "/", home),
    Page("POST", "/new", new_group),
    Page("POST", "/sheet", sheet),
    Page("GET", "/g/{group}", today),
    Page("GET", "/g/{group}/voice", my_voice),
    Page("GET", "/g/{group}/group", circle),
    Page("GET", "/g/{group}/organise", organise),
    Page("POST", "/g/{group}/do/{step}", do),
]

__all__ = ["PAGES", "STATIC", "page_endpoint"]
