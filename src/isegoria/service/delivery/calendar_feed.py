"""Calendar feed (iCalendar, RFC 5545) of the decided days and the next decision."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from isegoria.record.state.group import Group
from isegoria.service.groups.occurrences import DatedTurn, find_next_decision, list_turns

FEED_HISTORY_SECONDS = 60 * 86400  # seconds for which a past day stays in the feed
EVENT_DURATION = "PT30M"


def build_icalendar(group: Group, site: str, now: int, say: Callable[..., str]) -> str:
    """Return an iCalendar file with an entry for each decided day, from 60 days ago on, and for the next decision."""
    title = _escape_text(group.terms["title"])
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//isegoria//service//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{title}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    ]
    for turn in _list_recent_turns(group, now):
        lines += _build_turn_event(group, turn, f"{site}/g/{group.address}", now, say)
    lines += _build_next_event(group, f"{site}/g/{group.address}", now, say)
    return "".join(f"{part}\r\n" for line in [*lines, "END:VCALENDAR"] for part in _fold_line(line))


def _list_recent_turns(group: Group, now: int) -> list[DatedTurn]:
    """Return the turns that have a date and are not older than `FEED_HISTORY_SECONDS`, the earliest round first."""
    found: list[DatedTurn] = []
    for round_ in reversed(group.rounds):
        dated = [
            turn for turn in list_turns(group, round_) if turn.at is not None and turn.at >= now - FEED_HISTORY_SECONDS
        ]
        if round_.happened and not dated:
            break
        found[:0] = dated
    return found


def _build_turn_event(group: Group, turn: DatedTurn, page: str, now: int, say: Callable[..., str]) -> list[str]:
    told = "" if turn.reason is None else say("instead_of", drawn=turn.drawn, reason=turn.reason)
    return [
        "BEGIN:VEVENT",
        f"UID:{group.address}-{turn.occurrence}@isegoria",
        f"DTSTAMP:{_format_utc(now)}",
        f"DTSTART:{_format_utc(turn.at or 0)}",
        f"DURATION:{EVENT_DURATION}",
        f"SUMMARY:{_escape_text(say('decided_short', title=group.terms['title'], arm=turn.arm))}",
        *([f"DESCRIPTION:{_escape_text(told)}"] if told else []),
        f"URL:{page}",
        "END:VEVENT",
    ]


def _build_next_event(group: Group, page: str, now: int, say: Callable[..., str]) -> list[str]:
    """Return the lines of the next decision, from the cutoff to the draw; with a reminder if ratings are open."""
    found = find_next_decision(group, now)
    if found is None:
        return []
    asks = found.freeze is not None
    summary = say("calendar_asks" if asks else "calendar_draw", title=group.terms["title"])
    alarm = [
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "TRIGGER:-PT30M",
        f"DESCRIPTION:{_escape_text(say('calendar_soon'))}",
        "END:VALARM",
    ]
    return [
        "BEGIN:VEVENT",
        f"UID:{group.address}-next-{found.occurrence}@isegoria",
        f"DTSTAMP:{_format_utc(now)}",
        f"DTSTART:{_format_utc(found.at)}",
        f"DTEND:{_format_utc(found.draw)}",
        f"SUMMARY:{_escape_text(summary)}",
        *([f"DESCRIPTION:{_escape_text(say('calendar_asks_note'))}"] if asks else []),
        f"URL:{page}",
        *(alarm if asks else []),
        "END:VEVENT",
    ]


def _format_utc(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y%m%dT%H%M%SZ")


def _escape_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _fold_line(line: str) -> list[str]:
    """Fold a line into parts of at most 75 bytes, as RFC 5545 requires, without splitting a character."""
    parts: list[str] = []
    current = ""
    for character in line:
        if len((current + character).encode()) > (75 if not parts else 74):
            parts.append(current)
            current = ""
        current += character
    return [part if place == 0 else f" {part}" for place, part in enumerate([*parts, current])]
