"""Actions of the organiser besides the record: links, co-organisers, timetable, settings, and deletion of the group."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from isegoria.errors import InputError
from isegoria.record.actions import members, proposals, rounds
from isegoria.record.actions.action import ActionContext, ActionResult, InvalidActionError, NewEvent
from isegoria.service.groups.occurrences import find_first_open_occurrence, find_timetable_start, get_timetable
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.groups.result_writer import StoreActionResult
from isegoria.service.groups.timetable import (
    BeaconTimetable,
    Timetable,
    compute_beacon_times,
    format_today,
    validate_start,
)
from isegoria.service.http.http_errors import Conflict, Forbidden
from isegoria.service.http.tokens import (
    ROLE_COORGANISER,
    ROLE_JOIN,
    ROLE_MEMBER,
    ROLE_ORGANISER,
    Actor,
    generate_token,
    hash_token,
    make_token_row,
)
from isegoria.service.store import Store
from isegoria.utils.messages import Message

MAX_GROUP_CELLS = 1_000_000
"""Maximum of people times options in a group: a freeze of this size takes a few seconds and two hundred megabytes."""


def validate_group_size(people: int, options: int) -> None:
    """Raise `Conflict` if a group is too large for a shared server."""
    if people * options > MAX_GROUP_CELLS:
        raise Conflict(
            Message(
                "people_options_server_works_out_together",
                people=people,
                options=options,
                max_people=MAX_GROUP_CELLS // options,
                max_options=MAX_GROUP_CELLS // people,
            )
        )


def add_member(context: ActionContext) -> ActionResult:
    """Add a new member, who takes the name by the join link or a letter; they count from the next freeze."""
    validate_group_size(len(context.group.members) + 1, len(context.group.options))
    return members.join(context)


def add_option(context: ActionContext) -> ActionResult:
    """Add an option, unless the group would become too large."""
    validate_group_size(len(context.group.members), len(context.group.options) + 1)
    return rounds.add_option(context)


def propose(context: ActionContext) -> ActionResult:
    """Propose an option, unless the group would become too large."""
    validate_group_size(len(context.group.members), len(context.group.options) + 1)
    return proposals.propose_option(context)


def remove_member(context: ActionContext) -> ActionResult:
    """Remove a member from the next freeze on and revoke their link; their number is never reused."""
    return StoreActionResult.of(members.remove_member(context), revoked=[(ROLE_MEMBER, context.body["member"])])


def leave_group(context: ActionContext) -> ActionResult:
    """Leave the group as a member; the public page stays visible, but the member's link is revoked."""
    return StoreActionResult.of(members.leave_group(context), revoked=[(ROLE_MEMBER, context.member)])


def erase_member(context: ActionContext) -> ActionResult:
    """Erase a member's identity: name, secrets and links. A present member leaves; ratings stay under a bare number."""
    member = context.body["member"]
    return StoreActionResult.of(
        members.erase_member(context), revoked=[(ROLE_MEMBER, member)], unanswered=[(ROLE_MEMBER, member)]
    )


def reissue_link(context: ActionContext) -> ActionResult:
    """Issue a link again and revoke the old one.

    A member's new link changes the next roster: no key until a device registers one. Only the organiser may reissue the
    organiser's link or a co-organiser's link.
    """
    group, role, number = context.group, context.body["role"], context.body["number"]
    if role == ROLE_JOIN:
        rounds.require_active_group(group)
        number = 0
    elif role == ROLE_MEMBER:
        change, token = (
            members.reissue_link(ActionContext(**{**vars(context), "body": {"member": number}})),
            generate_token(),
        )
        row = make_token_row(token, group.address, ROLE_MEMBER, number, context.now)
        events = [*change.events, _make_link_event(context, role, number)]
        answer = {"role": role, "number": number, "token": token}
        return StoreActionResult.of(
            change, answer=answer, events=events, tokens=[row], once=True, revoked=[(ROLE_MEMBER, number)]
        )
    elif role == ROLE_ORGANISER:
        number = 0
        if context.role != ROLE_ORGANISER:
            raise Forbidden(Message("organiser_own_link_issued_again_organiser"))
    elif number not in group.coorganisers:
        raise InvalidActionError(Message("no_co_organiser", number=number))
    elif context.role != ROLE_ORGANISER:
        raise Forbidden(Message("co_organiser_link_issued_again_organiser_only"))
    event = _make_link_event(context, role, number)
    return _issue_link(context, {"role": role, "number": number}, event, role, number, revoked=[(role, number)])


