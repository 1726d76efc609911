"""What each may see of a group: strangers what the record says, members their own, organisers who has answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import takewhile
from typing import Any

from isegoria.record.format.canonical import ten_words
from isegoria.record.format.lines import has_odds
from isegoria.record.group import LATE_ROUNDS, Group
from isegoria.record.round import Round
from isegoria.service.http.tokens import COORGANISER, MEMBER, Actor
from isegoria.service.occasions import BY_HAND, coming, date_of, plain, plan, timetable_of, zone_name
from isegoria.service.timetable import DAY, Timetable

BALLOTS = ("favourites", "stars")
"""How pages ask without a learner: a tap is the highest rating and no tap the lowest; or every step of the scale."""


def public(group: Group, now: int) -> dict[str, Any]:
    """What everybody may see: nothing that the record does not say, and the timetable."""
    terms = group.terms
    low, high = group.scale
    return {
        "group": group.address,
        "title": terms["title"],
        "arms": group.options,
        "available": [group.options[arm] for arm in group.available],
        "turns": group.turns,
        "odds": has_odds(group.turns),
        "scale": [low, high],
        "privacy": terms["privacy"],
        "learner": terms["learner"],
        "block": terms["block"],
        "ballot": group.settings.get("ballot", "stars"),
        "source": group.source,
        "phase": group.phase,
        "asked_until": group.asked_until if now < group.asked_until else None,
        "round": len(group.rounds),
        "members": len(group.members),
        "answered": answered_count(group),
        "head": group.head.hex(),
        "words": ten_words(group.head),
        "lines": len(group.lines),
        "last": round_view(group, group.last),
        "timetable": timetable_view(group, now),
        "date": date_of(group, now),
        "zone": zone_name(group),
        "plan": [asdict(turn) for turn in plan(group, now)],
        "note": group.settings["note"],
        "id": group.charter["group"],
        "record": group.record.hex() or None,
        "seen": seen_view(group),
        "overdue": overdue(group, now),
        "spoken": spoken(group, now),
    }


def seen_by(group: Group, actor: Actor | None, now: int) -> dict[str, Any]:
    """The state of a group as this actor sees it."""
    view = public(group, now)
    if actor is None:
        return view | {"you": None}
    view["you"] = {"role": actor.role}
    if actor.role == MEMBER:
        view["you"] |= member_view(group, actor.number)
        shown = group.charter["privacy"] == "open"
        view["waiting_for"] = waiting_for(group) if shown and group.settings["waiting"] else None
        if shown:
            view["people"] = [{"number": number, "name": group.name(number)} for number in group.members]
        return view
    view["people"] = [person_view(group, number) for number in range(len(group.entries))]
    view["coorganisers"] = [{"number": n, "name": name} for n, name in sorted(group.coorganisers.items())]
    view["settings"] = {name: group.settings[name] for name in ("webhook", "retention", "note", "waiting", "owed")}
    view["proposed"] = [one.name for one in group.proposals.values() if one.name]
    view["settings"] |= {"results": bool(group.settings.get("results")), "remind": group.settings.get("remind")}
    view["settings"] |= {"changes": group.settings.get("changes") or 1}
    return view


def answered_count(group: Group) -> int:
    """How many members have rated what can be rated now."""
    return sum(has_answered(group, number) for number in group.members)


def seen_view(group: Group) -> dict[str, Any] | None:
    """How many unmarked keys had the last fair page in time, and signed past its draw: what `members` would count.

    `of` are the keys of its roster, `wanted` how many make it proved (⌈n/3⌉; dice: more than half), `wanted_since` how
    many must have signed past the draw; `undrawn` how many fair pages before it were left, which no signature mends.
    """
    fair = (round_ for round_ in reversed(group.rounds) if round_.fair)
    last = next(fair, None)
    if last is None:
        return None
    undrawn = sum(1 for _ in takewhile(lambda round_: round_.draw is None, fair))
    keys = {n for n, one in enumerate(last.roster["members"]) if one and one["key"] and not one["organiser"]}
    kind, n = last.source["kind"], len(keys)
    least = -(-n // 3)
    wanted = max(least, n // 2 + 1) if kind == "dice" else least
    had: Mapping[int, Any] = {"group": last.reveals, "dice": last.throws}.get(kind, last.early)
    if last.draw is None and kind == "dice":  # before the throw it is the page that phones must have
        had = last.early
    limit = None if last.speaks_at is None else last.speaks_at - 60
    early = {by for by in had if by in keys and (limit is None or last.early.get(by, 0) <= limit)}
    since = early | (last.since & keys)
    return {
        "round": last.number, "kind": kind, "early": len(early), "since": len(since) if last.draw else None, "of": n,
        "wanted": wanted, "wanted_since": max(wanted, n + 1 - least), "who": sorted(early),
        "undrawn": undrawn,
    }  # fmt: skip


def unconfirmed(round_: Round) -> list[int]:
    """Under dice: the members whose devices could confirm what fell, and have not yet."""
    if round_.source["kind"] != "dice":
        return []
    seats = enumerate(round_.roster["members"])
    return [n for n, one in seats if one and one["key"] and not one["organiser"] and n not in round_.throws]


def overdue(group: Group, now: int) -> bool:
    """Whether a round that somebody must come for was not drawn within a day: for others it counts as never drawn."""
    last = group.open
    return last is not None and last.source["kind"] in BY_HAND and now - last.freeze["at"] > DAY


def spoken(group: Group, now: int) -> bool:
    """Whether the beacon has spoken for the round that is open: it is drawn as soon as its word is heard."""
    return group.open is not None and group.open.speaks_at is not None and now >= group.open.speaks_at


def waiting_for(group: Group) -> list[str]:
    """The names of those who have not answered."""
    return [group.name(number) for number in group.members if not has_answered(group, number)]


def has_answered(group: Group, number: int) -> bool:
    """Whether a member has rated: some option, or the last slot that was drawn."""
    if group.turns is not None:
        return not rated(group, number).keys().isdisjoint(group.available)
    if not group.learns:
        return bool(rated(group, number))
    drawn = next((round_ for round_ in reversed(group.rounds) if round_.happened), None)
    return drawn is not None and any(number in answers for answers in drawn.answers.values())


def rated(group: Group, number: int) -> dict[int, str]:
    """What a member said of the options, by their numbers."""
    return group.ratings.get(number, {})


def person_view(group: Group, number: int) -> dict[str, Any]:
    """A member as an organiser sees her: her name and whether she has answered, not what."""
    entry = group.entries[number]
    return {
        "number": number,
        "name": group.name(number),
        "here": entry is not None,
        "answered": has_answered(group, number),
        "key": entry is not None and entry["key"] is not None,
        "organiser": entry is not None and bool(entry["organiser"]),
        "erased": number in group.erased,
    }


def member_view(group: Group, number: int) -> dict[str, Any]:
    """What a member sees of herself."""
    return {
        "number": number,
        "name": group.name(number),
        "here": number in group.members,
        "from_round": None if seated(group, number) else group.changes_from,
        "reissued": reissued_view(group, number),
        "key": (group.entries[number] or {}).get("key"),
        "proposed": [one.name for one in group.proposals.values() if one.name and one.by == number],
        "ratings": {group.options[arm]: number_of(value) for arm, value in sorted(rated(group, number).items())},
        "unsigned": unsigned(group, number),
        "to_rate": to_rate(group, number),
        "committed": number in (group.open.commits if group.open else group.commits),
        "revealed": group.last is not None and number in group.last.reveals,
        "signed": group.last is not None and number in group.last.early,
        "confirmed": group.last is not None and number in group.last.throws,
    }


def seated(group: Group, number: int) -> bool:
    """Whether a member will be on the next page."""
    seats = group.seats_to_come
    return number < len(seats) and seats[number] is not None


def reissued_view(group: Group, number: int) -> dict[str, Any] | None:
    """When a member's link was issued again, and by whom; None if it never was."""
    if number not in group.reissued:
        return None
    at, by = group.reissued[number]
    return {"at": at, "by": "helper" if by == COORGANISER else "organiser"}


