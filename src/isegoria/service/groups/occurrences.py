"""A group's decisions by its timetable: the next decision, and the date of each decided turn.

Pages, API, calendar and scheduler all use these functions. Occurrences of the timetable are numbered.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from isegoria.record.state.group import PHASE_CLOSED, PHASE_ENDED, PHASE_FROZEN, Group
from isegoria.record.state.round import Round
from isegoria.service.groups.timetable import BeaconTimetable, Timetable, parse_time_zone

MANUAL_SOURCES = ("dice", "commit_reveal")
"""Sources that need somebody to take part: no timetable draws their rounds."""


@dataclass(frozen=True)
class NextDecision:
    """The next decision by a timetable: the `move` (freeze or draw) to make at time `at`.

    - `occurrence`: the first occurrence that it decides; None if the round was frozen by hand before there was a
      timetable.
    - `freeze`: when ratings close, or None if they have closed. `draw`: when the round is drawn. Both in Unix seconds.
    """

    move: str
    at: int
    occurrence: int | None
    freeze: int | None
    draw: int


@dataclass(frozen=True)
class DatedTurn:
    """One decided turn: its position in its round (from 1), its option, and its time (None without a timetable)."""

    round: int
    turn: int
    arm: str
    drawn: str
    voice: str | None
    reason: str | None
    occurrence: int | None
    at: int | None
    date: str | None


def get_timetable(group: Group) -> Timetable | BeaconTimetable | None:
    """Return the timetable by which a group decides automatically, or None if it has none."""
    entry, source = group.settings["timetable"], group.terms["source"]
    if entry is None:
        return None
    if group.source != "beacon":
        return Timetable(**entry)
    kept = {name: entry[name] for name in ("lead", "zone", "weekdays") if name in entry}
    return BeaconTimetable(source["first_at"], source["interval_seconds"], **kept)


def get_time_zone(group: Group) -> tzinfo:
    """Return the time zone of a group's timetable, or UTC if it has none."""
    return UTC if group.settings["timetable"] is None else parse_time_zone(get_time_zone_name(group))


def get_time_zone_name(group: Group) -> str:
    """Return the name of a group's time zone."""
    return str((group.settings["timetable"] or {}).get("zone", "UTC"))


def find_next_decision(group: Group, now: int) -> NextDecision | None:
    """Return the next decision that the timetable makes automatically, or None if there is none."""
    timetable = get_timetable(group)
    if timetable is None or group.phase == PHASE_ENDED:
        return None
    last = group.last
    if group.phase == PHASE_FROZEN and last is not None and last.source["kind"] not in MANUAL_SOURCES:
        at = _compute_draw_time(group, last, timetable)
        return NextDecision("draw", at, last.closing.occurrence, None, at)
    if group.phase == PHASE_CLOSED and group.closing is not None:
        occurrence = group.closing.occurrence
        return NextDecision("freeze", now, occurrence, now, now if occurrence is None else timetable.at(occurrence))
    occurrence = max(timetable.upcoming(now), find_first_open_occurrence(group))
    opens = timetable.opens(occurrence)
    return NextDecision("freeze", opens, occurrence, opens, timetable.at(occurrence))


def find_manual_occurrence(group: Group, now: int, undrawn: bool = False) -> int | None:
    """Return the occurrence of a page frozen by hand now, or None without a timetable.

    With `undrawn`, the open round is left undrawn and its occurrence counts as undecided.
    """
    timetable = get_timetable(group)
    return None if timetable is None else max(timetable.upcoming(now), find_first_open_occurrence(group, undrawn))


def find_first_open_occurrence(group: Group, undrawn: bool = False) -> int:
    """Return the first occurrence that no round has decided.

    A round with several turns decides one occurrence per turn. A round that was never drawn decides none. The open
    round counts as deciding its first occurrence, unless it is left `undrawn`.
    """
    timetable = get_timetable(group)
    for place in group.rounds.latest_dated():
        round_ = group.rounds[place]
        first = round_.closing.occurrence
        if first is None or not is_on_current_clock(group, round_):
            continue
        if round_.happened or (round_ is group.open and not undrawn):
            steps = len(round_.slots) if round_.happened else 1
            return first + steps if timetable is None else timetable.step(first, steps)
    return 0