def _make_link_event(context: ActionContext, role: str, number: int) -> NewEvent:
    """Return the log event that says which link was issued again, and by which role."""
    body = {"role": role, "number": number, "by": context.role}
    return NewEvent(f"link:{role}:{number}:{context.group.seq + 1}", "link", body)


def close_join_link(context: ActionContext) -> ActionResult:
    """Revoke the join link; from now on only private links give access."""
    event = _make_link_event(context, ROLE_JOIN, 0)
    return StoreActionResult({"closed": True}, [event], revoked=[(ROLE_JOIN, 0)])


def invite_coorganiser(context: ActionContext) -> ActionResult:
    """Invite a co-organiser, who runs rounds and manages people but may not delete, erase or invite."""
    group, number = context.group, context.group.invited + 1
    rounds.require_active_group(group)
    body = {"number": number, "name": context.body["name"]}
    return _issue_link(context, body, NewEvent(f"invite:{number}", "invite", body), ROLE_COORGANISER, number)


def _issue_link(
    context: ActionContext, answer: dict[str, Any], event: NewEvent, role: str, number: int, **kept: Any
) -> StoreActionResult:
    """Return a change that issues a link; its response, which contains the token, is not stored."""
    token = generate_token()
    row = make_token_row(token, context.group.address, role, number, context.now)
    return StoreActionResult(answer | {"token": token}, [event], tokens=[row], once=True, **kept)


def dismiss_coorganiser(context: ActionContext) -> ActionResult:
    """Revoke a co-organiser's link and erase their name from the log."""
    number = context.body["number"]
    if number not in context.group.coorganisers:
        raise InputError(Message("no_co_organiser", number=number))
    event = NewEvent(f"dismiss:{number}", "dismiss", {"number": number})
    nameless = {f"invite:{number}": {"number": number, "name": ""}}
    return StoreActionResult(
        {"number": number, "dismissed": True}, [event], revoked=[(ROLE_COORGANISER, number)], scrubbed=nameless
    )


def set_timetable(context: ActionContext) -> ActionResult:
    """Set the timetable by which the group decides automatically: daily, on weekdays or weekly. Null removes it."""
    group, asked = context.group, context.body["timetable"]
    rounds.require_active_group(group)
    validate_timetable_source(group.source, asked)
    if asked is not None and group.source == "beacon":
        return _set_beacon_timetable(context, asked)
    base = find_timetable_start(group, context.now)
    decided = base < find_first_open_occurrence(group)
    kept = None if asked is None else normalise_timetable(asked, base, context.now, False, decided)
    return _make_settings_result(context, {"timetable": kept})


def _set_beacon_timetable(context: ActionContext, asked: Mapping[str, Any]) -> ActionResult:
    """Set the timetable of a group under a beacon; other times amend the charter, which contains them."""
    group, now = context.group, context.group.terms["source"]
    held = get_timetable(group) or BeaconTimetable(now["first_at"], now["interval_seconds"], zone=asked["zone"])
    named = {name: asked[name] for name in ("recurrence", "time") if asked[name] is not None}
    asked = {**held.asked(), **asked, **{name: held.asked()[name] for name in ("recurrence", "time")}, **named}
    change = _make_settings_result(context, {"timetable": normalise_timetable(asked, 1, context.now, beacon=True)})
    first, every = compute_beacon_times(asked, context.now)
    if not named or (every == now["interval_seconds"] and (first - now["first_at"]) % every == 0):
        return change
    if group.open is not None:
        raise InputError(Message("round_fixed_time", number=group.open.number))
    terms = {**now, "first_at": first, "interval_seconds": every}
    amended = rounds.amend(
        ActionContext(group, {"field": "source", "value": terms, "reason": "other times"}, context.now)
    )
    (event,) = change.events
    return StoreActionResult.of(change, events=[*amended.events, event._replace(key=f"{event.key}:times")])


