"""The table of routes. A new one is one row here, and one function where its deed is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isegoria import __version__
from isegoria.record import people, proposals, rounds
from isegoria.record.format.shapes import ORDERS
from isegoria.record.minds import LEARNER
from isegoria.record.people import register_key
from isegoria.record.ratings import rate
from isegoria.record.sources import SOURCES
from isegoria.record.turns.modes import MODES
from isegoria.service import contacts, joining, organising
from isegoria.service.calendars import calendar
from isegoria.service.creating import create
from isegoria.service.devices import close_session, devices, end_device, open_session
from isegoria.service.exports import export, names, receipt, record
from isegoria.service.http.fields import (
    ByName,
    Choice,
    Either,
    Flag,
    Hex,
    Many,
    Maybe,
    Object,
    Real,
    Text,
    Whole,
)  # fmt: skip
from isegoria.service.http.request import LARGE, Reply, Request, json_reply
from isegoria.service.http.tokens import COORGANISER, JOIN, MEMBER, ORGANISER, Actor
from isegoria.service.numbers import phones, say
from isegoria.service.rounds import draw, freeze
from isegoria.service.routing import ANYONE, INSIDE, MEMBERS, ORGANISERS, OWNER, Endpoint, described
from isegoria.service.sources import set_source
from isegoria.service.timetable import RECURRENCES
from isegoria.service.views import BALLOTS, seen_by
from isegoria.service.webhooks import check_webhook

if TYPE_CHECKING:
    from isegoria.service.app import Service

MADE = {201: "Made.", 200: "It was made before: the same bytes again."}
ONCE = {201: "Made; its links are in this answer alone, and a repeat is answered with 409."}
NAME = Text("A name, as people write it.", most=100)
VALUE = Either("What dice showed: digits, or numbers in the form of the freeze; a beacon's signature in hexadecimal.",
               items=(Text(most=400), Many(item=Whole(high=10**9), least=1, most=200)))  # fmt: skip


LARGEST_RATING = 1e6
"""The ends of a scale lie no further from 0: what a group computes with them must stay a number."""


def health(service: Service, request: Request, actor: Actor | None) -> Reply:
    """Whether this process answers, its store too (as of the last second), and how timetables are kept."""
    service.check_store()
    kept = service.scheduler.health
    status = "ok" if kept["ok"] else "timetables are late"
    times = {name: kept[name] for name in ("came_round", "oldest_waits", "clock_jumped")}
    return json_reply({"status": status, "version": __version__, "timetables": times}, 200 if kept["ok"] else 503)


def openapi(service: Service, request: Request, actor: Actor | None) -> Reply:
    """This description."""
    return json_reply(described(ENDPOINTS, __version__))


def state(service: Service, request: Request, actor: Actor | None) -> Reply:
    """The group, as you may see it."""
    now = int(service.groups.clock())
    with service.groups.reading(request.group) as (group, session):
        view = seen_by(group, actor, now)
        if actor is not None and actor.role != MEMBER:
            view["phones"] = [group.name(number) for number in phones(session, group, now)]
        return json_reply(view)


def voice(service: Service, request: Request, actor: Actor) -> Reply:
    """Where your voice went."""
    return json_reply(service.heard(request.group, actor.number))


def links(service: Service, request: Request, actor: Actor) -> Reply:
    """Which links are good, when each was issued and last opened; never the links themselves."""
    with service.groups.reading(request.group) as (group, session):
        rows = [
            {"role": row.role, "number": row.number, "issued": row.issued, "used": row.used,
             "name": group.name(row.number) if row.role == MEMBER else group.coorganisers.get(row.number, row.role)}
            for row in session.tokens(request.group)
        ]  # fmt: skip
    return json_reply({"links": rows})


def settings(
    service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """Set the webhook, the retention and the note; what is left out stays."""
    given = {name: value for name, value in body.items() if value is not organising.UNCHANGED}
    check_webhook(given.get("webhook"), service.settings.webhooks)
    answer = service.groups.act(actor, organising.set_settings, given, key, body_digest)
    return Reply(answer.body.encode(), answer.status)


GROUP = "/api/groups/{group}"
TIMETABLE = Object(fields={
    "recurrence": Maybe("How often; null: daily, or under a beacon as its charter says.",
                        item=Choice(known=RECURRENCES)),
    "time": Maybe("Time of day, HH:MM; null: 12:00, or under a beacon as its charter says.", item=Text(most=5)),
    "zone": Text("A time zone, such as Europe/Berlin.", most=64, default="UTC"),
    "start": Maybe("The first day, YYYY-MM-DD; null: today.", item=Text(most=10)),
    "lead": Whole("Minutes between freeze and draw.", low=1, high=7 * 24 * 60, default=180),
})  # fmt: skip
TURNS = Object(fields={
    "mode": Choice("A lottery with memory, or no lottery but between ties.", known=MODES, default="drawn"),
    "worlds": Maybe("Of drawn turns: how many rounds run side by side; null: 8.", item=Whole(low=1, high=20)),
    "used_up": Flag("Whether what was played is never on offer again.", default=False),
})  # fmt: skip
NEW_GROUP = Object(fields={
    "title": Text("What the group decides."),
    "arms": Many("The options, by name.", item=NAME, least=1, most=1000, distinct=True),
    "members": Many("Who takes part, by name.", item=NAME, least=1, most=20_000, distinct=True),
    "privacy": Choice("Whether names may be joined to rows.", known=("ballots", "open"), default="ballots"),
    "block": Maybe("Draws in one round; null: everyone's turn, at most 20.", item=Whole(low=1, high=20)),
    "source": Choice("Where the randomness comes from.", known=tuple(SOURCES), default="rehearsal"),
    "learner": Maybe("A learner, or null: ratings as they are.", item=Choice(known=(LEARNER,))),
    "scale": Many("Lowest and highest rating.", item=Real(most=LARGEST_RATING), least=2, most=2, default=[0, 5]),
    "first": Maybe("A beacon's first occasion, in Unix seconds.", item=Whole(low=1_692_803_367)),
    "every": Maybe("Seconds between a beacon's occasions; null: as the timetable says, or an hour.",
                   item=Whole(low=60, high=366 * 86400)),
    "ballot": Maybe("How the pages ask: favourites (tap them) or stars; null: favourites, with a learner stars.",
                    item=Choice(known=BALLOTS)),
    "me": Maybe("Which of the members the organiser is, if she takes part.", item=NAME),
    "turns": Maybe("Turns with memory, and options proposed anew; null: none.", item=TURNS),
    "join": Flag("Whether there is one link by which people take their names.", default=True),
    "timetable": Maybe("When it decides by itself; null: by hand.", item=TIMETABLE),
})  # fmt: skip
SETTINGS = Object(fields={
    "webhook": Maybe("An address that is told of every new line.", item=Text(most=500), default=organising.UNCHANGED),
    "retention": Maybe("Days after which an unused group is erased.", item=Whole(low=1, high=36500),
        default=organising.UNCHANGED),
    "note": Text("A line for everyone in the group.", least=0, most=500, default=organising.UNCHANGED),
    "waiting": Flag("Whether members see who has not answered.", default=organising.UNCHANGED),
    "owed": Flag("With turns: whether members see what everyone is owed.", default=organising.UNCHANGED),
    "changes": Maybe("Before every how many rounds joins, departures and keys go on record; null: before each.",
        item=Whole(low=1, high=1000), default=organising.UNCHANGED),
    "results": Flag("Whether members with an address get results by mail.", default=organising.UNCHANGED),
    "remind": Maybe("Minutes before answers close at which the missing are asked by mail.",
        item=Whole(low=1, high=7 * 24 * 60), default=organising.UNCHANGED),
})  # fmt: skip
RATING = Object(fields={
    "round": Maybe("The round that happened; null: all options at once.", item=Whole(low=1)),
    "slot": Maybe("The slot of that round, from 0.", item=Whole(high=19)),
    "values": ByName("Stars by option; null takes a rating back.", item=Maybe(item=Real())),
    "at": Maybe("When your device signed it, in Unix seconds.", item=Whole()),
    "signature": Maybe("Your device's signature over the whole row.", item=Hex(digits=128)),
})  # fmt: skip
SLIP = Object(fields={
    "size": Whole("How many lines you have seen.", low=2),
    "head": Hex("The hash of the last of them.", digits=64),
    "at": Whole("The clock of your device, in Unix seconds."),
    "what": Choice("What you say.", known=("seen", "commit", "reveal", "dice")),
    "value": Maybe("A commitment, a number, or what dice showed, in hexadecimal.", item=Text(most=4400)),
    "signature": Hex(digits=128),
})  # fmt: skip
FORM = Object(fields={
    "count": Whole(low=1, high=200), "low": Whole(high=10**9), "high": Whole(high=10**9),
    "order": Choice("In which order numbers count.", known=ORDERS),
})  # fmt: skip
AMENDMENT = Object(fields={
    "field": Choice(known=("title", "block")),
    "value": Either(items=(Whole(low=1, high=20), Text())),
    "reason": Text(most=500),
})  # fmt: skip


def fields(**given: Any) -> Object:
    """A body of these fields."""
    return Object(fields=given)


ENDPOINTS = [
    Endpoint("GET", "/healthz", ANYONE, health, "Whether the service answers."),
    Endpoint("GET", "/openapi.json", ANYONE, openapi, "This description of the service."),
    Endpoint("POST", "/api/groups", ANYONE, create,
             "Make a group; needs the start link on a closed server.", NEW_GROUP, ONCE, LARGE, True),
    Endpoint("GET", GROUP, ANYONE, state, "The state of a group, as you may see it."),
    Endpoint("GET", f"{GROUP}/events", ANYONE, state,
             "A stream that tells of every change.", media="text/event-stream"),
    Endpoint("GET", f"{GROUP}/record", ANYONE, record, "The public record, JSON Lines.", media="application/jsonl",
             query={"after": "the hash of a line: what follows it", "lines": "how many; left out: all"}),
    Endpoint("GET", f"{GROUP}/calendar.ics", ANYONE, calendar,
             "What was decided for each day, and the next decision, as a calendar feed.", media="text/calendar",
             query={"lang": "en or de"}),
    Endpoint("GET", f"{GROUP}/voice", MEMBERS, voice, "What you were promised, and what you received."),
    Endpoint("GET", f"{GROUP}/receipt", MEMBERS, receipt, "What you need to check your own part of the record.",
             query={"last": "how many rounds; left out: all"}),
    Endpoint("GET", f"{GROUP}/names", INSIDE, names, "The names file of an open group.", query={}),
    Endpoint("GET", f"{GROUP}/export", ORGANISERS, export, "All that people said.", query={"format": "json or csv"}),
    Endpoint("GET", f"{GROUP}/links", ORGANISERS, links, "Which links are good, and when each was last opened."),
    Endpoint("POST", f"{GROUP}/session", ANYONE, open_session,
             "Change the secret of a link for a session of this device.", fields(token=Text(most=100)), plain=True),
    Endpoint("POST", f"{GROUP}/session/end", ANYONE, close_session, "End the session of this device.", plain=True),
    Endpoint("GET", f"{GROUP}/devices", INSIDE, devices, "Your devices: since when, and when each was last used."),
    Endpoint("POST", f"{GROUP}/devices/end", INSIDE, end_device, "End the session of one of your devices.",
             fields(place=Whole(low=1)), plain=True),
    Endpoint("POST", f"{GROUP}/join", ANYONE, joining.names, "The names behind a join link, and which are taken.",
             fields(token=Text(most=100)), plain=True),
    Endpoint("POST", f"{GROUP}/join/take", ANYONE, joining.take, "Take a free name for this device.",
             fields(token=Text(most=100), member=Whole(high=10**6)), plain=True),
    Endpoint("POST", f"{GROUP}/join/close", ORGANISERS, organising.close_join, "Make the join link void."),
    Endpoint("POST", f"{GROUP}/ratings", MEMBERS, rate, "Rate all options at once, or what happened.", RATING,
             paced=True),
    Endpoint("POST", f"{GROUP}/keys", MEMBERS, register_key, "Put your device's key on the next roster.",
             fields(key=Hex(digits=64), replace=Flag("Whether it may take the place of another device's.",
                    default=False))),
    Endpoint("POST", f"{GROUP}/say", MEMBERS, say, "Sign the record as you know it, and say something.",
             SLIP, MADE | {202: "A commitment, held until the freeze."}, plain=True),
    Endpoint("POST", f"{GROUP}/leave", MEMBERS, organising.leave_myself, "Leave the group."),
    Endpoint("POST", f"{GROUP}/roster", ORGANISERS, rounds.write_roster,
             "Write down who takes part; a freeze does so by itself.", answers=MADE),
    Endpoint("POST", f"{GROUP}/freeze", ORGANISERS, freeze, "Freeze the next round.",
             fields(event=Maybe("What is decided; under dice also what is thrown.", item=Text(most=80)),
                    form=Maybe("What is thrown (dice).", item=FORM),
                    undrawn=Flag("Leave the round that is open: it is never drawn.", default=False)),
             MADE | {202: "Under the group: open pages were asked for numbers; freeze again within 30 s."}, plain=True),
    Endpoint("POST", f"{GROUP}/draw", ORGANISERS, draw, "Draw the frozen round.",
             fields(value=Maybe(item=VALUE)), MADE, plain=True),
    Endpoint("POST", f"{GROUP}/override", ORGANISERS, rounds.override, "Put another option in a drawn slot.",
             fields(round=Whole(low=1), slot=Whole(high=19), arm=NAME, reason=Text(most=500)), MADE),
    Endpoint("POST", f"{GROUP}/options", ORGANISERS, organising.add_option, "Add an option.",
             fields(name=NAME, reason=Maybe(item=Text(most=500))), MADE),
    Endpoint("POST", f"{GROUP}/propose", INSIDE, organising.propose, "Propose an option for the next round (turns).",
             fields(name=NAME), MADE),
    Endpoint("POST", f"{GROUP}/withdraw", INSIDE, proposals.withdraw, "Take a proposal back before the freeze.",
             fields(name=NAME)),
    Endpoint("POST", f"{GROUP}/mask", ORGANISERS, rounds.mask, "Say which options are not possible for now.",
             fields(unavailable=Many(item=NAME, most=1000, distinct=True))),
    Endpoint("POST", f"{GROUP}/amend", ORGANISERS, rounds.amend,
             "Change the title or the block.", AMENDMENT, MADE),
    Endpoint("POST", f"{GROUP}/source", ORGANISERS, set_source,
             "Take another source of randomness from the next round on; a beacon only where this server fetches it.",
             fields(source=Choice(known=tuple(SOURCES)), first=NEW_GROUP.fields["first"],
                    every=NEW_GROUP.fields["every"], reason=Maybe(item=Text(most=500))), MADE, plain=True),
    Endpoint("POST", f"{GROUP}/timetable", ORGANISERS, organising.set_timetable,
             "Let the group decide by itself, or stop it.",
             fields(timetable=Maybe(item=TIMETABLE))),
    Endpoint("POST", f"{GROUP}/people", ORGANISERS, organising.join, "Let somebody join.",
             fields(name=NAME, weight=Whole("How many people she stands for.", low=1, high=10**6, default=1)), ONCE),
    Endpoint("POST", f"{GROUP}/people/mark", OWNER, people.mark, "Mark a member as organiser, or not.",
             fields(member=Whole(high=10**6), organiser=Whole(high=1))),
    Endpoint("POST", f"{GROUP}/people/leave", ORGANISERS, organising.leave,
             "Let somebody leave.", fields(member=Whole(high=10**6))),
    Endpoint("POST", f"{GROUP}/people/mail", ORGANISERS, contacts.set_address,
             "Keep a member's mail address, and invite her; null forgets it.",
             fields(member=Whole(high=10**6), address=Maybe(item=Text(most=320))), plain=True),
    Endpoint("POST", f"{GROUP}/mail", MEMBERS, contacts.set_address, "Keep your own mail address; null forgets it.",
             fields(address=Maybe(item=Text(most=320))), plain=True),
    Endpoint("POST", f"{GROUP}/remind", ORGANISERS, contacts.remind,
             "Ask those who have not answered, by mail; while a page is fixed, phones, by the webhook.",
             plain=True),
    Endpoint("GET", f"{GROUP}/webhook", OWNER, contacts.webhook, "The webhook, and the key that signs what it gets."),
    Endpoint("POST", f"{GROUP}/links", ORGANISERS, organising.reissue, "Issue a link again; the old one is void.",
             fields(role=Choice(known=(MEMBER, COORGANISER, ORGANISER, JOIN), default=MEMBER), number=Whole(high=10**6,
                    default=0)), ONCE),
    Endpoint("POST", f"{GROUP}/people/erase", OWNER, organising.erase,
             "Erase who somebody is.", fields(member=Whole(high=10**6))),
    Endpoint("POST", f"{GROUP}/coorganisers", OWNER, organising.invite, "Let somebody help.", fields(name=NAME), ONCE),
    Endpoint("POST", f"{GROUP}/coorganisers/dismiss", OWNER, organising.dismiss,
             "Take a co-organiser's link away.", fields(number=Whole(high=10**6))),
    Endpoint("POST", f"{GROUP}/settings", OWNER, settings,
             "Set the webhook, the retention and the note.", SETTINGS, plain=True),
    Endpoint("POST", f"{GROUP}/end", OWNER, rounds.end, "Close the record for good.", answers=MADE),
    Endpoint("POST", f"{GROUP}/delete", OWNER, organising.delete,
             "Erase the group with everything in it.", fields(title=Text())),
]  # fmt: skip
