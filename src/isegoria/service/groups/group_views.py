"""What each role may see of a group: anybody the record, members their own data, organisers who has answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import takewhile
from typing import Any

from isegoria.record.format.head_words import encode_words
from isegoria.record.format.lines import has_odds
from isegoria.record.state.group import MAX_RATING_DELAY_ROUNDS, PHASE_CLOSED, Group
from isegoria.record.state.round import Round
from isegoria.service.groups.occurrences import (
    MANUAL_SOURCES,
    decision_to_dict,
    find_next_decision,
    format_local_date,
    get_time_zone_name,
    get_timetable,
    list_planned_turns,
)
from isegoria.service.groups.timetable import DAY_SECONDS, Timetable
from isegoria.service.http.tokens import ROLE_COORGANISER, ROLE_MEMBER, Actor

BALLOT_TYPES = ("favourites", "stars")
"""Ballots without a learner: a tap gives the highest rating and no tap the lowest, or each step of the scale is
offered."""


def build_public_view(group: Group, now: int) -> dict[str, Any]:
    """Return what everybody may see: the public state of the group, its timetable and its note."""
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
        "answered": count_answers(group),
        "head": group.head.hex(),
        "words": encode_words(group.head),
        "lines": len(group.lines),
        "last": build_round_view(group, group.last),
        "timetable": build_timetable_view(group, now),
        "date": format_local_date(group, now),
        "zone": get_time_zone_name(group),
        "plan": [asdict(turn) for turn in list_planned_turns(group, now)],
        "note": group.settings["note"],
        "id": group.charter["group"],
        "record": group.record.hex() or None,
        "seen": compute_signature_progress(group),
        "overdue": is_overdue(group, now),
        "spoken": is_beacon_ready(group, now),
        "page_state": describe_page_state(group, now),
    }


def describe_page_state(group: Group, now: int) -> str:
    """Return what the contents of a group's pages depend on, in a few words: where it changes, they are replaced.

    What changes from answer to answer is not in it; a page shows these counts in place.
    """
    last = group.last
    parts = [group.phase, len(group.rounds), last.state if last else "none", len(group.members), len(group.options)]
    parts += [len(group.available), len(last.overrides) if last else 0, format_local_date(group, now)]
    decision = None if group.phase == PHASE_CLOSED else find_next_decision(group, now)
    parts += [decision.draw if decision else "-", int(is_overdue(group, now)), int(is_beacon_ready(group, now))]
    return " ".join(map(str, parts))


def _hide_pseudonyms(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view without pseudonyms: with turns they stay the same, so a stranger could follow a member by them."""
    last = view["last"] and view["last"] | {"slots": [slot | {"voice": None} for slot in view["last"]["slots"]]}
    return view | {"last": last, "plan": [turn | {"voice": None} for turn in view["plan"]]}


def build_view_for(group: Group, actor: Actor | None, now: int) -> dict[str, Any]:
    """Return the state of a group as this actor sees it."""
    view = build_public_view(group, now)
    if actor is None:
        return (view if group.turns is None else _hide_pseudonyms(view)) | {"you": None}
    view["you"] = {"role": actor.role}
    if actor.role == ROLE_MEMBER:
        view["you"] |= build_member_view(group, actor.number)
        shown = group.charter["privacy"] == "open"
        view["waiting_for"] = list_missing_names(group) if shown and group.settings["waiting"] else None
        if shown:
            view["people"] = [{"number": number, "name": group.name(number)} for number in group.members]
        return view
    view["people"] = [build_person_view(group, number) for number in range(len(group.entries))]
    view["coorganisers"] = [{"number": n, "name": name} for n, name in sorted(group.coorganisers.items())]
    view["settings"] = {name: group.settings[name] for name in ("webhook", "retention", "note", "waiting", "owed")}
    view["proposed"] = [one.name for one in group.proposals.values() if one.name]
    view["settings"] |= {"results": bool(group.settings.get("results")), "remind": group.settings.get("remind")}
    view["settings"] |= {"changes": group.settings.get("changes") or 1}
    return view