def is_on_current_clock(group: Group, round_: Round) -> bool:
    """Return whether the round's occurrence was numbered by the current timetable.

    A beacon's charter numbers its own occurrences.
    """
    beacon = "beacon" in (group.source, round_.source["kind"])
    return not beacon or round_.source == group.terms["source"]


def find_timetable_start(group: Group, now: int) -> int:
    """Return the occurrence that a new timetable begins with.

    This is the first one still to come by the old timetable, or the first undecided one if that is earlier. Turns that
    were decided but have not happened yet therefore move with the timetable, and none is decided twice.
    """
    timetable, undecided = get_timetable(group), max(1, find_first_open_occurrence(group))
    if group.closing is not None and group.closing.occurrence is not None:
        undecided = max(undecided, group.closing.occurrence)
    return min(undecided, timetable.upcoming(now)) if isinstance(timetable, Timetable) else undecided


def _compute_draw_time(group: Group, last: Round, timetable: Timetable | BeaconTimetable) -> int:
    """Return when a frozen round is drawn: at its occurrence or, under a beacon, one second after the beacon's time."""
    if last.closing.occurrence is None:
        return group.at
    if last.speaks_at is not None:
        return last.speaks_at + 1
    return timetable.at(last.closing.occurrence)


def list_turns(group: Group, round_: Round) -> list[DatedTurn]:
    """Return the turns of a round that happened, in order."""
    timetable, zone, first = get_timetable(group), get_time_zone(group), round_.closing.occurrence
    if not is_on_current_clock(group, round_):
        timetable = None
    found = []
    for slot, arm in enumerate(round_.played):
        occurrence = None if first is None or timetable is None else timetable.step(first, slot)
        at = (
            None if timetable is None or occurrence is None or occurrence < timetable.base else timetable.at(occurrence)
        )
        date = None if at is None else datetime.fromtimestamp(at, zone).date().isoformat()
        reason = round_.overrides[slot]["reason"] if slot in round_.overrides else None
        names = group.arms[arm], group.arms[round_.drawn[slot]]
        found.append(DatedTurn(round_.number, slot + 1, *names, round_.whose(slot), reason, occurrence, at, date))
    return found


def count_past_turns(group: Group, round_: Round, now: int | None) -> int:
    """Return how many turns of a round are not after today; all of them without dates, or if `now` is None."""
    if now is None or not round_.happened:
        return len(round_.played)
    today = format_local_date(group, now)
    return sum(turn.date is None or turn.date <= today for turn in list_turns(group, round_))


def list_planned_turns(group: Group, now: int) -> list[DatedTurn]:
    """Return the turns decided for today and later, with all turns of the last round that happened, earliest first."""
    today = format_local_date(group, now)
    found: list[DatedTurn] = []
    for number, round_ in enumerate(one for one in reversed(group.rounds) if one.happened):
        decided = list_turns(group, round_)
        if number > 0 and not any(turn.date and turn.date >= today for turn in decided):
            break
        found[:0] = decided
    return found


def find_counting_date(group: Group, now: int) -> str | None:
    """Return the date of the first decision that an answer given now can change, as YYYY-MM-DD.

    Return None without a timetable, and while nothing is decided that it cannot change.
    """
    timetable, open_ = get_timetable(group), group.open
    if timetable is None or not (open_ or any(turn.date for turn in list_planned_turns(group, now))):
        return None
    occurrence = max(timetable.upcoming(now), find_first_open_occurrence(group))
    if open_ is not None and open_.closing.occurrence is not None:
        occurrence = max(occurrence, timetable.step(open_.closing.occurrence, group.terms["block"] or 1))
    return datetime.fromtimestamp(timetable.at(occurrence), get_time_zone(group)).date().isoformat()


def format_local_date(group: Group, now: int) -> str:
    """Return the date at a given time in the group's time zone, as YYYY-MM-DD."""
    return datetime.fromtimestamp(now, get_time_zone(group)).date().isoformat()


def decision_to_dict(coming: NextDecision | None) -> dict[str, Any] | None:
    """Return the next decision as JSON data for the API."""
    return None if coming is None else asdict(coming)