def unsigned(group: Group, number: int) -> bool:
    """Whether a member whose device has a key has ratings that it did not sign."""
    told = group.told.get(number)
    return bool((group.entries[number] or {}).get("key")) and told is not None and told.signature is None


def to_rate(group: Group, number: int) -> list[dict[str, Any]]:
    """The slots that a member may still rate, newest first, each with what she said so far."""
    if not group.learns or number not in group.members:
        return []
    found = []
    for round_ in reversed(group.rounds[-LATE_ROUNDS:]):
        if not group.open_for_ratings(round_) or not round_.has(number):
            continue
        for slot in round_.slots:
            if (slot, number) not in round_.rooted:
                said = round_.answers.get(slot, {}).get(number)
                found.append({
                    "round": round_.number, "slot": slot, "arm": group.arms[round_.played[slot]],
                    "of": len(round_.row(round_.played[slot], None)),
                    "stars": number_of(said[1]) if said else None,
                })  # fmt: skip
    return found


def round_view(group: Group, round_: Round | None) -> dict[str, Any] | None:
    """A round as anybody may see it."""
    if round_ is None:
        return None
    freeze = round_.freeze
    view: dict[str, Any] = {
        "round": round_.number,
        "state": "frozen" if round_.state == "open" else round_.state,
        "kind": "fair" if round_.fair else "trial",
        "freeze": round_.freeze_hash.hex(),
        "occasion": round_.closing.occasion,
        "policy": round_.policy,
        "event": freeze.get("event"),
        "form": freeze.get("form"),
        "speaks_at": round_.speaks_at,
        "instead": group.arms[round_.overrides[0]["arm"]] if 0 in round_.overrides else None,
        "slots": [],
    }
    if round_ is group.open:
        missing = sorted(set(round_.commits) - set(round_.reveals))
        view |= {"signed": len(round_.early), "missing": missing, "throws": len(round_.throws)}
        view["unconfirmed"] = unconfirmed(round_)
    for slot, happened in enumerate(round_.played):
        drawn = round_.drawn[slot]
        entry = {"slot": slot, "arm": group.arms[happened], "drawn": group.arms[drawn], "voice": round_.whose(slot)}
        entry["reason"] = round_.overrides[slot]["reason"] if slot in round_.overrides else None
        view["slots"].append(entry)
    return view


def timetable_view(group: Group, now: int) -> dict[str, Any] | None:
    """The timetable, and when the next occasion is."""
    timetable = timetable_of(group)
    if timetable is None:
        return None
    shown = timetable.to_dict() if isinstance(timetable, Timetable) else {
        **timetable.asked(), "first": timetable.first, "every": timetable.every
    }  # fmt: skip
    return shown | {"next": plain(coming(group, now))}


def number_of(text: str) -> float | int:
    """A rating as a number again."""
    value = float(text)
    return int(value) if value.is_integer() else value