def count_answers(group: Group) -> int:
    """Return how many members have rated what can be rated now."""
    return sum(has_answered(group, number) for number in group.members)


def compute_signature_progress(group: Group) -> dict[str, Any] | None:
    """Count the member devices that confirmed the last fair page in time, and those that signed after its draw.

    These are the counts that `members` would make. `of`: keys on its roster, without the organisers'. `wanted`: how
    many make it proved (⌈n/3⌉; dice: more than half). `wanted_since`: how many must have signed after the draw.
    `undrawn`: how many fair pages just before it were never drawn, which no signature repairs. Return None if there is
    no fair page.
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
    had: Mapping[int, Any] = {"commit_reveal": last.reveals, "dice": last.throws}.get(kind, last.early)
    if last.draw is None and kind == "dice":  # before the throw, devices must have signed the freeze page
        had = last.early
    limit = None if last.speaks_at is None else last.speaks_at - 60
    early = {by for by in had if by in keys and (limit is None or last.early.get(by, 0) <= limit)}
    since = early | (last.since & keys)
    return {
        "round": last.number,
        "kind": kind,
        "early": len(early),
        "since": len(since) if last.draw else None,
        "of": n,
        "wanted": wanted,
        "wanted_since": max(wanted, n + 1 - least),
        "who": sorted(early),
        "undrawn": undrawn,
    }


def list_missing_confirmations(round_: Round) -> list[int]:
    """Return the members whose devices could confirm a throw of dice and have not yet; empty for other sources."""
    if round_.source["kind"] != "dice":
        return []
    seats = enumerate(round_.roster["members"])
    return [n for n, one in seats if one and one["key"] and not one["organiser"] and n not in round_.throws]


def is_overdue(group: Group, now: int) -> bool:
    """Return whether a round drawn by hand has been open for more than a day: verifiers count it as never drawn."""
    last = group.open
    return last is not None and last.source["kind"] in MANUAL_SOURCES and now - last.freeze["at"] > DAY_SECONDS


def is_beacon_ready(group: Group, now: int) -> bool:
    """Return whether the beacon's value for the open round is due; the round is drawn once it is fetched."""
    return group.open is not None and group.open.speaks_at is not None and now >= group.open.speaks_at


def list_missing_names(group: Group) -> list[str]:
    """Return the names of the members who have not answered."""
    return [group.name(number) for number in group.members if not has_answered(group, number)]


def has_answered(group: Group, number: int) -> bool:
    """Return whether a member has rated: some option or, with a learner, a turn of the last round that happened."""
    if group.turns is not None:
        return not get_ratings(group, number).keys().isdisjoint(group.available)
    if not group.learns:
        return bool(get_ratings(group, number))
    drawn = next((round_ for round_ in reversed(group.rounds) if round_.happened), None)
    return drawn is not None and any(number in answers for answers in drawn.answers.values())


def get_ratings(group: Group, number: int) -> dict[int, str]:
    """Return a member's ratings, by option number."""
    return group.ratings.get(number, {})


def build_person_view(group: Group, number: int) -> dict[str, Any]:
    """Return a member as an organiser sees them: the name and whether they have answered, without the ratings."""
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


def build_member_view(group: Group, number: int) -> dict[str, Any]:
    """Return what a member sees of themselves."""
    return {
        "number": number,
        "name": group.name(number),
        "here": number in group.members,
        "from_round": None if has_seat(group, number) else group.changes_from,
        "reissued": describe_reissue(group, number),
        "key": (group.entries[number] or {}).get("key"),
        "proposed": [one.name for one in group.proposals.values() if one.name and one.by == number],
        "ratings": {
            group.options[arm]: parse_rating(value) for arm, value in sorted(get_ratings(group, number).items())
        },
        "unsigned": has_unsigned_ratings(group, number),
        "to_rate": list_ratable_slots(group, number),
        "committed": number in (group.open.commits if group.open else group.commits),
        "revealed": group.last is not None and number in group.last.reveals,
        "signed": group.last is not None and number in group.last.early,
        "confirmed": group.last is not None and number in group.last.throws,
    }


