"""What each may see of a group: strangers what the record says, members their own, organisers who has answered."""

from __future__ import annotations

from isegoria.record.format.words import six_words
from isegoria.record.group import Group, Round
from isegoria.service.http.tokens import MEMBER, Actor
from isegoria.service.timetable import Timetable, timetable_of


def public(group: Group, now: int) -> dict:
    """What everybody may see: nothing that the record does not say, and the timetable."""
    terms = group.terms
    low, high = group.scale
    return {
        "group": group.address,
        "title": terms["title"],
        "arms": group.arms,
        "available": [group.arms[arm] for arm in group.available],
        "scale": [low, high],
        "privacy": terms["privacy"],
        "learner": terms["learner"],
        "block": terms["block"],
        "source": group.source,
        "phase": group.phase,
        "round": len(group.rounds),
        "members": len(group.members),
        "answered": answered_count(group),
        "head": group.head.hex(),
        "words": six_words(group.head),
        "lines": len(group.lines),
        "last": round_view(group, group.last),
        "timetable": timetable_view(group, now),
        "note": group.settings["note"],
        "checked": checked_count(group),
    }


def seen_by(group: Group, actor: Actor | None, now: int) -> dict:
    """The state of a group as this actor sees it."""
    view = public(group, now)
    if actor is None:
        return view | {"you": None}
    view["you"] = {"role": actor.role}
    if actor.role == MEMBER:
        view["you"] |= member_view(group, actor.number)
        view["waiting_for"] = waiting_for(group) if group.settings["waiting"] else None
        if group.charter["privacy"] == "open":
            view["people"] = [{"number": number, "name": group.name(number)} for number in group.members]
        return view
    view["people"] = [person_view(group, number) for number in range(len(group.roster["members"]))]
    view["coorganisers"] = [{"number": n, "name": name} for n, name in sorted(group.coorganisers.items())]
    view["settings"] = {name: group.settings[name] for name in ("webhook", "retention", "note", "waiting")}
    return view


def answered_count(group: Group) -> int:
    """How many members have rated what can be rated now."""
    return sum(has_answered(group, number) for number in group.members)


def checked_count(group: Group) -> int:
    """How many members' devices have checked the record up to its last draw, or further."""
    drawn = next((round_ for round_ in reversed(group.rounds) if round_.draw), None)
    return 0 if drawn is None else sum(group.checks.get(number, 0) > drawn.line for number in group.members)


def waiting_for(group: Group) -> list[str]:
    """The names of those who have not answered."""
    return [group.name(number) for number in group.members if not has_answered(group, number)]


def has_answered(group: Group, number: int) -> bool:
    """Whether a member has rated: some option, or the last slot that was drawn."""
    if not group.learns:
        return bool(group.ratings.get(number))
    drawn = next((round_ for round_ in reversed(group.rounds) if round_.draw), None)
    return drawn is not None and any(number in answers for answers in drawn.answers.values())


def person_view(group: Group, number: int) -> dict:
    """A member as an organiser sees her: her name and whether she has answered, not what."""
    entry = group.roster["members"][number]
    return {
        "number": number,
        "name": group.name(number),
        "here": entry is not None,
        "answered": has_answered(group, number),
        "key": entry is not None and entry["key"] is not None,
        "erased": number in group.erased,
    }


def member_view(group: Group, number: int) -> dict:
    """What a member sees of herself."""
    return {
        "number": number,
        "name": group.name(number),
        "here": number in group.members,
        "key": (group.roster["members"][number] or {}).get("key"),
        "ratings": {group.arms[arm]: number_of(value) for arm, value in sorted(group.ratings.get(number, {}).items())},
        "to_rate": to_rate(group, number),
        "committed": number in (group.open.commits if group.open else group.commits),
        "revealed": group.last is not None and number in group.last.reveals,
        "witnessed": group.last is not None and number in group.last.witnesses,
    }


def to_rate(group: Group, number: int) -> list[dict]:
    """The slots that a member may still rate, newest first, each with what she said so far."""
    if not group.learns or number not in group.members:
        return []
    found = []
    for round_ in reversed(group.rounds):
        if not group.open_for_ratings(round_):
            continue
        if not round_.has(number):
            continue
        for slot in round_.slots:
            if (slot, number) not in round_.rooted:
                said = round_.answers.get(slot, {}).get(number)
                found.append({
                    "round": round_.number, "slot": slot, "arm": group.arms[round_.played[slot]],
                    "stars": number_of(said[1]) if said else None,
                })  # fmt: skip
    return found


def round_view(group: Group, round_: Round | None) -> dict | None:
    """A round as anybody may see it."""
    if round_ is None:
        return None
    freeze = round_.freeze
    view = {
        "round": round_.number,
        "state": "frozen" if round_.state == "open" else round_.state,
        "kind": freeze["kind"],
        "freeze": round_.freeze_hash.hex(),
        "occasion": round_.closing.occasion,
        "policy": round_.policy,
        "exploring": round_.exploring,
        "event": freeze["event"],
        "form": freeze["form"],
        "slots": [],
    }
    if round_ is group.open:
        view |= {"witnesses": len(round_.witnesses), "reveals": len(round_.reveals), "seen": len(round_.seen)}
    for slot, happened in enumerate(round_.played):
        drawn = round_.draw["arms"][slot]
        entry = {"slot": slot, "arm": group.arms[happened], "drawn": group.arms[drawn], "voice": round_.whose(slot)}
        entry["reason"] = round_.overrides[slot]["reason"] if slot in round_.overrides else None
        view["slots"].append(entry)
    return view


def timetable_view(group: Group, now: int) -> dict | None:
    """The timetable, and when the next occasion is."""
    timetable = timetable_of(group)
    if timetable is None:
        return None
    coming = timetable.upcoming(now)
    at = timetable.at(coming)
    shown = timetable.to_dict() if isinstance(timetable, Timetable) else {
        "recurrence": "every", "first": timetable.first, "every": timetable.every, "lead": timetable.lead
    }  # fmt: skip
    return shown | {"next": {"occasion": coming, "freeze": at - 60 * timetable.lead, "draw": at}}


def number_of(text: str) -> float | int:
    """A rating as a number again."""
    value = float(text)
    return int(value) if value.is_integer() else value
