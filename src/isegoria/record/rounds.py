"""A round, step by step: commit, freeze, witness, reveal, draw; void, override; and what changes between rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isegoria.errors import InputError
from isegoria.record.changes import Change, Context, Invalid, NewEvent
from isegoria.record.ed25519 import verify
from isegoria.record.fixing import fix
from isegoria.record.format import lines
from isegoria.record.format.lines import NewLine, Said, chances, exploring
from isegoria.record.format.messages import check_message, value_message
from isegoria.record.group import CLOSED, FROZEN, Group, Round
from isegoria.record.sources import SOURCES


def commit(context: Context) -> Change:
    """A member commits to a number for the next round, by its hash."""
    group, number = context.group, context.group.next_round
    line = lines.commit(group, context.member, context.body["hash"])
    return _one({"round": number, "committed": True}, f"commit:{number}:{context.member}", line)


# -- freeze ------------------------------------------------------------------------------------------------------------


def close(context: Context) -> Change:
    """Make later ratings late, unless that was done before. Of the body: `occasion`."""
    group = context.group
    check_can_freeze(group)
    if group.phase == CLOSED:
        return Change({})
    body = {"occasion": context.body["occasion"]}
    return Change({}, [NewEvent(f"close:{group.next_round}", "close", body)])


def check_can_freeze(group: Group) -> None:
    """Refuse a freeze that does not come next."""
    if group.ended:
        raise InputError("this group has ended; nothing more is drawn.")
    if group.phase == FROZEN:
        raise InputError(f"round {len(group.rounds)} is frozen; draw it before the next one.")
    if group.source == "group" and not group.commits:
        raise InputError("nobody has committed to a number yet; the source of this group is its members.")


def freeze(context: Context) -> Change:
    """Close and freeze the next round at once. Of the body: `occasion`, `event` and `form`."""
    group, body = context.group, context.body
    check_can_freeze(group)
    occasion = body["occasion"]
    if occasion is None and group.source == "beacon":
        occasion = next_occasion(group, context.now)
    closing = group.closing or group.coming(occasion)
    events = fix(group, closing, context.people, occasion=occasion, event=body["event"], form=body["form"]).events
    line = events[-1].line
    assert line is not None
    shown = freeze_answer(group.arms, line.said, line.hash)
    return Change(shown, [*close(Context(group, {"occasion": occasion}, context.now)).events, *events])


def next_occasion(group: Group, now: int) -> int:
    """The first occasion of a beacon's timetable that is still to come, after the last one used."""
    source, last = group.terms["source"], group.last_occasion
    ahead = max(0, (now - source["first"]) // source["every"] + 1)
    return int(ahead if last is None else max(ahead, last + 1))


def freeze_answer(arms: list[str], said: Said, hash: bytes) -> dict[str, Any]:
    """What a freeze is answered with; it follows from the line alone, so that every repeat has the same bytes."""
    policy = chances(said)
    return {
        "round": said["round"],
        "kind": said["kind"],
        "freeze": hash.hex(),
        "block": said["block"],
        "policy": None if policy is None else dict(zip(arms, policy, strict=False)),
        "arm": None if said["arm"] is None else arms[said["arm"]],
        "exploring": exploring(said),
        "answered": said["answered"],
    }


# -- what members do after a freeze ------------------------------------------------------------------------------------


def witness(context: Context) -> Change:
    """A member's device has seen the frozen page, and signs that; after a beacon has spoken it is too late."""
    now, body = frozen_round(context.group), context.body
    if body["freeze"] != now.freeze_hash.hex():
        raise InputError("this is not the page that is frozen now; look at it again.")
    if now.speaks_at is not None and body["at"] >= now.speaks_at:
        raise InputError(f"the beacon of round {now.number} has spoken at {now.speaks_at}; witnessing is over.")
    line = lines.witness(context.group, context.member, body["at"], _bytes(body["signature"]))
    key = f"witness:{now.number}:{context.member}"
    return _one({"round": now.number, "witness": context.member}, key, line)


def reveal(context: Context) -> Change:
    """A member opens her commitment to the frozen round."""
    now, body = frozen_round(context.group), context.body
    value = bytes.fromhex(body["value"])
    line = lines.reveal(context.group, context.member, value, _bytes(body["signature"]))
    return _one({"round": now.number, "revealed": True}, f"reveal:{now.number}:{context.member}", line)


def seen(context: Context) -> Change:
    """A member has seen the dice, and signs their value; the draw carries the signatures of the value drawn."""
    group, member, now = context.group, context.member, frozen_round(context.group)
    if now.source["kind"] != "dice":
        raise InputError("only the value of dice is signed.")
    value = SOURCES["dice"].spoken(group, now, typed(context.body["value"]))
    key = (now.roster["members"][member] or {}).get("key") if now.has(member) else None
    if key is None:
        raise InputError("your device had no key when this round was frozen; it can sign from the next round on.")
    message = value_message(group.charter_hash, now.freeze_hash, value)
    if not verify(bytes.fromhex(key), message, bytes.fromhex(context.body["signature"])):
        raise Invalid("signature is not that of your key over this value.")
    body = {"by": member, "value": value.hex(), "signature": context.body["signature"]}
    event = NewEvent(f"seen:{now.number}:{member}", "seen", body)
    return Change({"round": now.number, "seen": True}, [event])


def check(context: Context) -> Change:
    """A member's device has checked the record up to a head, and signs that; how many have is shown to all."""
    group, number, head = context.group, context.member, context.body["head"]
    heads = [*(said["prev"] for said in group.parsed[1:]), group.head.hex()]
    if head not in heads:
        raise InputError("this head is not on the record; fetch it again, and compare it with others.")
    entry = group.members.get(number)
    if entry is None or entry["key"] is None:
        raise InputError("this device has no key on the roster yet; register one first.")
    message = check_message(group.charter_hash, bytes.fromhex(head))
    if not verify(bytes.fromhex(entry["key"]), message, bytes.fromhex(context.body["signature"])):
        raise InputError("the signature is not by the key of this member on the roster.")
    count = heads.index(head) + 1
    return Change({"checked": count}, [NewEvent(f"check:{group.seq + 1}", "check", {"by": number, "lines": count})])


# -- draw --------------------------------------------------------------------------------------------------------------


def draw(context: Context) -> Change:
    """Draw the frozen round from what its source said.

    Of the body: `value`, what was typed; `missing`, whether to `wait` for those who committed or `skip` them; and if
    need be `signatures` of the value, by member, beside those of members who said that they saw it.
    """
    group, body, now = context.group, context.body, context.group.open
    if now is None:
        raise InputError("no round is frozen; freeze one first.")
    if not now.fair:
        if body["value"] is not None:
            raise InputError(f"round {now.number} is a first trial and is not drawn; leave the value out.")
        line = lines.draw(group)
    else:
        said = _spoken(context, now)
        signed = {by: bytes.fromhex(one["signature"]) for by, one in now.seen.items() if one["value"] == said.hex()}
        line = lines.draw(group, said, signed | dict(body.get("signatures") or {}))
    return _one(draw_answer(group.arms, now, line.said), f"draw:{now.number}", line)


def _spoken(context: Context, now: Round) -> bytes:
    """What the source of the frozen round says."""
    body, kind = context.body, now.source["kind"]
    missing = sorted(set(now.commits) - set(now.reveals))
    if kind == "group" and missing and now.reveals and body["missing"] != "skip":
        names = ", ".join(context.group.name(number) for number in missing[:5])
        raise InputError(f"{names} committed and did not reveal yet; wait, or draw with missing: skip.")
    return SOURCES[kind].spoken(context.group, now, typed(body["value"]), context.secret)


def typed(value: str | list[int] | None) -> str | None:
    """What a source said, as it would be typed: numbers with commas between."""
    return ",".join(map(str, value)) if isinstance(value, list) else value


def draw_answer(arms: list[str], now: Round, said: Said | None) -> dict[str, Any]:
    """What a draw is answered with; it follows from the lines alone, so that every repeat has the same bytes."""
    assert said is not None
    return {
        "round": now.number,
        "kind": now.freeze["kind"],
        "arms": [arms[arm] for arm in said["arms"]],
        "balls": said["balls"],
        "source": said["source_bytes"],
    }


def void(context: Context) -> Change:
    """Give up a frozen round, with a reason; a source that has spoken cannot be undone."""
    now, body = frozen_round(context.group), context.body
    at = context.now if body["at"] is None else body["at"]
    if now.speaks_at is not None and at >= now.speaks_at:
        raise InputError(f"the beacon of round {now.number} has spoken at {now.speaks_at}: draw it, then override it.")
    signed = {one["by"]: bytes.fromhex(one["signature"]) for one in body["signatures"]}
    line = lines.void(context.group, at, body["reason"], signed)
    return _one({"round": now.number, "void": True}, f"void:{now.number}", line)


def override(context: Context) -> Change:
    """Put another option in a drawn slot, with a reason; the drawn one stays on record.

    With a learner only in the last round, and only until a closing counts it.
    """
    group, body, number = context.group, context.body, context.body["round"]
    round_ = group.round(number)
    if round_ is None or round_.draw is None:
        raise InputError(f"round {number} has not been drawn.")
    if group.learns and (round_ is not group.last or group.phase == CLOSED):
        raise InputError(f"round {number} was counted already; only the last round can be overridden.")
    if body["arm"] not in group.arms:
        raise Invalid(f"arm is {body['arm']!r}, which is no option of this group.")
    if body["slot"] not in round_.slots:
        raise Invalid(f"slot is {body['slot']}; round {number} has slots 0 to {len(round_.slots) - 1}.")
    arm, by = group.arms.index(body["arm"]), body.get("by")
    line = lines.override(group, number, body["slot"], arm, body["reason"], by)
    answer = {"round": number, "slot": body["slot"], "arm": body["arm"], "reason": body["reason"]}
    return _one(answer, f"override:{number}:{body['slot']}", line)


# -- between rounds ----------------------------------------------------------------------------------------------------


def add_option(context: Context) -> Change:
    """Add an option, behind those there are; it counts from the next freeze."""
    group, name = context.group, context.body["name"]
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
    check_between(group)
    return _one(dict(answer), f"amend:{group.seq + 1}", lines.amend(group, field, value, reason))


def mask(context: Context) -> Change:
    """Say which options are not possible for now; the next freeze leaves them out."""
    group = context.group
    for name in context.body["unavailable"]:
        if name not in group.arms:
            raise Invalid(f"unavailable has {name!r}, which is no option of this group.")
    masked = sorted({group.arms.index(name) for name in context.body["unavailable"]})
    if len(masked) == len(group.arms):
        raise Invalid("unavailable names every option; leave at least one.")
    answer = {"unavailable": [group.arms[arm] for arm in masked]}
    return Change(answer, [NewEvent(f"mask:{group.seq + 1}", "mask", {"masked": masked})])


def end(context: Context) -> Change:
    """Close the record for good; everything can still be read and checked."""
    check_between(context.group)
    return Change({"ended": True}, [NewEvent("end", "end", {}, lines.close(context.group))])


def check_between(group: Group) -> None:
    """Refuse what has to wait until no round is being decided."""
    check_not_ended(group)
    if group.phase in (CLOSED, FROZEN):
        raise InputError(f"round {len(group.rounds) + (group.phase == CLOSED)} is being decided; wait for its draw.")


def check_not_ended(group: Group) -> None:
    """Refuse what a group that has ended no longer does."""
    if group.ended:
        raise InputError("this group has ended; its record is closed.")


def frozen_round(group: Group) -> Round:
    """The frozen round."""
    if group.open is None:
        raise InputError("no round is frozen now.")
    return group.open


def _one(answer: dict[str, Any], key: str, line: NewLine) -> Change:
    """A change of one line."""
    return Change(answer, [NewEvent(key, line.said["line"], {}, line)])


def _bytes(signature: str | None) -> bytes | None:
    return None if signature is None else bytes.fromhex(signature)
