"""What each may see of a group: strangers what the record says, members their own, organisers who has answered."""

from __future__ import annotations

from isegoria.lottery.words import six_words
from isegoria.service.groups.state import FROZEN, Round, State
from isegoria.service.groups.voices import policy, whose
from isegoria.service.http.tokens import MEMBER, Actor
from isegoria.service.timetable import Timetable


def public(state: State, now: int) -> dict:
    """What everybody may see: nothing that the record does not say, and the timetable."""
    charter = state.charter
    low, high = state.scale
    return {
        "group": state.group,
        "title": charter["title"],
        "arms": state.arms,
        "available": [state.arms[arm] for arm in state.available],
        "scale": [low, high],
        "privacy": charter["privacy"],
        "learner": charter["learner"],
        "block": charter["block"],
        "source": state.source,
        "phase": state.phase,
        "round": len(state.rounds),
        "members": len(state.members),
        "answered": answered_count(state),
        "head": state.head,
        "words": six_words(bytes.fromhex(state.head)),
        "lines": len(state.record.lines),
        "last": round_view(state, state.last),
        "timetable": timetable_view(state, now),
        "note": state.settings["note"],
        "checked": checked_count(state),
    }


def seen_by(state: State, actor: Actor | None, now: int) -> dict:
    """The state of a group as this actor sees it."""
    view = public(state, now)
    if actor is None:
        return view | {"you": None}
    view["you"] = {"role": actor.role}
    if actor.role == MEMBER:
        view["you"] |= member_view(state, actor.number)
        view["waiting_for"] = waiting_for(state) if state.settings["waiting"] else None
        if state.charter["privacy"] == "open":
            view["people"] = [{"number": number, "name": state.name(number)} for number in state.members]
        return view
    view["people"] = [person_view(state, number) for number in range(len(state.roster["members"]))]
    view["coorganisers"] = [{"number": n, "name": name} for n, name in sorted(state.coorganisers.items())]
    view["settings"] = {name: state.settings[name] for name in ("webhook", "retention", "note", "waiting")}
    return view


def answered_count(state: State) -> int:
    """How many members have rated what can be rated now."""
    return sum(has_answered(state, number) for number in state.members)


def checked_count(state: State) -> int:
    """How many members' devices have checked the record up to its last draw, or further."""
    drawn = next((round_ for round_ in reversed(state.rounds) if round_.draw), None)
    return 0 if drawn is None else sum(state.checks.get(number, 0) > drawn.line for number in state.members)


def waiting_for(state: State) -> list[str]:
    """The names of those who have not answered."""
    return [state.name(number) for number in state.members if not has_answered(state, number)]


def has_answered(state: State, number: int) -> bool:
    """Whether a member has rated: some option, or the last slot that was drawn."""
    if not state.learns:
        return bool(state.ratings.get(number))
    drawn = next((round_ for round_ in reversed(state.rounds) if round_.draw), None)
    return drawn is not None and any(number in answers for answers in drawn.answers.values())


def person_view(state: State, number: int) -> dict:
    """A member as an organiser sees her: her name and whether she has answered, not what."""
    entry = state.roster["members"][number]
    return {
        "number": number,
        "name": state.name(number),
        "here": entry is not None,
        "answered": has_answered(state, number),
        "key": entry is not None and entry["key"] is not None,
        "erased": number in state.erased,
    }


def member_view(state: State, number: int) -> dict:
    """What a member sees of herself."""
    return {
        "number": number,
        "name": state.name(number),
        "here": number in state.members,
        "key": (state.roster["members"][number] or {}).get("key"),
        "ratings": {state.arms[arm]: number_of(value) for arm, value in sorted(state.ratings.get(number, {}).items())},
        "to_rate": to_rate(state, number),
        "committed": number in state.commits,
        "revealed": number in state.reveals,
        "witnessed": number in state.witnesses,
    }


def to_rate(state: State, number: int) -> list[dict]:
    """The slots that a member may still rate, newest first, each with what she said so far."""
    if not state.learns or number not in state.members:
        return []
    found = []
    for round_ in reversed(state.rounds):
        if not state.open_for_ratings(round_):
            continue
        if state.rosters[round_.freeze["roster"] - 1]["members"][number : number + 1] in ([], [None]):
            continue
        for slot in round_.slots:
            if (slot, number) not in round_.rooted:
                said = round_.answers.get(slot, {}).get(number)
                found.append({
                    "round": round_.number, "slot": slot, "arm": state.arms[round_.arm(slot)],
                    "stars": number_of(said[1]) if said else None,
                })  # fmt: skip
    return found


def round_view(state: State, round_: Round | None) -> dict | None:
    """A round as anybody may see it."""
    if round_ is None:
        return None
    freeze = round_.freeze
    view = {
        "round": round_.number,
        "state": "drawn" if round_.draw else "void" if round_.void else "frozen",
        "kind": freeze["kind"],
        "freeze": round_.freeze_hash,
        "occasion": round_.occasion,
        "policy": policy(freeze),
        "exploring": exploring(freeze),
        "event": freeze["event"],
        "form": freeze["form"],
        "slots": [],
    }
    if state.phase == FROZEN and round_ is state.last:
        view |= {"witnesses": len(state.witnesses), "reveals": len(state.reveals), "seen": len(round_.seen)}
    for slot in round_.slots:
        drawn, happened = round_.draw["arms"][slot], round_.arm(slot)
        entry = {"slot": slot, "arm": state.arms[happened], "drawn": state.arms[drawn], "voice": whose(round_, slot)}
        entry["reason"] = round_.overrides[slot]["reason"] if slot in round_.overrides else None
        view["slots"].append(entry)
    return view


def exploring(freeze: dict) -> float:
    """The chance that a slot is drawn to learn, and not by a voice."""
    total = sum(freeze["voices"]) + sum(freeze["explore"])
    return sum(freeze["explore"]) / total if total else 0.0


def timetable_view(state: State, now: int) -> dict | None:
    """The timetable, and when the next occasion is."""
    timetable = state.timetable
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
