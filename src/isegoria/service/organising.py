"""What a group's keeper does beside the record: links, co-organisers, the timetable, settings, and the end of it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from isegoria.errors import InputError
from isegoria.record import people, proposals, rounds
from isegoria.record.changes import Change, Context, Invalid, NewEvent
from isegoria.service.groups import Groups, StoreChange
from isegoria.service.http.refusals import Conflict, Forbidden
from isegoria.service.http.tokens import COORGANISER, JOIN, MEMBER, ORGANISER, Actor, new_token, token_hash, token_row
from isegoria.service.occasions import first_to_come, first_undecided, timetable_of
from isegoria.service.store import Store
from isegoria.service.timetable import Clockwork, Timetable, beacon_times, check_start, today

MOST = 1_000_000
"""People times options of one group: a freeze of so many takes some seconds and two hundred megabytes."""


def check_size(people: int, options: int) -> None:
    """Refuse a group that is too large for a server that others use too."""
    if people * options > MOST:
        raise Conflict(
            f"{people} people and {options} options are more than a server works out together; "
            f"expected at most {MOST // options} people, or {MOST // people} options."
        )


def join(context: Context) -> Change:
    """Let somebody join, with a link of her own: she counts from the next freeze."""
    check_size(len(context.group.members) + 1, len(context.group.options))
    change, token = people.join(context), new_token()
    row = token_row(token, context.group.address, MEMBER, change.answer["member"], context.now)
    return StoreChange.of(change, answer=change.answer | {"token": token}, tokens=[row], once=True)


def add_option(context: Context) -> Change:
    """Add an option, as the record does, while there is room for one."""
    check_size(len(context.group.members), len(context.group.options) + 1)
    return rounds.add_option(context)


def propose(context: Context) -> Change:
    """Propose an option, as the record does, while there is room for one."""
    check_size(len(context.group.members), len(context.group.options) + 1)
    return proposals.propose(context)


def leave(context: Context) -> Change:
    """Let a member leave, from the next freeze on; her number is never given again."""
    return StoreChange.of(people.leave(context), revoked=[(MEMBER, context.body["member"])])


def leave_myself(context: Context) -> Change:
    """Leave the group; the link still opens the public page, but rates no more."""
    return StoreChange.of(people.leave_myself(context), revoked=[(MEMBER, context.member)])


def erase(context: Context) -> Change:
    """Erase who a member is: name, secrets and links. She leaves first; her ratings stay under a bare number."""
    member = context.body["member"]
    return StoreChange.of(people.erase(context), revoked=[(MEMBER, member)], unanswered=[(MEMBER, member)])


def reissue(context: Context) -> Change:
    """Issue a link again: the old one is void. A member's is a line of the next roster: a new secret, and no key.

    Only the owner re-issues her own.
    """
    group, role, number = context.group, context.body["role"], context.body["number"]
    if role == JOIN:
        rounds.check_not_ended(group)
        number = 0
    elif role == MEMBER:
        change, token = people.reissue(Context(**{**vars(context), "body": {"member": number}})), new_token()
        row = token_row(token, group.address, MEMBER, number, context.now)
        events = [*change.events, _link(context, role, number)]
        answer = {"role": role, "number": number, "token": token}
        return StoreChange.of(change, answer=answer, events=events, tokens=[row], once=True, revoked=[(MEMBER, number)])
    elif role == ORGANISER:
        number = 0
        if context.role != ORGANISER:
            raise Forbidden("the organiser's own link is issued again by the organiser only.")
    elif number not in group.coorganisers:
        raise Invalid(f"there is no co-organiser {number}.")
    elif context.role != ORGANISER:
        raise Forbidden("a co-organiser's link is issued again by the organiser only.")
    event = _link(context, role, number)
    return _linked(context, {"role": role, "number": number}, event, role, number, revoked=[(role, number)])


def _link(context: Context, role: str, number: int) -> NewEvent:
    """The log's note of a link that was issued again, and by whom."""
    body = {"role": role, "number": number, "by": context.role}
    return NewEvent(f"link:{role}:{number}:{context.group.seq + 1}", "link", body)


def close_join(context: Context) -> Change:
    """Make the join link void: from now on only private links let anybody in."""
    event = _link(context, JOIN, 0)
    return StoreChange({"closed": True}, [event], revoked=[(JOIN, 0)])


def invite(context: Context) -> Change:
    """Let somebody help: a co-organiser runs rounds and people, but does not delete, erase or invite."""
    group, number = context.group, context.group.invited + 1
    rounds.check_not_ended(group)
    body = {"number": number, "name": context.body["name"]}
    return _linked(context, body, NewEvent(f"invite:{number}", "invite", body), COORGANISER, number)


def _linked(
    context: Context, answer: dict[str, Any], event: NewEvent, role: str, number: int, **kept: Any
) -> StoreChange:
    """A change that issues a link, which is shown once."""
    token = new_token()
    row = token_row(token, context.group.address, role, number, context.now)
    return StoreChange(answer | {"token": token}, [event], tokens=[row], once=True, **kept)


