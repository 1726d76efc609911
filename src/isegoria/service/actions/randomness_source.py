"""The source of a group's randomness: its terms in the charter, and its change by an amendment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isegoria.errors import InputError
from isegoria.record.actions import rounds
from isegoria.record.actions.action import Action, ActionContext, ActionResult, NewEvent
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.state.group import Group
from isegoria.service.actions.administration import normalise_timetable, validate_timetable_source
from isegoria.service.groups.occurrences import find_first_open_occurrence, get_timetable
from isegoria.service.groups.result_writer import StoreActionResult
from isegoria.service.groups.timetable import MAX_START_DISTANCE_SECONDS, compute_beacon_times
from isegoria.service.http.http_errors import BadRequest
from isegoria.service.http.request import Reply
from isegoria.service.request_context import RequestContext
from isegoria.utils.messages import FieldPath, Message

DEFAULT_BEACON_INTERVAL_SECONDS = 3600
"""Without a timetable, a beacon's occurrences are the full hours: a page that is frozen by hand waits for the next."""


def list_offered_sources(relay: str | None) -> list[str]:
    """Return the sources that this server offers, default first: a beacon only if a relay is set."""
    others = [name for name in RANDOMNESS_SOURCES if name != "beacon"]
    return ["beacon", *others] if relay else others


def build_source_terms(
    kind: str, first: int | None, every: int | None, timetable: Mapping[str, Any] | None, now: int
) -> dict[str, Any]:
    """Return a source's terms for the charter.

    A beacon's times are the given ones, those of the timetable, or every full hour.
    """
    if kind != "beacon":
        if first is not None or every is not None:
            raise BadRequest(Message("first_every_belong_beacon"))
        return RANDOMNESS_SOURCES[kind].terms()
    if first is None and every is None and timetable is not None:
        first, every = compute_beacon_times(timetable, now)
    every = every or DEFAULT_BEACON_INTERVAL_SECONDS
    first = first if first is not None else (now // every + 1) * every
    if abs(first - now) > MAX_START_DISTANCE_SECONDS:
        raise BadRequest(Message("first_ten_years_now", field=FieldPath("first")))
    return RANDOMNESS_SOURCES["beacon"].terms(first=first, every=every)


def set_source(context: RequestContext) -> Reply:
    """Change the source of randomness from the next round on, by an amendment on the record."""
    actor, body, key, body_digest = context.require_actor(), context.body, context.key, context.body_digest
    action = _make_source_action(body, context.settings.relay)
    answer = context.groups.act(actor, action, body, key, body_digest, status=201)
    return Reply(answer.body.encode(), answer.status)


def _make_source_action(body: Mapping[str, Any], relay: str | None) -> Action:
    """Return the action that writes the amendment, and the timetable in the form that the new source needs."""

    def act(context: ActionContext) -> ActionResult:
        group, kind = context.group, body["source"]
        if kind not in list_offered_sources(relay):
            raise InputError(Message("server_fetches_no_beacon"))
        if group.open is not None:
            raise InputError(Message("round_fixed_under_source", number=group.open.number))
        validate_timetable_source(kind, group.settings["timetable"])
        table = get_timetable(group)
        asked = None if table is None else table.asked()
        terms = build_source_terms(kind, body["first"], body["every"], asked, context.now)
        answer = {"source": terms}
        if terms == group.terms["source"] or (kind == group.source and body["first"] is None):
            return ActionResult({"source": group.terms["source"]})
        reason = body["reason"] or f"the randomness comes from another source: {kind}"
        change = rounds.amend(ActionContext(group, {"field": "source", "value": terms, "reason": reason}, context.now))
        kept = [] if asked is None else [_make_timetable_event(group, change, asked, context.now)]
        return StoreActionResult(answer, [*change.events, *kept], due=None if asked is None else context.now)

    return act


def _make_timetable_event(group: Group, change: ActionResult, asked: Mapping[str, Any], now: int) -> NewEvent:
    """Return the setting event that keeps the same times under the new source."""
    after = group.after(change.events)
    kept = normalise_timetable(asked, max(1, find_first_open_occurrence(after)), now, after.source == "beacon")
    return NewEvent(f"setting:{group.seq + 1 + len(change.events)}", "setting", {"timetable": kept})
