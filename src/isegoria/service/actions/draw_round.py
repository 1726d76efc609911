"""Draw a frozen round, over HTTP and by the timetable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isegoria.errors import InputError
from isegoria.record.actions import rounds
from isegoria.record.actions.action import Action, ActionContext, ActionResult
from isegoria.record.actions.rounds import (
    format_draw_response,
    format_typed_value,
)
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.sources.beacon import fetch_signature
from isegoria.record.state.group import Group
from isegoria.record.state.round import Round
from isegoria.service.actions.freeze_round import MAX_ATTEMPTS
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.groups.result_writer import ConcurrentChangeError, StoreActionResult
from isegoria.service.http.http_errors import Conflict, translate_record_errors
from isegoria.service.http.request import Reply
from isegoria.service.http.tokens import Actor
from isegoria.service.request_context import RequestContext
from isegoria.service.store import ResponseRow
from isegoria.utils.messages import Message


class _BeaconNotFetchedError(Conflict):
    """Raised if the beacon's value must be fetched and checked before the draw."""

    def __init__(self, now: Round) -> None:
        super().__init__("the beacon's word was not checked yet.")
        self.now = now


def draw(context: RequestContext) -> Reply:
    """Draw the frozen round: status 201, or 200 with the same bytes if it was drawn already."""
    actor, relay = context.require_actor(), context.settings.relay
    answer = draw_frozen_round(context.groups, relay, actor, context.body, context.key, context.body_digest)
    return Reply(answer.body.encode(), answer.status)


def draw_on_schedule(groups: GroupRepository, relay: str | None, actor: Actor) -> None:
    """Draw the frozen round by the timetable; another process may have drawn it, or the source may be late."""
    draw_frozen_round(groups, relay, actor, {"value": None})


def draw_frozen_round(
    groups: GroupRepository,
    relay: str | None,
    actor: Actor,
    body: Mapping[str, Any],
    key: str | None = None,
    body_digest: str = "",
) -> ResponseRow:
    """Draw the frozen round and return the response; start again when the record has grown meanwhile."""
    value, heard = format_typed_value(body["value"]), None
    for _ in range(MAX_ATTEMPTS):
        try:
            action = _make_draw_action({**body, "value": value}, heard)
            return groups.act(actor, action, body, key, body_digest, status=201)
        except _BeaconNotFetchedError as unheard:
            value, heard = _fetch_beacon(relay, unheard.now, value), unheard.now.number
        except ConcurrentChangeError:
            continue
    raise Conflict(Message("no_round_frozen"))


def _make_draw_action(body: Mapping[str, Any], heard: int | None) -> Action:
    """Return the action that draws the frozen round; `heard` is the number of the round whose beacon was checked."""

    def act(context: ActionContext) -> ActionResult:
        group, now, last = context.group, context.group.open, context.group.last
        if now is None and group.closing is None and last is not None and last.happened:
            _validate_repeated_draw(group, last, body["value"])
            return ActionResult(format_draw_response(group.arms, last, last.draw or _build_trial_draw(last)))
        if now is not None and now.speaks_at is not None and heard != now.number:
            if context.now < now.speaks_at:
                raise InputError(Message("beacon_speaks_s", seconds=now.speaks_at - context.now))
            raise _BeaconNotFetchedError(now)
        if now is not None and now.source["kind"] == "dice" and body["value"] is None:
            raise InputError(Message("group_throws_dice"))
        change = rounds.draw(ActionContext(group, body, context.now, secret=context.secret))
        events = list(change.events)
        if group.settings.get("once"):
            end = ActionContext(group.after(events), {"reason": "decided once"}, context.now)
            events += rounds.end_record(end).events
        return StoreActionResult.of(change, events=events, due=context.now)

    return act


def _build_trial_draw(last: Round) -> dict[str, Any]:
    """Return a first trial in the form of a draw: it needs no draw, but gets the same kind of response."""
    return {"arms": last.drawn, "balls": [], "source_bytes": None}


def _validate_repeated_draw(group: Group, last: Round, value: str | None) -> None:
    """Raise `InputError` if a draw of dice is repeated with other numbers."""
    drawn = last.draw["source_bytes"] if last.draw else None
    if value is None or drawn is None or last.source["kind"] != "dice":
        return
    if RANDOMNESS_SOURCES["dice"].spoken(group, last, value).hex() != drawn:
        raise InputError(Message("round_drawn_already_other_numbers", number=last.number))


def _fetch_beacon(relay: str | None, now: Round, value: str | None) -> str:
    """Return the beacon's value for the frozen round, as given or fetched, after checking it."""
    with translate_record_errors():
        if value is None:
            if relay is None:
                raise InputError(Message("no_relay_set_relay_address"))
            value = fetch_signature(now.source["chain"], now.freeze["source_round"], relay)
        return RANDOMNESS_SOURCES["beacon"].spoken(Group(), now, value).hex()