def dismiss(context: Context) -> Change:
    """Take a co-organiser's link away."""
    number = context.body["number"]
    if number not in context.group.coorganisers:
        raise InputError(f"there is no co-organiser {number}.")
    event = NewEvent(f"dismiss:{number}", "dismiss", {"number": number})
    nameless = {f"invite:{number}": {"number": number, "name": ""}}
    return StoreChange(
        {"number": number, "dismissed": True}, [event], revoked=[(COORGANISER, number)], scrubbed=nameless
    )


def set_timetable(context: Context) -> Change:
    """Let the group decide by itself: daily, on weekdays or weekly. Null stops it."""
    group, asked = context.group, context.body["timetable"]
    rounds.check_not_ended(group)
    check_by_hand(group.source, asked)
    if asked is not None and group.source == "beacon":
        return _beacon_timetable(context, asked)
    base = first_to_come(group, context.now)
    decided = base < first_undecided(group)
    kept = None if asked is None else begun(asked, base, context.now, False, decided)
    return _set(context, {"timetable": kept})


def _beacon_timetable(context: Context, asked: Mapping[str, Any]) -> Change:
    """The same under a beacon: its times stand in the charter, so that other times are an amendment."""
    group, now = context.group, context.group.terms["source"]
    held = timetable_of(group) or Clockwork(now["first"], now["every"], zone=asked["zone"])
    named = {name: asked[name] for name in ("recurrence", "time") if asked[name] is not None}
    asked = {**held.asked(), **asked, **{name: held.asked()[name] for name in ("recurrence", "time")}, **named}
    change = _set(context, {"timetable": begun(asked, 1, context.now, beacon=True)})
    first, every = beacon_times(asked, context.now)
    if not named or (every == now["every"] and (first - now["first"]) % every == 0):
        return change
    if group.open is not None:
        raise InputError(f"round {group.open.number} is fixed for its time; draw it first, then change the times.")
    terms = {**now, "first": first, "every": every}
    amended = rounds.amend(Context(group, {"field": "source", "value": terms, "reason": "other times"}, context.now))
    (event,) = change.events
    return StoreChange.of(change, events=[*amended.events, event._replace(key=f"{event.key}:times")])


def check_by_hand(source: str, timetable: Mapping[str, Any] | None) -> None:
    """Refuse a timetable where one closed phone would stop it."""
    if source == "group" and timetable is not None:
        raise InputError(
            "members' own devices add numbers only while people are there; decide by hand, or take another source."
        )


def begun(asked: Mapping[str, Any], base: int, now: int, beacon: bool, decided: bool = False) -> dict[str, Any]:
    """A timetable as it is kept, from an occasion on. Its first day is the one asked for; else the first on which
    answers can still be given, or where the occasion was `decided` before, whose time of day is still to come. Under a
    beacon the charter has the times, and only the lead, the zone and whether weekends are left out are kept.
    """
    asked = {**asked, "recurrence": asked["recurrence"] or "daily", "time": asked["time"] or "12:00"}
    if beacon:
        return {"lead": asked["lead"], "zone": asked["zone"], "weekdays": asked["recurrence"] == "weekdays"}
    try:
        if asked["start"] is not None:
            check_start(asked["start"], now)
            return Timetable(**asked, base=base).to_dict()
        table = Timetable(**{**asked, "start": today(asked["zone"], now)}, base=base)
        if (table.at(base) if decided else table.opens(base)) <= now:
            later = date.fromisoformat(table.start) + timedelta(days=7 if table.recurrence == "weekly" else 1)
            table = replace(table, start=later.isoformat())
        return table.to_dict()
    except InputError as error:
        raise Invalid(str(error)) from error


def set_settings(context: Context) -> Change:
    """Change the webhook, the retention or the note; what is left out stays."""
    return _set(context, dict(context.body))


def _set(context: Context, settings: dict[str, Any]) -> StoreChange:
    event = NewEvent(f"setting:{context.group.seq + 1}", "setting", settings)
    return StoreChange(settings, [event], due=context.now)


def delete(context: Context) -> Change:
    """Erase the group with everything in it; the body must repeat its title."""
    title = context.group.terms["title"]
    if context.body["title"] != title:
        raise Invalid(f"title does not match; repeat {title!r} to delete the group for good.")
    return StoreChange({"deleted": context.group.address}, removes=True)


class _Unchanged:
    def __repr__(self) -> str:
        return "unchanged"


UNCHANGED = _Unchanged()


# -- links that whoever runs the server issues: she has the store, and so everything -----------------------------------


def start_link(store: Store) -> str:
    """The token of a new start link: with it groups are made on a closed server, by any process on this store."""
    token = new_token()
    with store.writing() as session:
        session.replace_start(token_hash(token), int(time.time()))
    return token


def organiser_link(store: Store, group: str) -> str:
    """The token of a new link of a group's organiser; the one before is void, and the group's log says so."""
    actor = Actor(group, ORGANISER, 0, "")
    answer = Groups(store).act(actor, reissue, {"role": ORGANISER, "number": 0})
    return str(json.loads(answer.body)["token"])
