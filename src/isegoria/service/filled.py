"""Forms that pages send: the same checks as the API, and then the same deeds."""

from __future__ import annotations

import json
import secrets
from urllib.parse import parse_qsl

from markupsafe import Markup

from isegoria.errors import InputError, IsegoriaError
from isegoria.service.asking import Asked, Reply, json_reply
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.explorer.shelf import chosen_of, read_bytes
from isegoria.service.forms import FORMS, Fields, Form, new_group_body
from isegoria.service.groups.creating import create, offered
from isegoria.service.http.bodies import LARGE, digest
from isegoria.service.http.origins import check_origin
from isegoria.service.http.refusals import BadBody, NoToken, NotThere, NotYours, TooLarge, TooMany
from isegoria.service.http.tokens import Actor, form_mark_fits, no_cookie
from isegoria.service.rendering import html
from isegoria.service.routing import ANYONE, INSIDE
from isegoria.service.web.words import language_of, speaker

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
    actor = None
    if service.settings.closed:
        actor = service.starting(first(given, "start"))
        if actor is None:
            service.wrong_guess(asked)
            raise NoToken("this server is closed; the start link was printed when it was started.")
    body = NEW_GROUP.check(new_group_body(given))
    reply = create(service, asked, actor, body, first(given, "key") or "", digest("POST", "/new", body))
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
