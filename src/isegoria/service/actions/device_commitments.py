"""Device commitments: collected when somebody freezes a round, held for 30 seconds, and written with the freeze.

A device that has committed must still be there to reveal its number, or its round is never drawn. Commitments are
therefore collected only on request. Each open page repeats its commitment every few seconds, and only recently repeated
ones are written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from isegoria.errors import InputError
from isegoria.record.actions import rounds
from isegoria.record.actions.action import Action, ActionContext, ActionResult, NewEvent
from isegoria.record.format.record_view import LinePayload
from isegoria.record.freeze import build_roster_events
from isegoria.record.state.group import PHASE_CLOSED, Group
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.groups.result_writer import encode_body
from isegoria.service.http.http_errors import Conflict
from isegoria.service.http.request import Reply
from isegoria.service.http.tokens import Actor
from isegoria.service.request_context import RequestContext
from isegoria.service.store import ResponseRow, Transaction
from isegoria.utils.messages import Message

COMMITMENT_WINDOW_SECONDS = 30
"""Seconds for which commitments are held before a freeze."""
PRESENCE_TIMEOUT_SECONDS = 8
"""A page counts as open if it sent a request within this many seconds; an open page sends one every three seconds."""


def post_statement(context: RequestContext) -> Reply:
    """Accept a member's signed statement: hold a commitment until the freeze, write any other to the record.

    A commitment is answered with status 202. The page repeats it for as long as it is held.
    """
    actor, body, key, body_digest = context.require_actor(), context.body, context.key, context.body_digest
    if body["kind"] != "commit":
        answer = context.groups.act(actor, rounds.submit_statement, body, key, body_digest, status=201)
        return Reply(answer.body.encode(), answer.status)
    now = context.now

    def hold(session: Transaction, group: Group) -> None:
        session.hold(actor.group, actor.number, encode_body(body), now)

    answer = context.groups.act(actor, _accept_commitment, body, look=hold)
    return Reply(answer.body.encode(), 202)


def _accept_commitment(context: ActionContext) -> ActionResult:
    """Validate a commitment and return the change that says how long it is held."""
    if context.now >= context.group.asked_until:
        raise InputError(Message("nobody_asks_numbers_now"))
    rounds.submit_statement(context)
    return ActionResult({"member": context.member, "said": "commit", "held_until": context.group.asked_until})


def load_open_commitments(session: Transaction, group: Group, now: int) -> dict[int, LinePayload]:
    """Return the held commitments of pages that are open now, by member.

    Only members whose key stays on the next roster are included.
    """
    if now >= group.asked_until:
        return {}
    seats = group.seats_to_come
    rows = [
        row
        for row in session.held(group.address)
        if now - row.at <= PRESENCE_TIMEOUT_SECONDS and _keeps_key(group, seats, row.number)
    ]
    return {row.number: json.loads(row.slip) for row in rows}


def _keeps_key(group: Group, seats: list[LinePayload | None], number: int) -> bool:
    held = group.roster["members"][number] if number < len(group.roster["members"]) else None
    coming = seats[number] if number < len(seats) else None
    return held is not None and coming is not None and held["key"] == coming["key"] is not None


def collect_commitments(groups: GroupRepository, actor: Actor, body: Mapping[str, Any]) -> ResponseRow | None:
    """Collect device commitments before a freeze if the group's randomness source is `group`.

    Return the response to send while devices are being asked, or None once the commitments are written or none are
    needed.
    """
    now = int(groups.clock())
    with groups.reading(actor.group) as (group, session):
        wanted = (
            group.source == "commit_reveal" and group.phase != PHASE_CLOSED and not group.commits and not group.ended
        )
        if not wanted or (group.open is not None and not body.get("undrawn")):
            return None
        asked, here = now < group.asked_until, load_open_commitments(session, group, now)

    def release(session: Transaction, group: Group) -> None:
        session.release(actor.group)

    if asked and not here:
        raise Conflict(Message("no_phone_added_number_yet"))
    action = _make_commit_action(here) if asked else _make_request_action(bool(body.get("undrawn")))
    answer = groups.act(actor, action, body, look=release, status=202)
    return None if asked else answer


def _make_request_action(undrawn: bool) -> Action:
    """Return the action that asks every open page for its commitment.

    It first writes the charter and roster, where needed, so that the record lists the devices' keys.
    """

    def act(context: ActionContext) -> ActionResult:
        group = context.group
        rounds.require_can_commit(group, undrawn)
        until = context.now + COMMITMENT_WINDOW_SECONDS
        events = build_roster_events(group, group.seats_to_come)
        asked = NewEvent(f"call:{group.seq + len(events) + 1}", "call", {"until": until})
        return ActionResult({"round": group.next_round, "asked_until": until}, [*events, asked])

    return act


def _make_commit_action(here: Mapping[int, LinePayload]) -> Action:
    """Return the action that writes the commitments of devices that are still there, in order of member number."""

    def act(context: ActionContext) -> ActionResult:
        twin, events, hashes = context.group, [], set[str]()
        for number, slip in sorted(here.items()):
            try:
                (event,) = rounds.submit_statement(ActionContext(twin, slip, context.now, member=number)).events
            except InputError:  # the record has grown and this commitment no longer fits: do not wait for the member
                continue
            if slip["value"] not in hashes and event.line is not None:
                hashes.add(slip["value"])
                events.append(event)
                twin = twin.behind(event.line)
        return ActionResult({"members": len(events)}, events)

    return act
