"""Timetables: when a group decides, daily, on weekdays or weekly, at a time of day in a time zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from datetime import time as clock_time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from isegoria.errors import InputError
from isegoria.record.actions.rounds import MIN_BEACON_LEAD_SECONDS
from isegoria.utils.messages import FieldPath, Message

RECURRENCE_NAMES = ("daily", "weekdays", "weekly")
DAY_SECONDS = 86400
MAX_START_DISTANCE_SECONDS = 3653 * DAY_SECONDS
"""A timetable must start within ten years of the time at which it is set: a later or earlier start is an error or
abuse."""


@dataclass(frozen=True)
class Timetable:
    """A recurrence whose occurrences are numbered from `base`; the first is on or after `start` (a date).

    Each is at `time` (HH:MM) in `zone`, and its page is frozen `lead` minutes before. Times are local, so an occurrence
    stays at 12:30 when the clocks change. A time that the change skips comes an hour later; of a time that occurs
    twice, the first is used. Weekly occurrences are on the weekday of `start`.

    >>> lunch = Timetable("weekdays", "12:30", "Europe/Berlin", "2026-03-26", lead=60)   # a Thursday
    >>> [datetime.fromtimestamp(lunch.at(n), UTC).isoformat()[:16] for n in (1, 2, 3)]
    ['2026-03-26T11:30', '2026-03-27T11:30', '2026-03-30T10:30']
    >>> lunch.upcoming(lunch.at(2)), lunch.upcoming(lunch.at(2) - 1)
    (3, 2)
    """

    recurrence: str
    time: str
    zone: str
    start: str
    lead: int = 60
    base: int = 1

    def __post_init__(self) -> None:
        if self.recurrence not in RECURRENCE_NAMES:
            raise InputError(
                Message("recurrence_not_known", recurrence=self.recurrence, names=", ".join(RECURRENCE_NAMES))
            )
        parse_time_zone(self.zone), _parse_time(self.time), _parse_date(self.start)
        if not 1 <= self.lead <= 7 * 24 * 60:
            raise InputError(Message("lead_minutes", field=FieldPath("lead"), lead=self.lead))

    def at(self, occurrence: int) -> int:
        """Return the time of an occurrence, in Unix seconds."""
        day, count = self._first, occurrence - self.base
        if self.recurrence == "weekly":
            day += timedelta(weeks=count)
        elif self.recurrence == "daily":
            day += timedelta(days=count)
        else:
            weeks, rest = divmod(day.weekday() + count, 5)
            day += timedelta(days=7 * weeks + rest - day.weekday())
        return int(datetime.combine(day, _parse_time(self.time), parse_time_zone(self.zone)).timestamp())

    def opens(self, occurrence: int) -> int:
        """Return when the page of an occurrence is frozen."""
        return self.at(occurrence) - 60 * self.lead

    def upcoming(self, now: int) -> int:
        """Return the first occurrence that is later than `now`."""
        days = (datetime.fromtimestamp(now, parse_time_zone(self.zone)).date() - self._first).days
        guess = {"daily": days, "weekly": days // 7, "weekdays": days * 5 // 7}[self.recurrence]
        occurrence = self.base + max(0, guess - 3)
        while self.at(occurrence) <= now:
            occurrence += 1
        return occurrence

    @property
    def _first(self) -> date:
        """Day of the first occurrence: the start or, for weekdays, the Monday after a start on a weekend."""
        day = _parse_date(self.start)
        if self.recurrence == "weekdays" and day.weekday() >= 5:
            day += timedelta(days=7 - day.weekday())
        return day

    def step(self, occurrence: int, count: int) -> int:
        """Return the occurrence that is `count` occurrences after another one."""
        return occurrence + count

    def asked(self) -> dict[str, Any]:
        """Return the request body that would set the same times again."""
        return {"recurrence": self.recurrence, "time": self.time, "zone": self.zone, "start": None, "lead": self.lead}

    def to_dict(self) -> dict[str, Any]:
        """Return the timetable as a dictionary."""
        return asdict(self)


@dataclass(frozen=True)
class BeaconTimetable:
    """The occurrences of a beacon's charter: `first` + occurrence · `every`, in Unix seconds, the same for everybody.

    With `weekdays`, occurrences on a weekend in `zone` are skipped.

    >>> BeaconTimetable(first=1000, every=60).upcoming(1060 - MIN_BEACON_LEAD_SECONDS)
    2
    >>> BeaconTimetable(first=0, every=DAY_SECONDS, weekdays=True).step(1, 1)   # 1 January 1970 was a Thursday
    4
    """

    first: int
    every: int
    lead: int = 60
    base: int = 0
    zone: str = "UTC"
    weekdays: bool = False

    def at(self, occurrence: int) -> int:
        """Return the time of an occurrence, in Unix seconds."""
        return self.first + occurrence * self.every

    def opens(self, occurrence: int) -> int:
        """Return when the page of an occurrence is frozen, early enough to be seen before the beacon's value."""
        return self.at(occurrence) - max(60 * self.lead, MIN_BEACON_LEAD_SECONDS)

    def upcoming(self, now: int) -> int:
        """Return the first occurrence whose page may still be frozen at `now`."""
        return self.step(max(0, (now + MIN_BEACON_LEAD_SECONDS - self.first) // self.every + 1) - 1, 1)

    def step(self, occurrence: int, count: int) -> int:
        """Return the occurrence that is `count` occurrences after another one; weekends are skipped with `weekdays`."""
        for _ in range(count):
            occurrence += 1
            while self.weekdays and self._local(occurrence).weekday() >= 5:
                occurrence += 1
        return occurrence

    def asked(self) -> dict[str, Any]:
        """Return the request body that would set the same times again, as far as days and weeks can express them."""
        even = "weekly" if self.every % (7 * DAY_SECONDS) == 0 else "daily"
        recurrence = "weekdays" if self.weekdays else even
        time = f"{self._local(0):%H:%M}"
        return {"recurrence": recurrence, "time": time, "zone": self.zone, "start": None, "lead": self.lead}

    def _local(self, occurrence: int) -> datetime:
        return datetime.fromtimestamp(self.at(occurrence), parse_time_zone(self.zone))


def compute_beacon_times(asked: Mapping[str, Any], now: int) -> tuple[int, int]:
    """Return (first, every) of a beacon's charter for a timetable.

    The interval is constant in seconds, so a clock change moves the local hour.
    """
    start = asked["start"] or format_today(asked["zone"], now)
    validate_start(start, now)
    recurrence = asked["recurrence"] or "daily"
    table = Timetable(recurrence, asked["time"] or "12:00", asked["zone"], start, asked["lead"])
    return table.at(
        table.upcoming(now + MIN_BEACON_LEAD_SECONDS)
    ), 7 * DAY_SECONDS if recurrence == "weekly" else DAY_SECONDS


def validate_start(start: str, now: int) -> None:
    """Raise `InputError` if the first day is more than ten years away."""
    begins = datetime.combine(_parse_date(start), clock_time(), UTC).timestamp()
    if abs(begins - now) > MAX_START_DISTANCE_SECONDS:
        raise InputError(Message("start_expected_day_within_ten_years", field=FieldPath("start"), start=start))


def parse_time_zone(name: str) -> tzinfo:
    """Return the time zone of that name; raise `InputError` if it is unknown."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        if not available_timezones():
            raise InputError(Message("time_zone_not_known_server_no_list_them", name=name)) from None
        raise InputError(Message("time_zone_not_known", name=name)) from None


def _parse_time(text: str) -> clock_time:
    try:
        hours, minutes = text.split(":")
        return clock_time(int(hours), int(minutes))
    except (ValueError, AttributeError):
        raise InputError(Message("time_not_time_day", text=text)) from None


def _parse_date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except (ValueError, TypeError):
        raise InputError(Message("start_not_date", text=text)) from None


def format_today(zone: str, now: int) -> str:
    """Return the date in a zone at a given time, as YYYY-MM-DD."""
    return datetime.fromtimestamp(now, parse_time_zone(zone)).date().isoformat()
