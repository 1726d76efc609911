"""Numbers of members' own devices: asked for when somebody freezes, held for half a minute, written with the freeze.

A device that has committed must still be there to reveal, or its round is never drawn. So commitments come only when
they are asked for, each page says its own again every few seconds, and only those heard from just now are written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record import rounds
from isegoria.record.changes import Action, Change, Context, NewEvent
from isegoria.record.fixing import begin
from isegoria.record.format.lines import Said
from isegoria.record.group import CLOSED, Group
from isegoria.service.groups import compact
from isegoria.service.http.refusals import Conflict
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor
from isegoria.service.store import AnswerRow, Session

if TYPE_CHECKING:
    from isegoria.service.app import Service

HOLD = 30
"""Seconds for which numbers are held."""
HEARD = 8
"""A page counts as open if it was heard from within so many seconds; it speaks every three."""


def say(service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str) -> Reply:
    """Sign the record as you know it; a commitment is held until the freeze, and said again while it is."""
    if body["what"] != "commit":
        answer = service.groups.act(actor, rounds.say, body, key, body_digest, status=201)
        return Reply(answer.body.encode(), answer.status)
    now = int(service.groups.clock())

    def hold(session: Session, group: Group) -> None:
        session.hold(actor.group, actor.number, compact(body), now)

    answer = service.groups.act(actor, _held, body, look=hold)
    return Reply(answer.body.encode(), 202)


def _held(context: Context) -> Change:
    """What is said of a commitment that is good, and wanted now."""
    if context.now >= context.group.asked_until:
        raise InputError("nobody asks for numbers now; the organiser does so by freezing a round.")
    rounds.say(context)
    return Change({"member": context.member, "said": "commit", "held_until": context.group.asked_until})


def phones(session: Session, group: Group, now: int) -> dict[int, Said]:
    """The commitments of pages that are open at this moment, by member; of keys that stay on the roster."""
    if now >= group.asked_until:
        return {}
    seats = group.seats_to_come
    rows = [row for row in session.held(group.address) if now - row.at <= HEARD and _stays(group, seats, row.number)]
    return {row.number: json.loads(row.slip) for row in rows}


def _stays(group: Group, seats: list[Said | None], number: int) -> bool:
    held = group.roster["members"][number] if number < len(group.roster["members"]) else None
    coming = seats[number] if number < len(seats) else None
    return held is not None and coming is not None and held["key"] == coming["key"] is not None


def gathered(service: Service, actor: Actor, body: Mapping[str, Any]) -> AnswerRow | None:
    """Before a freeze under the group: what is answered while numbers are asked for; None once they are written."""
    now = int(service.groups.clock())
    with service.groups.reading(actor.group) as (group, session):
        wanted = group.source == "group" and group.phase != CLOSED and not group.commits and not group.ended
        if not wanted or (group.open is not None and not body.get("undrawn")):
            return None
        asked, here = now < group.asked_until, phones(session, group, now)

    def release(session: Session, group: Group) -> None:
        session.release(actor.group)

    if asked and not here:
        raise Conflict("no phone has added a number yet; open this group on phones that sign, and tap again.")
    action = _writing(here) if asked else _asking(bool(body.get("undrawn")))
    answer = service.groups.act(actor, action, body, look=release, status=202)
    return None if asked else answer


def _asking(undrawn: bool) -> Action:
    """The action that asks every open page for its number, over a record that names its key."""

    def act(context: Context) -> Change:
        group = context.group
        rounds.check_can_ask(group, undrawn)
        until = context.now + HOLD
        events = begin(group, group.seats_to_come)
        asked = NewEvent(f"call:{group.seq + len(events) + 1}", "call", {"until": until})
        return Change({"round": group.next_round, "asked_until": until}, [*events, asked])

    return act


def _writing(here: Mapping[int, Said]) -> Action:
    """The action that writes the commitments of those who are still there, the lowest number first."""

    def act(context: Context) -> Change:
        twin, events, hashes = context.group, [], set[str]()
        for number, slip in sorted(here.items()):
            try:
                (event,) = rounds.say(Context(twin, slip, context.now, member=number)).events
            except InputError:  # the record has grown so that this one no longer fits: she is not waited for
                continue
            if slip["value"] not in hashes and event.line is not None:
                hashes.add(slip["value"])
                events.append(event)
                twin = twin.behind(event.line)
        return Change({"members": len(events)}, events)

    return act
