"""A group by its timetable: what comes next, and what was decided for which day; pages, API, calendar and scheduler ask
here and nowhere else.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from isegoria.record.group import CLOSED, ENDED, FROZEN, Group
from isegoria.record.round import Round
from isegoria.service.timetable import Clockwork, Timetable, time_zone

BY_HAND = ("dice", "group")
"""Sources for which somebody must come: their rounds are drawn by no timetable."""


@dataclass(frozen=True)
class Coming:
    """The next decision by a timetable: the `move` that it makes (freeze or draw) at the moment `at`.

    - `occasion`: the first that it decides; None where a round was frozen by hand before there was a timetable.
    - `freeze`: when ratings close, None where they have; `draw`: when it is drawn. Unix seconds.
    """

    move: str
    at: int
    occasion: int | None
    freeze: int | None
    draw: int


@dataclass(frozen=True)
class DatedTurn:
    """One decision: its place in its round, counted from 1, what happens, and when (None: no timetable says so)."""

    round: int
    turn: int
    arm: str
    drawn: str
    voice: str | None
    reason: str | None
    occasion: int | None
    at: int | None
    date: str | None


def timetable_of(group: Group) -> Timetable | Clockwork | None:
    """When a group decides, if it does so by itself."""
    entry, source = group.settings["timetable"], group.terms["source"]
    if entry is None:
        return None
    if group.source != "beacon":
        return Timetable(**entry)
    kept = {name: entry[name] for name in ("lead", "zone", "weekdays") if name in entry}
    return Clockwork(source["first"], source["every"], **kept)


def zone_of(group: Group) -> tzinfo:
    """The time zone in which a group decides: that of its timetable, else UTC."""
    return UTC if group.settings["timetable"] is None else time_zone(zone_name(group))


def zone_name(group: Group) -> str:
    """The name of that zone."""
    return str((group.settings["timetable"] or {}).get("zone", "UTC"))


def coming(group: Group, now: int) -> Coming | None:
    """The next decision that the timetable makes by itself; None where there is none."""
    timetable = timetable_of(group)
    if timetable is None or group.phase == ENDED:
        return None
    last = group.last
    if group.phase == FROZEN and last is not None and last.source["kind"] not in BY_HAND:
        at = _drawn_at(group, last, timetable)
        return Coming("draw", at, last.closing.occasion, None, at)
    if group.phase == CLOSED and group.closing is not None:
        occasion = group.closing.occasion
        return Coming("freeze", now, occasion, now, now if occasion is None else timetable.at(occasion))
    occasion = max(timetable.upcoming(now), first_undecided(group))
    opens = timetable.opens(occasion)
    return Coming("freeze", opens, occasion, opens, timetable.at(occasion))


def next_page(group: Group, now: int, undrawn: bool = False) -> int | None:
    """The occasion of a page that is frozen now by hand; None without a timetable. `undrawn`: the open one is left."""
    timetable = timetable_of(group)
    return None if timetable is None else max(timetable.upcoming(now), first_undecided(group, undrawn))


def first_undecided(group: Group, undrawn: bool = False) -> int:
    """The first occasion that no round has decided: a block decides one for each of its turns.

    A round that was never drawn decided nothing; the open one will decide its first, unless it is left `undrawn`.
    """
    timetable = timetable_of(group)
    for place in group.rounds.latest_dated():
        round_ = group.rounds[place]
        first = round_.closing.occasion
        if first is None or not by_this_clock(group, round_):
            continue
        if round_.happened or (round_ is group.open and not undrawn):
            steps = len(round_.slots) if round_.happened else 1
            return first + steps if timetable is None else timetable.step(first, steps)
    return 0


def by_this_clock(group: Group, round_: Round) -> bool:
    """Whether a round's occasion was numbered by the clock that is in force: a beacon's charter has its own."""
    beacon = "beacon" in (group.source, round_.source["kind"])
    return not beacon or round_.source == group.terms["source"]


def first_to_come(group: Group, now: int) -> int:
    """The occasion that a new timetable begins with: the first that is still to come by the old one, or undecided.

    So turns that were decided and have not happened yet move with the timetable, and none is decided twice.
    """
    timetable, undecided = timetable_of(group), max(1, first_undecided(group))
    if group.closing is not None and group.closing.occasion is not None:
        undecided = max(undecided, group.closing.occasion)
    return min(undecided, timetable.upcoming(now)) if isinstance(timetable, Timetable) else undecided


def _drawn_at(group: Group, last: Round, timetable: Timetable | Clockwork) -> int:
    """When a frozen round is drawn: at its occasion; for a beacon, when that has spoken."""
    if last.closing.occasion is None:
        return group.at
    if last.speaks_at is not None:
        return last.speaks_at + 1
    return timetable.at(last.closing.occasion)


def turns(group: Group, round_: Round) -> list[DatedTurn]:
    """The turns of a round that happened, in order."""
    timetable, zone, first = timetable_of(group), zone_of(group), round_.closing.occasion
    if not by_this_clock(group, round_):
        timetable = None
    found = []
    for slot, arm in enumerate(round_.played):
        occasion = None if first is None or timetable is None else timetable.step(first, slot)
        at = None if timetable is None or occasion is None or occasion < timetable.base else timetable.at(occasion)
        date = None if at is None else datetime.fromtimestamp(at, zone).date().isoformat()
        reason = round_.overrides[slot]["reason"] if slot in round_.overrides else None
        names = group.arms[arm], group.arms[round_.drawn[slot]]
        found.append(DatedTurn(round_.number, slot + 1, *names, round_.whose(slot), reason, occasion, at, date))
    return found


def plan(group: Group, now: int) -> list[DatedTurn]:
    """What was decided for today and later, with all of the last round that happened; the earliest first."""
    today = date_of(group, now)
    found: list[DatedTurn] = []
    for number, round_ in enumerate(one for one in reversed(group.rounds) if one.happened):
        decided = turns(group, round_)
        if number > 0 and not any(turn.date and turn.date >= today for turn in decided):
            break
        found[:0] = decided
    return found


def date_of(group: Group, now: int) -> str:
    """The date of a moment where the group is, as YYYY-MM-DD."""
    return datetime.fromtimestamp(now, zone_of(group)).date().isoformat()


def plain(coming: Coming | None) -> dict[str, Any] | None:
    """The next decision as the API tells it."""
    return None if coming is None else asdict(coming)