def validate_timetable_source(source: str, timetable: Mapping[str, Any] | None) -> None:
    """Raise `InputError` for a timetable under the source `group`, where one closed device would block every draw."""
    if source == "commit_reveal" and timetable is not None:
        raise InputError(Message("members_own_devices_add_numbers_only"))


def normalise_timetable(
    asked: Mapping[str, Any], base: int, now: int, beacon: bool, decided: bool = False
) -> dict[str, Any]:
    """Return a timetable as stored settings, starting at occurrence `base`.

    It starts on the requested day, if any. Otherwise it starts on the first day whose ratings have not closed yet; if
    occurrence `base` was `decided` before, on the first day whose time of day is still to come. Under a `beacon` the
    charter contains the times; only the lead, the zone and whether weekends are skipped are stored.
    """
    asked = {**asked, "recurrence": asked["recurrence"] or "daily", "time": asked["time"] or "12:00"}
    if beacon:
        return {"lead": asked["lead"], "zone": asked["zone"], "weekdays": asked["recurrence"] == "weekdays"}
    try:
        if asked["start"] is not None:
            validate_start(asked["start"], now)
            return Timetable(**asked, base=base).to_dict()
        table = Timetable(**{**asked, "start": format_today(asked["zone"], now)}, base=base)
        if (table.at(base) if decided else table.opens(base)) <= now:
            later = date.fromisoformat(table.start) + timedelta(days=7 if table.recurrence == "weekly" else 1)
            table = replace(table, start=later.isoformat())
        return table.to_dict()
    except InputError as error:
        raise InvalidActionError(error.message) from error


def apply_settings(context: ActionContext) -> ActionResult:
    """Change the given settings, such as webhook, retention or note; omitted ones stay as they are."""
    return _make_settings_result(context, dict(context.body))


def _make_settings_result(context: ActionContext, settings: dict[str, Any]) -> StoreActionResult:
    event = NewEvent(f"setting:{context.group.seq + 1}", "setting", settings)
    return StoreActionResult(settings, [event], due=context.now)


def delete_group(context: ActionContext) -> ActionResult:
    """Delete the group with everything in it; the body must repeat its title."""
    title = context.group.terms["title"]
    if context.body["title"] != title:
        raise InvalidActionError(Message("title_not_match", title=title))
    return StoreActionResult({"deleted": context.group.address}, removes=True)


class _UnchangedType:
    def __repr__(self) -> str:
        return "unchanged"


UNCHANGED_VALUE = _UnchangedType()


# -- links issued by the server's administrator, who has full access to the store --------------------------------------


def create_start_link(store: Store) -> str:
    """Issue a new start link and return its token; it allows creating groups on a closed server.

    Earlier start links are revoked. Every process that uses this store accepts the new one.
    """
    token = generate_token()
    with store.writing() as session:
        session.replace_start(hash_token(token), int(time.time()))
    return token


def reissue_organiser_link(store: Store, group: str) -> str:
    """Reissue the link of a group's organiser and return its token; the group's log records it."""
    actor = Actor(group, ROLE_ORGANISER, 0, "")
    answer = GroupRepository(store).act(actor, reissue_link, {"role": ROLE_ORGANISER, "number": 0})
    return str(json.loads(answer.body)["token"])