def has_seat(group: Group, number: int) -> bool:
    """Return whether a member will be on the next freeze page."""
    seats = group.seats_to_come
    return number < len(seats) and seats[number] is not None


def describe_reissue(group: Group, number: int) -> dict[str, Any] | None:
    """Return when a member's link was reissued and by whom, or None if it never was."""
    if number not in group.reissued:
        return None
    at, by = group.reissued[number]
    return {"at": at, "by": "helper" if by == ROLE_COORGANISER else "organiser"}


def has_unsigned_ratings(group: Group, number: int) -> bool:
    """Return whether a member whose device has a key has ratings without its signature."""
    told = group.told.get(number)
    return bool((group.entries[number] or {}).get("key")) and told is not None and told.signature is None


def list_ratable_slots(group: Group, number: int) -> list[dict[str, Any]]:
    """Return the turns that a member may still rate, newest round first, each with the present rating."""
    if not group.learns or number not in group.members:
        return []
    found = []
    for round_ in reversed(group.rounds[-MAX_RATING_DELAY_ROUNDS:]):
        if not group.open_for_ratings(round_) or not round_.has(number):
            continue
        for slot in round_.slots:
            if (slot, number) not in round_.rooted:
                said = round_.answers.get(slot, {}).get(number)
                found.append(
                    {
                        "round": round_.number,
                        "slot": slot,
                        "arm": group.arms[round_.played[slot]],
                        "of": len(round_.row(round_.played[slot], None)),
                        "stars": parse_rating(said[1]) if said else None,
                    }
                )
    return found


def build_round_view(group: Group, round_: Round | None) -> dict[str, Any] | None:
    """Return a round as anybody may see it."""
    if round_ is None:
        return None
    freeze = round_.freeze
    view: dict[str, Any] = {
        "round": round_.number,
        "state": "frozen" if round_.state == "open" else round_.state,
        "kind": "fair" if round_.fair else "trial",
        "freeze": round_.freeze_hash.hex(),
        "occurrence": round_.closing.occurrence,
        "policy": round_.policy,
        "event": freeze.get("title"),
        "form": freeze.get("dice_form"),
        "speaks_at": round_.speaks_at,
        "instead": group.arms[round_.overrides[0]["arm"]] if 0 in round_.overrides else None,
        "slots": [],
    }
    if round_ is group.open:
        missing = sorted(set(round_.commits) - set(round_.reveals))
        view |= {"signed": len(round_.early), "missing": missing, "throws": len(round_.throws)}
        view["unconfirmed"] = list_missing_confirmations(round_)
    for slot, happened in enumerate(round_.played):
        drawn = round_.drawn[slot]
        entry = {"slot": slot, "arm": group.arms[happened], "drawn": group.arms[drawn], "voice": round_.whose(slot)}
        entry["reason"] = round_.overrides[slot]["reason"] if slot in round_.overrides else None
        view["slots"].append(entry)
    return view


def build_timetable_view(group: Group, now: int) -> dict[str, Any] | None:
    """Return the timetable with its next decision, or None."""
    timetable = get_timetable(group)
    if timetable is None:
        return None
    shown = (
        timetable.to_dict()
        if isinstance(timetable, Timetable)
        else {**timetable.asked(), "first": timetable.first, "every": timetable.every}
    )
    return shown | {"next": decision_to_dict(find_next_decision(group, now))}


def parse_rating(text: str) -> float | int:
    """Convert the text of a rating to a number."""
    value = float(text)
    return int(value) if value.is_integer() else value
