"""Where a group's randomness comes from: as its charter will say it, and changed later by an amendment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record import rounds
from isegoria.record.changes import Action, Change, Context, NewEvent
from isegoria.record.group import Group
from isegoria.record.sources import SOURCES
from isegoria.service.groups import StoreChange
from isegoria.service.http.refusals import BadRequest
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor
from isegoria.service.occasions import first_undecided, timetable_of
from isegoria.service.organising import begun, check_by_hand
from isegoria.service.timetable import FURTHEST, beacon_times

if TYPE_CHECKING:
    from isegoria.service.app import Service

HOUR = 3600
"""Without a timetable a beacon's occasions are the full hours: a page that is frozen by hand waits for the next."""


def offered(relay: str | None) -> list[str]:
    """The sources that this server offers, the usual one first: a beacon only where its rounds can be fetched."""
    others = [name for name in SOURCES if name != "beacon"]
    return ["beacon", *others] if relay else others


def source_terms(
    kind: str, first: int | None, every: int | None, timetable: Mapping[str, Any] | None, now: int
) -> dict[str, Any]:
    """A source as a charter writes it. A beacon's times are those given, those of a timetable, or the full hours."""
    if kind != "beacon":
        if first is not None or every is not None:
            raise BadRequest("first and every belong to a beacon; give another group a timetable after it was made.")
        return SOURCES[kind].terms()
    if first is None and every is None and timetable is not None:
        first, every = beacon_times(timetable, now)
    every = every or HOUR
    first = first if first is not None else (now // every + 1) * every
    if abs(first - now) > FURTHEST:
        raise BadRequest("first is more than ten years from now; expected a time in Unix seconds.")
    return SOURCES["beacon"].terms(first=first, every=every)


def set_source(
    service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """Take another source of randomness from the next round on; it stands on record."""
    action = _changing(body, service.settings.relay)
    answer = service.groups.act(actor, action, body, key, body_digest, status=201)
    return Reply(answer.body.encode(), answer.status)


def _changing(body: Mapping[str, Any], relay: str | None) -> Action:
    """The amendment, and the timetable as the new source keeps it."""

    def act(context: Context) -> Change:
        group, kind = context.group, body["source"]
        if kind not in offered(relay):
            raise InputError("this server fetches no beacon; start it with --relay ADDRESS, or take another source.")
        if group.open is not None:
            raise InputError(f"round {group.open.number} is fixed under the source that it has; draw it first.")
        check_by_hand(kind, group.settings["timetable"])
        table = timetable_of(group)
        asked = None if table is None else table.asked()
        terms = source_terms(kind, body["first"], body["every"], asked, context.now)
        answer = {"source": terms}
        if terms == group.terms["source"] or (kind == group.source and body["first"] is None):
            return Change({"source": group.terms["source"]})
        reason = body["reason"] or f"the randomness comes from another source: {kind}"
        change = rounds.amend(Context(group, {"field": "source", "value": terms, "reason": reason}, context.now))
        kept = [] if asked is None else [_rekept(group, change, asked, context.now)]
        return StoreChange(answer, [*change.events, *kept], due=None if asked is None else context.now)

    return act


def _rekept(group: Group, change: Change, asked: Mapping[str, Any], now: int) -> NewEvent:
    """The setting that keeps the same times under the source that the change brings."""
    after = group.after(change.events)
    kept = begun(asked, max(1, first_undecided(after)), now, after.source == "beacon")
    return NewEvent(f"setting:{group.seq + 1 + len(change.events)}", "setting", {"timetable": kept})
