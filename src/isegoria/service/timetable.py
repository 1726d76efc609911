"""When a group decides: daily, on weekdays or weekly, at a time of day in a time zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from datetime import time as clock_time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from isegoria.errors import InputError
from isegoria.record.rounds import BEFORE_BEACON

RECURRENCES = ("daily", "weekdays", "weekly")
DAY = 86400
FURTHEST = 3653 * DAY
"""A timetable starts within ten years of the day on which it is set: what lies further is a slip, or mischief."""


@dataclass(frozen=True)
class Timetable:
    """Occasions, numbered from `base` up, the first on or after `start` (a date).

    Each is at `time` (HH:MM) in `zone`; the page is frozen `lead` minutes before. Local time is what people keep, so
    an occasion stays at 12:30 when the clocks change; a time that the change leaves out comes an hour later, and one
    that occurs twice is meant at its first coming. Weekly ones fall on the weekday of `start`.

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
        if self.recurrence not in RECURRENCES:
            raise InputError(f"recurrence {self.recurrence!r} is not known; expected one of {', '.join(RECURRENCES)}.")
        time_zone(self.zone), _time(self.time), _date(self.start)
        if not 1 <= self.lead <= 7 * 24 * 60:
            raise InputError(f"lead is {self.lead} minutes; expected 1 minute to 7 days.")

    def at(self, occasion: int) -> int:
        """When an occasion is, in Unix seconds."""
        day, count = self._first, occasion - self.base
        if self.recurrence == "weekly":
            day += timedelta(weeks=count)
        elif self.recurrence == "daily":
            day += timedelta(days=count)
        else:
            weeks, rest = divmod(day.weekday() + count, 5)
            day += timedelta(days=7 * weeks + rest - day.weekday())
        return int(datetime.combine(day, _time(self.time), time_zone(self.zone)).timestamp())

    def opens(self, occasion: int) -> int:
        """When the page of an occasion is frozen."""
        return self.at(occasion) - 60 * self.lead

    def upcoming(self, now: int) -> int:
        """The first occasion that is later than `now`."""
        days = (datetime.fromtimestamp(now, time_zone(self.zone)).date() - self._first).days
        guess = {"daily": days, "weekly": days // 7, "weekdays": days * 5 // 7}[self.recurrence]
        occasion = self.base + max(0, guess - 3)
        while self.at(occasion) <= now:
            occasion += 1
        return occasion

    @property
    def _first(self) -> date:
        """The day of the first occasion: the start, or the Monday after where the start is no working day."""
        day = _date(self.start)
        if self.recurrence == "weekdays" and day.weekday() >= 5:
            day += timedelta(days=7 - day.weekday())
        return day

    def step(self, occasion: int, count: int) -> int:
        """The occasion that comes so many after another one."""
        return occasion + count

    def asked(self) -> dict[str, Any]:
        """What one would ask for to get these times again."""
        return {"recurrence": self.recurrence, "time": self.time, "zone": self.zone, "start": None, "lead": self.lead}

    def to_dict(self) -> dict[str, Any]:
        """The timetable as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Clockwork:
    """The occasions of a beacon's charter: `first` + occasion · `every`, in Unix seconds, the same for everybody.

    With `weekdays` those that fall on a weekend in `zone` are left out.

    >>> Clockwork(first=1000, every=60).upcoming(1060 - BEFORE_BEACON)
    2
    >>> Clockwork(first=0, every=DAY, weekdays=True).step(1, 1)   # 1 January 1970 was a Thursday
    4
    """

    first: int
    every: int
    lead: int = 60
    base: int = 0
    zone: str = "UTC"
    weekdays: bool = False

    def at(self, occasion: int) -> int:
        """When an occasion is, in Unix seconds."""
        return self.first + occasion * self.every

    def opens(self, occasion: int) -> int:
        """When the page of an occasion is frozen: in time for others to have it before the beacon speaks."""
        return self.at(occasion) - max(60 * self.lead, BEFORE_BEACON)

    def upcoming(self, now: int) -> int:
        """The first occasion whose page may still be frozen at `now`."""
        return self.step(max(0, (now + BEFORE_BEACON - self.first) // self.every + 1) - 1, 1)

    def step(self, occasion: int, count: int) -> int:
        """The occasion that comes so many after another one, weekends left out."""
        for _ in range(count):
            occasion += 1
            while self.weekdays and self._local(occasion).weekday() >= 5:
                occasion += 1
        return occasion

    def asked(self) -> dict[str, Any]:
        """What one would ask for to get these times again, as far as days and weeks can say them."""
        even = "weekly" if self.every % (7 * DAY) == 0 else "daily"
        recurrence = "weekdays" if self.weekdays else even
        time = f"{self._local(0):%H:%M}"
        return {"recurrence": recurrence, "time": time, "zone": self.zone, "start": None, "lead": self.lead}

    def _local(self, occasion: int) -> datetime:
        return datetime.fromtimestamp(self.at(occasion), time_zone(self.zone))


def beacon_times(asked: Mapping[str, Any], now: int) -> tuple[int, int]:
    """(first, every) of a beacon's charter for a timetable: seconds are even, so a change of clocks moves the hour."""
    start = asked["start"] or today(asked["zone"], now)
    check_start(start, now)
    recurrence = asked["recurrence"] or "daily"
    table = Timetable(recurrence, asked["time"] or "12:00", asked["zone"], start, asked["lead"])
    return table.at(table.upcoming(now + BEFORE_BEACON)), 7 * DAY if recurrence == "weekly" else DAY


def check_start(start: str, now: int) -> None:
    """Refuse a first day that is too far away."""
    begins = datetime.combine(_date(start), clock_time(), UTC).timestamp()
    if abs(begins - now) > FURTHEST:
        raise InputError(f"start is {start}; expected a day within ten years of today.")


def time_zone(name: str) -> tzinfo:
    """The time zone of that name, or a sentence why there is none."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        if not available_timezones():
            raise InputError(f"time zone {name!r} is not known: this server has no list of them but UTC.") from None
        raise InputError(f"time zone {name!r} is not known; expected a name such as Europe/Berlin or UTC.") from None


def _time(text: str) -> clock_time:
    try:
        hours, minutes = text.split(":")
        return clock_time(int(hours), int(minutes))
    except (ValueError, AttributeError):
        raise InputError(f"time {text!r} is not a time of day; expected HH:MM, such as 12:30.") from None


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except (ValueError, TypeError):
        raise InputError(f"start {text!r} is not a date; expected YYYY-MM-DD.") from None


def today(zone: str, now: int) -> str:
    """The date in a zone at a moment, as YYYY-MM-DD."""
    return datetime.fromtimestamp(now, time_zone(zone)).date().isoformat()
