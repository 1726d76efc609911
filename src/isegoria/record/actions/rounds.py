"""Actions of a round: freeze, sign, draw, override; and those between rounds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from isegoria.errors import InputError
from isegoria.record.actions.action import ActionContext, ActionResult, InvalidActionError, NewEvent
from isegoria.record.actions.proposals import propose_option
from isegoria.record.format import lines
from isegoria.record.format.line_order import name_statement
from isegoria.record.format.lines import SealedLine, compute_policy
from isegoria.record.format.record_view import LinePayload
from isegoria.record.format.schema import MAX_TITLE_CHARACTERS, TERM_SCHEMAS
from isegoria.record.freeze import FreezeTerms, build_freeze, build_roster_events
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.sources.beacon import compute_beacon_time
from isegoria.record.state.group import PHASE_CLOSED, Group
from isegoria.record.state.round import Round
from isegoria.utils.messages import FieldPath, Message

MIN_BEACON_LEAD_SECONDS = 120
"""A freeze must precede its beacon round by at least this many seconds."""

MAX_CLOCK_SKEW_SECONDS = 60
"""The clocks of a device and of the store may differ by at most this many seconds."""


# -- freeze ------------------------------------------------------------------------------------------------------------


def write_roster(context: ActionContext) -> ActionResult:
    """Write who takes part: charter and roster of a new record, or a roster if the members have changed."""
    group = context.group
    require_active_group(group)
    if group.phase == PHASE_CLOSED:
        raise InputError(Message("freeze_being_worked_out"))
    events = build_roster_events(group, group.seats_to_come)
    return ActionResult({"written": len(events)}, events)


def close_ratings(context: ActionContext) -> ActionResult:
    """Set the cutoff of the next freeze, so that later ratings are late; do nothing if it is set.

    The body has `occurrence` and `undrawn`.
    """
    group = context.group
    require_can_freeze(group, bool(context.body.get("undrawn")))
    if group.phase == PHASE_CLOSED:
        return ActionResult({})
    body = {"occurrence": context.body["occurrence"], "absent": group.absent_at(context.now)}
    return ActionResult({}, [NewEvent(f"close:{group.seq + 1}", "close", body)])


def reopen_ratings(group: Group) -> list[NewEvent]:
    """Return the event that reopens a round whose cutoff led to no page; none if there is no cutoff."""
    return [NewEvent(f"reopen:{group.seq + 1}", "reopen")] if group.phase == PHASE_CLOSED else []


class CommitmentsMissingError(InputError):
    """A freeze under the source `commit_reveal` for which no member has committed to a number yet."""


def require_can_freeze(group: Group, undrawn: bool = False) -> None:
    """Raise `InputError` if a freeze cannot come next. With `undrawn`, an open round may stay undrawn for good."""
    require_can_commit(group, undrawn)
    if group.source == "commit_reveal" and not group.commits:
        raise CommitmentsMissingError(Message("nobody_committed_number_freeze"))


def require_can_commit(group: Group, undrawn: bool = False) -> None:
    """Raise `InputError` if a freeze cannot come next; commitments are not required yet."""
    if group.ended:
        raise InputError(Message("group_ended"))
    now = group.open
    if now is not None and now.speaks_at is not None:
        raise InputError(Message("round_frozen_under_beacon", number=now.number))
    if now is not None and not undrawn:
        raise InputError(Message("round_frozen_not_drawn", number=now.number))
    if group.turns is not None and not group.available:
        raise InputError(Message("nothing_offer_next_round"))


def freeze(context: ActionContext) -> ActionResult:
    """Set the cutoff and freeze the next round at once.

    The body may have `occurrence`, `event`, `form` and `undrawn`.
    """
    group, body = context.group, context.body
    require_can_freeze(group, bool(body.get("undrawn")))
    occurrence = resolve_occurrence(group, context.now, body.get("occurrence"))
    closing = group.closing or group.coming(occurrence, group.absent_at(context.now))
    page = build_freeze_terms(group, context.now, occurrence, body.get("event"), body.get("form"))
    events = build_freeze(group, closing, context.people, page).events
    line = events[-1].line
    assert line is not None
    shown = format_freeze_response(group, line.said, line.hash)
    closed = close_ratings(
        ActionContext(group, {"occurrence": occurrence, "undrawn": body.get("undrawn")}, context.now)
    ).events
    return ActionResult(shown, [*closed, *events])


def build_freeze_terms(
    group: Group,
    now: int,
    occurrence: int | None,
    event: str | None,
    form: LinePayload | None,
    zone: tzinfo | None = None,
) -> FreezeTerms:
    """Return the terms of a page. Without `event`, it is named after the title and the day."""
    if event is not None and not 1 <= len(event.strip()) <= MAX_TITLE_CHARACTERS:
        raise InvalidActionError(
            Message(
                "event_characters",
                field=FieldPath("event"),
                count=len(event.strip()),
                max_event_characters=MAX_TITLE_CHARACTERS,
            )
        )
    return FreezeTerms(
        now, event.strip() if event is not None else default_event_title(group, now, zone), occurrence, form
    )


def default_event_title(group: Group, now: int, zone: tzinfo | None = None) -> str:
    """Return a name that is new in the record: title and date, cut to fit, with the time if the day has one already."""
    day = datetime.fromtimestamp(now, zone or UTC)
    for end in (f", {day:%Y-%m-%d}", f", {day:%Y-%m-%d %H:%M}", f", {day:%Y-%m-%d %H:%M:%S}"):
        event = _truncate_title(group.terms["title"], end)
        if event not in group.titles:
            return event
    return _truncate_title(group.terms["title"], f", {day:%Y-%m-%d %H:%M:%S}, round {group.next_round}")


def _truncate_title(title: str, end: str) -> str:
    room = MAX_TITLE_CHARACTERS - len(end)
    return (title if len(title) <= room else title[: room - 1] + "…") + end


def resolve_occurrence(group: Group, now: int, wanted: int | None) -> int | None:
    """Return the occurrence of the next page under a beacon, by default the next one; None for other sources."""
    if group.source != "beacon":
        if wanted is not None:
            raise InputError(Message("source_takes_no_occurrence", source=group.source))
        return None
    if wanted is None:
        return find_next_occurrence(group, now)
    speaks = compute_beacon_time(group.terms["source"], wanted)
    if speaks < now + MIN_BEACON_LEAD_SECONDS:
        raise InputError(
            Message(
                "beacon_occurrence",
                occurrence=wanted,
                time="has spoken" if speaks <= now else f"speaks in {speaks - now} s",
                lead_seconds=MIN_BEACON_LEAD_SECONDS,
            )
        )
    return wanted


def find_next_occurrence(group: Group, now: int) -> int:
    """Return the first occurrence of a beacon's timetable that is far enough ahead and after the last one used."""
    source, last = group.terms["source"], group.last_occurrence
    ahead = max(0, (now - source["first_at"]) // source["interval_seconds"])
    found = ahead if last is None else max(ahead, last + 1)
    while compute_beacon_time(source, found) < now + MIN_BEACON_LEAD_SECONDS:
        found += 1
    return int(found)


def format_freeze_response(group: Group, said: LinePayload, hash: bytes) -> dict[str, Any]:
    """Return the response to a freeze. It depends on the record only, so that every repetition gives the same bytes."""
    arms, policy, fair = group.options, compute_policy(said, group.turns), said["line"] == "freeze"
    return {
        "round": said["round"],
        "kind": "fair" if fair else "trial",
        "freeze": hash.hex(),
        "block": said["block"] if fair else 1,
        "event": said["title"] if fair else None,
        "policy": None if policy is None else dict(zip(arms, policy, strict=False)),
        "arm": None if fair else arms[said["arm"]],
        "answered": said["leaf_count"] if fair else 0,
    }


# -- signed statements -------------------------------------------------------------------------------------------------


def submit_statement(context: ActionContext) -> ActionResult:
    """Record a signed statement of a member's device. The body is a slip without `member`.

    Raise `InputError` if the clocks differ too much, or if the beacon of the open round has spoken.
    """
    at, now = context.body["at"], context.group.open
    if abs(at - context.now) > MAX_CLOCK_SKEW_SECONDS:
        raise InputError(
            Message(
                "clock_device_server_differ_s",
                seconds=abs(at - context.now),
                max_clock_skew_seconds=MAX_CLOCK_SKEW_SECONDS,
            )
        )
    if now is not None and now.speaks_at is not None and context.now >= now.speaks_at:
        raise InputError(Message("beacon_round_spoken", number=now.number))
    return _append_statement(context.group, {**context.body, "member": context.member})


def add_statement(context: ActionContext) -> ActionResult:
    """Record a signed statement that was handed over, made at any time.

    The body is the slip, and `late`: accept it even after the beacon of the open round has spoken.
    """
    slip = {key: value for key, value in context.body.items() if key != "late"}
    now = context.group.open
    if now is not None and now.speaks_at is not None and context.now >= now.speaks_at and not context.body.get("late"):
        raise InputError(
            Message("beacon_round_spoken_add_after_draw_now_late", number=now.number, speaks_at=now.speaks_at)
        )
    return _append_statement(context.group, slip)


def _append_statement(group: Group, slip: LinePayload) -> ActionResult:
    if not group.begun:
        raise InputError(Message("record_not_begun"))
    line = lines.build_statement_line(group, slip)
    by, size, name = slip["member"], slip["size"], name_statement(slip)
    return _build_line_result({"member": by, "said": slip["kind"], "size": size}, f"say:{by}:{size}:{name}", line)


# -- draw --------------------------------------------------------------------------------------------------------------


def draw(context: ActionContext) -> ActionResult:
    """Draw the frozen round from what its source said. The body has `value`, the value as typed."""
    group, now = context.group, context.group.open
    if now is None:
        raise InputError(Message("no_round_frozen"))
    if now.speaks_at is not None and context.now < now.speaks_at:
        raise InputError(Message("beacon_speaks", speaks_at=now.speaks_at))
    source = RANDOMNESS_SOURCES[now.source["kind"]].spoken(
        group, now, format_typed_value(context.body["value"]), context.secret
    )
    line = lines.build_draw_line(group, source)
    return _build_line_result(format_draw_response(group.arms, now, line.said), f"draw:{now.number}", line)


def format_typed_value(value: str | list[int] | None) -> str | None:
    """Return the value of a source as it would be typed: numbers separated by commas."""
    return ",".join(map(str, value)) if isinstance(value, list) else value


def format_draw_response(arms: list[str], now: Round, said: LinePayload | None) -> dict[str, Any]:
    """Return the response to a draw. It depends on the lines only, so that every repetition gives the same bytes."""
    assert said is not None
    return {
        "round": now.number,
        "kind": "fair" if now.fair else "trial",
        "arms": [arms[arm] for arm in said["arms"]],
        "balls": said["balls"],
        "source": said["source_bytes"],
    }


def override(context: ActionContext) -> ActionResult:
    """Put another option in a slot of a round, drawn or not, with a reason; what was drawn stays on record.

    The body has `round`, `slot`, `arm` and `reason`; an override by a member also has `by` and their `signature`.
    """
    group, body, number = context.group, context.body, context.body["round"]
    round_ = group.round(number)
    if round_ is None:
        raise InputError(Message("round_not_frozen", number=number))
    if body["arm"] not in group.arms:
        raise InvalidActionError(Message("arm_no_option_group", field=FieldPath("arm"), arm=body["arm"]))
    if body["slot"] >= round_.block:
        raise InvalidActionError(
            Message(
                "slot_round_slots",
                field=FieldPath("slot"),
                slot=body["slot"],
                number=number,
                last_slot=round_.block - 1,
            )
        )
    if (group.learns or group.terms["resting"]) and round_ is group.last and group.phase == PHASE_CLOSED:
        raise InputError(Message("freeze_being_worked_out"))
    arm, by = group.arms.index(body["arm"]), body.get("by")
    line = lines.build_override_line(group, number, body["slot"], arm, body["reason"], by, body.get("signature"))
    answer = {"round": number, "slot": body["slot"], "arm": body["arm"], "reason": body["reason"]}
    return _build_line_result(answer, f"override:{number}:{body['slot']}", line)


# -- between rounds ----------------------------------------------------------------------------------------------------


def add_option(context: ActionContext) -> ActionResult:
    """Add an option after the existing ones; it counts from the next freeze. With turns, propose it instead."""
    group, name = context.group, context.body["name"]
    if group.turns is not None:
        return propose_option(context)
    if name in group.arms:
        raise InputError(Message("option_already", name=name))
    answer = {"arm": name, "number": len(group.arms)}
    return _build_amendment(group, "arms", [*group.arms, name], context.body["reason"] or "a new option", answer)


def amend(context: ActionContext) -> ActionResult:
    """Change a rule of the charter from the next freeze on. The body has `field`, `value` and `reason`."""
    body = context.body
    answer = {"field": body["field"], "value": body["value"]}
    return _build_amendment(context.group, body["field"], body["value"], body["reason"], answer)


def _build_amendment(group: Group, field: str, value: object, reason: str, answer: Mapping[str, Any]) -> ActionResult:
    """Build an amendment or, before the record begins, a change of its future charter."""
    require_between_rounds(group)
    if field == "arms" and group.proposals:
        raise InputError(Message("options_proposed_go_record_freeze"))
    if not group.begun:
        if not TERM_SCHEMAS[field].accepts(value):
            raise InputError(Message("charter_cannot_say", field=field, value=value))
        return ActionResult(
            dict(answer), [NewEvent(f"draft:{group.seq + 1}", "draft", {"field": field, "value": value})]
        )
    return _build_line_result(
        dict(answer), f"amend:{group.seq + 1}", lines.build_amendment_line(group, field, value, reason)
    )


def mask_options(context: ActionContext) -> ActionResult:
    """Set the options that are not possible for now; the next freeze leaves them out."""
    group = context.group
    for name in context.body["unavailable"]:
        if name not in group.options:
            raise InvalidActionError(Message("unavailable_no_option_group", field=FieldPath("unavailable"), name=name))
    masked = sorted({group.options.index(name) for name in context.body["unavailable"]})
    if len(masked) == len(group.options):
        raise InvalidActionError(Message("unavailable_names_every_option"))
    answer = {"unavailable": [group.options[arm] for arm in masked]}
    return ActionResult(answer, [NewEvent(f"mask:{group.seq + 1}", "mask", {"masked": masked})])


def end_record(context: ActionContext) -> ActionResult:
    """End the record for good; everything can still be read and checked. The body may have `reason`."""
    group = context.group
    require_between_rounds(group)
    if group.open is not None and group.open.speaks_at is not None:
        raise InputError(Message("round_frozen_under_beacon_draw_before_end", number=group.open.number))
    first = build_roster_events(group, group.entries) if not group.begun else []
    line = lines.build_amendment_line(
        group.after(first), "end", None, context.body.get("reason") or "the group has ended"
    )
    return ActionResult({"ended": True}, [*first, NewEvent("end", "amend", {}, line)])


def require_between_rounds(group: Group) -> None:
    """Raise `InputError` if the group has ended or a freeze is being computed."""
    require_active_group(group)
    if group.phase == PHASE_CLOSED:
        raise InputError(Message("round_being_decided", next_round=group.next_round))


def require_active_group(group: Group) -> None:
    """Raise `InputError` if the group has ended."""
    if group.ended:
        raise InputError(Message("group_ended_record_closed"))


def _build_line_result(answer: dict[str, Any], key: str, line: SealedLine) -> ActionResult:
    """Build a change of one line."""
    return ActionResult(answer, [NewEvent(key, line.said["line"], {}, line)])
