"""A round, step by step: freeze, what members say, draw, override; and what changes between rounds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from isegoria.errors import InputError
from isegoria.record.changes import Change, Context, Invalid, NewEvent
from isegoria.record.fixing import PageTerms, begin, fix
from isegoria.record.format import lines
from isegoria.record.format.lines import NewLine, Said, chances
from isegoria.record.format.shapes import LONGEST_EVENT, TERMS
from isegoria.record.group import CLOSED, Group
from isegoria.record.proposals import propose
from isegoria.record.round import Round
from isegoria.record.sources import SOURCES
from isegoria.record.sources.beacon import speaks_at

BEFORE_BEACON = 120
"""A freeze comes at least so many seconds before its beacon speaks."""

CLOCKS = 60
"""The clock of a device and that of the keeper differ by at most so many seconds."""


# -- freeze ------------------------------------------------------------------------------------------------------------


def write_roster(context: Context) -> Change:
    """Write down who takes part: charter and roster of a new record, or a roster with what was gathered since."""
    group = context.group
    check_not_ended(group)
    if group.phase == CLOSED:
        raise InputError("a freeze is being worked out; wait for it.")
    events = begin(group, group.seats_to_come)
    return Change({"written": len(events)}, events)


def close(context: Context) -> Change:
    """Make later ratings late, unless that was done before. Of the body: `occasion` and `undrawn`."""
    group = context.group
    check_can_freeze(group, bool(context.body.get("undrawn")))
    if group.phase == CLOSED:
        return Change({})
    body = {"occasion": context.body["occasion"]}
    return Change({}, [NewEvent(f"close:{group.seq + 1}", "close", body)])


def reopen(group: Group) -> list[NewEvent]:
    """What opens a round again whose closing led to no page; nothing where none is closed."""
    return [NewEvent(f"reopen:{group.seq + 1}", "reopen")] if group.phase == CLOSED else []


class Uncommitted(InputError):
    """Under the source group: a freeze for which nobody has committed to a number yet."""


def check_can_freeze(group: Group, undrawn: bool = False) -> None:
    """Refuse a freeze that does not come next; `undrawn`: an open round may be left so, for ever."""
    check_can_ask(group, undrawn)
    if group.source == "group" and not group.commits:
        raise Uncommitted("nobody has committed to a number for this freeze; the source of this group is its members.")


def check_can_ask(group: Group, undrawn: bool = False) -> None:
    """The same, before anybody is asked for a number."""
    if group.ended:
        raise InputError("this group has ended; nothing more is drawn.")
    now = group.open
    if now is not None and now.speaks_at is not None:
        raise InputError(f"round {now.number} is frozen under a beacon; draw it before the next one, however late.")
    if now is not None and not undrawn:
        raise InputError(
            f"round {now.number} is frozen and not drawn; draw it, or leave it so: it then stands on record as never "
            "drawn, and the next draw is proved to nobody (--undrawn)."
        )
    if group.turns is not None and not group.available:
        raise InputError("nothing is on offer for the next round; propose something first.")


def freeze(context: Context) -> Change:
    """Close and freeze the next round at once. Of the body, if need be: `occasion`, `event`, `form`, `undrawn`."""
    group, body = context.group, context.body
    check_can_freeze(group, bool(body.get("undrawn")))
    occasion = checked_occasion(group, context.now, body.get("occasion"))
    closing = group.closing or group.coming(occasion)
    page = page_of(group, context.now, occasion, body.get("event"), body.get("form"))
    events = fix(group, closing, context.people, page).events
    line = events[-1].line
    assert line is not None
    shown = freeze_answer(group, line.said, line.hash)
    closed = close(Context(group, {"occasion": occasion, "undrawn": body.get("undrawn")}, context.now)).events
    return Change(shown, [*closed, *events])


def page_of(
    group: Group, now: int, occasion: int | None, event: str | None, form: Said | None, zone: tzinfo | None = None
) -> PageTerms:
    """What the keeper says of a page; an event that is not given is named after title and day."""
    if event is not None and not 1 <= len(event.strip()) <= LONGEST_EVENT:
        raise Invalid(f"event has {len(event.strip())} characters; expected 1 to {LONGEST_EVENT}.")
    return PageTerms(now, event.strip() if event is not None else usual_event(group, now, zone), occasion, form)


def usual_event(group: Group, now: int, zone: tzinfo | None = None) -> str:
    """`{title}, {date}`, with the time if that day has one already, cut to fit; new in the record."""
    day = datetime.fromtimestamp(now, zone or UTC)
    for end in (f", {day:%Y-%m-%d}", f", {day:%Y-%m-%d %H:%M}", f", {day:%Y-%m-%d %H:%M:%S}"):
        event = _cut(group.terms["title"], end)
        if event not in group.events:
            return event
    return _cut(group.terms["title"], f", {day:%Y-%m-%d %H:%M:%S}, round {group.next_round}")


def _cut(title: str, end: str) -> str:
    room = LONGEST_EVENT - len(end)
    return (title if len(title) <= room else title[: room - 1] + "…") + end


def checked_occasion(group: Group, now: int, wanted: int | None) -> int | None:
    """The occasion of the next page under a beacon, the next to come if none is wanted; None for other sources."""
    if group.source != "beacon":
        if wanted is not None:
            raise InputError(f"the source {group.source} takes no occasion; leave it out.")
        return None
    if wanted is None:
        return next_occasion(group, now)
    speaks = speaks_at(group.terms["source"], wanted)
    if speaks < now + BEFORE_BEACON:
        raise InputError(
            f"the beacon of occasion {wanted} {'has spoken' if speaks <= now else f'speaks in {speaks - now} s'}; a "
            f"freeze comes {BEFORE_BEACON} s before it, so that others can have its page in time."
        )
    return wanted


def next_occasion(group: Group, now: int) -> int:
    """The first occasion of a beacon's timetable that is far enough ahead, after the last one used."""
    source, last = group.terms["source"], group.last_occasion
    ahead = max(0, (now - source["first"]) // source["every"])
    found = ahead if last is None else max(ahead, last + 1)
    while speaks_at(source, found) < now + BEFORE_BEACON:
        found += 1
    return int(found)


def freeze_answer(group: Group, said: Said, hash: bytes) -> dict[str, Any]:
    """What a freeze is answered with; it follows from the record alone, so that every repeat has the same bytes."""
    arms, policy, fair = group.options, chances(said, group.turns), said["line"] == "freeze"
    return {
        "round": said["round"],
        "kind": "fair" if fair else "trial",
        "freeze": hash.hex(),
        "block": said["block"] if fair else 1,
        "event": said["event"] if fair else None,
        "policy": None if policy is None else dict(zip(arms, policy, strict=False)),
        "arm": None if fair else arms[said["arm"]],
        "answered": said["count"] if fair else 0,
    }


# -- what members say --------------------------------------------------------------------------------------------------


def say(context: Context) -> Change:
    """A member's device says something: the body is a slip without `by`. Clocks must agree, and a beacon be silent."""
    at, now = context.body["at"], context.group.open
    if abs(at - context.now) > CLOCKS:
        raise InputError(
            f"the clock of this device and that of the server differ by {abs(at - context.now)} s, more than {CLOCKS}; "
            "set the clock, and sign again."
        )
    if now is not None and now.speaks_at is not None and context.now >= now.speaks_at:
        raise InputError(f"the beacon of round {now.number} has spoken; sign again after the draw.")
    return _said(context.group, {**context.body, "by": context.member})


def add(context: Context) -> Change:
    """A slip that was handed over, of any time. The body is the slip, and `late`: also after a beacon has spoken."""
    slip = {key: value for key, value in context.body.items() if key != "late"}
    now = context.group.open
    if now is not None and now.speaks_at is not None and context.now >= now.speaks_at and not context.body.get("late"):
        raise InputError(
            f"the beacon of round {now.number} has spoken at {now.speaks_at}; add this after the draw, or now with "
            "--late: only the time that the member signed decides whether she was in time."
        )
    return _said(context.group, slip)


def _said(group: Group, slip: Said) -> Change:
    if not group.begun:
        raise InputError("the record has not begun; there is nothing to sign yet.")
    line = lines.say(group, slip)
    by, size, what = slip["by"], slip["size"], slip["what"]
    return _one({"member": by, "said": what, "size": size}, f"say:{by}:{size}:{what}", line)


# -- draw --------------------------------------------------------------------------------------------------------------


def draw(context: Context) -> Change:
    """Draw the frozen round from what its source said. Of the body: `value`, what was typed."""
    group, now = context.group, context.group.open
    if now is None:
        raise InputError("no round is frozen; freeze one first.")
    if now.speaks_at is not None and context.now < now.speaks_at:
        raise InputError(f"the beacon speaks at {now.speaks_at}; draw after that.")
    source = SOURCES[now.source["kind"]].spoken(group, now, typed(context.body["value"]), context.secret)
    line = lines.draw(group, source)
    return _one(draw_answer(group.arms, now, line.said), f"draw:{now.number}", line)


def typed(value: str | list[int] | None) -> str | None:
    """What a source said, as it would be typed: numbers with commas between."""
    return ",".join(map(str, value)) if isinstance(value, list) else value


def draw_answer(arms: list[str], now: Round, said: Said | None) -> dict[str, Any]:
    """What a draw is answered with; it follows from the lines alone, so that every repeat has the same bytes."""
    assert said is not None
    return {
        "round": now.number,
        "kind": "fair" if now.fair else "trial",
        "arms": [arms[arm] for arm in said["arms"]],
        "balls": said["balls"],
        "source": said["source_bytes"],
    }


def override(context: Context) -> Change:
    """Put another option in a slot of a round, drawn or not, with a reason; what was drawn stays on record.

    Of the body: `round`, `slot`, `arm`, `reason`; by a member also `by` and her `signature`.
    """
    group, body, number = context.group, context.body, context.body["round"]
    round_ = group.round(number)
    if round_ is None:
        raise InputError(f"round {number} has not been frozen.")
    if body["arm"] not in group.arms:
        raise Invalid(f"arm is {body['arm']!r}, which is no option of this group.")
    if body["slot"] >= round_.block:
        raise Invalid(f"slot is {body['slot']}; round {number} has slots 0 to {round_.block - 1}.")
    if group.learns and round_ is group.last and group.phase == CLOSED:
        raise InputError("a freeze is being worked out; wait for it.")
    arm, by = group.arms.index(body["arm"]), body.get("by")
    line = lines.override(group, number, body["slot"], arm, body["reason"], by, body.get("signature"))
    answer = {"round": number, "slot": body["slot"], "arm": body["arm"], "reason": body["reason"]}
    return _one(answer, f"override:{number}:{body['slot']}", line)


# -- between rounds ----------------------------------------------------------------------------------------------------


def add_option(context: Context) -> Change:
    """Add an option, behind those there are; it counts from the next freeze."""
    group, name = context.group, context.body["name"]
    if group.turns is not None:
        return propose(context)
    if name in group.arms:
        raise InputError(f"{name!r} is an option already.")
    answer = {"arm": name, "number": len(group.arms)}
    return _amended(group, "arms", [*group.arms, name], context.body["reason"] or "a new option", answer)


def amend(context: Context) -> Change:
    """Change a rule of the charter; it counts from the next freeze. Of the body: `field`, `value`, `reason`."""
    body = context.body
    answer = {"field": body["field"], "value": body["value"]}
    return _amended(context.group, body["field"], body["value"], body["reason"], answer)


def _amended(group: Group, field: str, value: object, reason: str, answer: Mapping[str, Any]) -> Change:
    """An amendment; before the record begins, its charter will simply say it."""
    check_between(group)
    if field == "arms" and group.proposals:
        raise InputError("options have been proposed, and go on record at the freeze; propose this one too.")
    if not group.begun:
        if not TERMS[field](value):
            raise InputError(f"{field} is {value!r}, which a charter cannot say.")
        return Change(dict(answer), [NewEvent(f"draft:{group.seq + 1}", "draft", {"field": field, "value": value})])
    return _one(dict(answer), f"amend:{group.seq + 1}", lines.amend(group, field, value, reason))


def mask(context: Context) -> Change:
    """Say which options are not possible for now; the next freeze leaves them out."""
    group = context.group
    for name in context.body["unavailable"]:
        if name not in group.options:
            raise Invalid(f"unavailable has {name!r}, which is no option of this group.")
    masked = sorted({group.options.index(name) for name in context.body["unavailable"]})
    if len(masked) == len(group.options):
        raise Invalid("unavailable names every option; leave at least one.")
    answer = {"unavailable": [group.options[arm] for arm in masked]}
    return Change(answer, [NewEvent(f"mask:{group.seq + 1}", "mask", {"masked": masked})])


def end(context: Context) -> Change:
    """End the record for good; everything can still be read and checked. Of the body: `reason`, if any."""
    group = context.group
    check_between(group)
    if group.open is not None and group.open.speaks_at is not None:
        raise InputError(f"round {group.open.number} is frozen under a beacon; draw it before the end.")
    first = begin(group, group.entries) if not group.begun else []
    line = lines.amend(group.after(first), "end", None, context.body.get("reason") or "the group has ended")
    return Change({"ended": True}, [*first, NewEvent("end", "amend", {}, line)])


def check_between(group: Group) -> None:
    """Refuse what has to wait until no freeze is being worked out."""
    check_not_ended(group)
    if group.phase == CLOSED:
        raise InputError(f"round {group.next_round} is being decided; wait for its freeze.")


def check_not_ended(group: Group) -> None:
    """Refuse what a group that has ended no longer does."""
    if group.ended:
        raise InputError("this group has ended; its record is closed.")


def _one(answer: dict[str, Any], key: str, line: NewLine) -> Change:
    """A change of one line."""
    return Change(answer, [NewEvent(key, line.said["line"], {}, line)])
