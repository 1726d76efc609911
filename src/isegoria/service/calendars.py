"""The calendar feed (RFC 5545): what was decided for each day, and the next decision, so that both come to people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from isegoria.record.group import Group
from isegoria.service.http.request import Reply, Request
from isegoria.service.occasions import DatedTurn, coming, turns
from isegoria.service.web.words import language_of, speaker

if TYPE_CHECKING:
    from isegoria.service.app import Service
    from isegoria.service.http.tokens import Actor

BACK = 60 * 86400  # how long a day that is past stays in the feed
LENGTH = "PT30M"


def calendar(service: Service, request: Request, actor: Actor | None) -> Reply:
    """The timetable and its results as a feed for any calendar. It says nothing that a stranger may not see."""
    say = speaker(language_of(request.query, request.cookies, request.headers))
    with service.groups.reading(request.group) as (state, _):
        text = ics(state, service.site(request), int(service.groups.clock()), say)
    return Reply(text.encode(), 200, "text/calendar; charset=utf-8")


def ics(group: Group, site: str, now: int, say: Callable[..., str]) -> str:
    """An iCalendar file: an entry for every decided day since two months ago, and one for the next decision."""
    title = _escaped(group.terms["title"])
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//isegoria//service//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH",
        f"X-WR-CALNAME:{title}", "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    ]  # fmt: skip
    for turn in _dated(group, now):
        lines += _decided(group, turn, f"{site}/g/{group.address}", now, say)
    lines += _next(group, f"{site}/g/{group.address}", now, say)
    return "".join(f"{part}\r\n" for line in [*lines, "END:VCALENDAR"] for part in _folded(line))


def _dated(group: Group, now: int) -> list[DatedTurn]:
    """The turns that have a date, not too old, the earliest first."""
    found: list[DatedTurn] = []
    for round_ in reversed(group.rounds):
        dated = [turn for turn in turns(group, round_) if turn.at is not None and turn.at >= now - BACK]
        if round_.happened and not dated:
            break
        found[:0] = dated
    return found


def _decided(group: Group, turn: DatedTurn, page: str, now: int, say: Callable[..., str]) -> list[str]:
    told = "" if turn.reason is None else say("instead_of", drawn=turn.drawn, reason=turn.reason)
    return [
        "BEGIN:VEVENT",
        f"UID:{group.address}-{turn.occasion}@isegoria",
        f"DTSTAMP:{_stamp(now)}",
        f"DTSTART:{_stamp(turn.at or 0)}",
        f"DURATION:{LENGTH}",
        f"SUMMARY:{_escaped(say('decided_short', title=group.terms['title'], arm=turn.arm))}",
        *([f"DESCRIPTION:{_escaped(told)}"] if told else []),
        f"URL:{page}",
        "END:VEVENT",
    ]


def _next(group: Group, page: str, now: int, say: Callable[..., str]) -> list[str]:
    """The next decision: from the moment when ratings close to the draw, with a reminder while there is time."""
    found = coming(group, now)
    if found is None:
        return []
    asks = found.freeze is not None
    summary = say("calendar_asks" if asks else "calendar_draw", title=group.terms["title"])
    alarm = [
        "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT30M", f"DESCRIPTION:{_escaped(say('calendar_soon'))}",
        "END:VALARM",
    ]  # fmt: skip
    return [
        "BEGIN:VEVENT",
        f"UID:{group.address}-next-{found.occasion}@isegoria",
        f"DTSTAMP:{_stamp(now)}",
        f"DTSTART:{_stamp(found.at)}",
        f"DTEND:{_stamp(found.draw)}",
        f"SUMMARY:{_escaped(summary)}",
        *([f"DESCRIPTION:{_escaped(say('calendar_asks_note'))}"] if asks else []),
        f"URL:{page}",
        *(alarm if asks else []),
        "END:VEVENT",
    ]


def _stamp(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y%m%dT%H%M%SZ")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _folded(line: str) -> list[str]:
    """A line in parts of at most 75 bytes, as the format asks; a character is never cut."""
    parts: list[str] = []
    current = ""
    for character in line:
        if len((current + character).encode()) > (75 if not parts else 74):
            parts.append(current)
            current = ""
        current += character
    return [part if place == 0 else f" {part}" for place, part in enumerate([*parts, current])]
