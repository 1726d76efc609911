"""Messages of the pages in each language, and the choice of a visitor's language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, tzinfo
from functools import cache
from typing import Any

from isegoria.service.web import STATIC_FOLDER
from isegoria.utils.messages import FieldPath, Message

LANGUAGE_COOKIE = "isegoria-language"
DAYS_PER_WEEK = 7
PLURAL_PATTERN = re.compile(r"\{(\w+)\|([^|{}]*)\|((?:[^{}]|\{\w+\})*)\}")


@cache
def list_languages() -> Mapping[str, str]:
    """Return the languages of the pages with their own names, English first; a file `pages.CODE.json` adds one.

    >>> list(list_languages().items())
    [('en', 'English'), ('de', 'Deutsch')]
    """
    codes = sorted(
        (path.name.split(".")[1] for path in (STATIC_FOLDER / "translations").glob("pages.*.json")),
        key=_english_first_key,
    )
    return {code: load_messages(code)["language"] for code in codes}


def _english_first_key(code: str) -> tuple[bool, str]:
    return code != "en", code


@cache
def load_messages(language: str) -> Mapping[str, Any]:
    """Return the messages of a language by name; missing ones are in English."""
    table = _load_table(f"pages.{language}.json")
    return table if language == "en" else {**load_messages("en"), **table}


@cache
def load_explorer_messages(language: str) -> Mapping[str, Any]:
    """Return the explorer's messages, from its own file or from `explore` in the file of the pages."""
    own = _load_table(f"explorer.{language}.json") or load_messages(language).get("explore", {})
    return own if language == "en" else {**load_explorer_messages("en"), **own}


@cache
def load_page_messages(language: str) -> Mapping[str, Any]:
    """Return the messages of the page that needs no installation; missing ones are in English."""
    own = _load_table(f"one_page.{language}.json")
    return own if language == "en" else {**load_page_messages("en"), **own}


@cache
def load_verifier_messages() -> Mapping[str, Any]:
    """Return what the verifier's page needs for languages other than English.

    These are its sentences by id, and the messages of each language, from a file of its own or from `check` in the file
    of the pages, which also has the sentences of the findings.

    >>> load_verifier_messages()["languages"]["de"]["heading"], load_verifier_messages(
    ... )["languages"]["de"]["sentences"]["rehearsal"]
    ('Eine Ziehung prüfen', 'eine Probe, die nichts beweist')
    """
    findings, verdicts = (_load_table(f"{name}.json") for name in ("findings", "verdicts"))
    brought = {code: load_messages(code) for code in list_languages() if code != "en"}
    own = {code: _load_table(f"verifier.{code}.json") or words.get("check", {}) for code, words in brought.items()}
    spoken = {
        code: words
        | {
            "language": list_languages()[code],
            "sentences": {**{id: brought[code][f"finding_{id}"] for id in findings}, **words.get("sentences", {})},
        }
        for code, words in own.items()
    }
    return {"languages": spoken, "sentences": {**findings, **verdicts}}


def _load_table(name: str) -> dict[str, Any]:
    """Load a table of messages; return an empty one if there is no such file."""
    path = STATIC_FOLDER / "translations" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def choose_language(query: Mapping[str, str], cookies: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """Return the language that a visitor chose, or the first available one of the browser's list.

    >>> choose_language({}, {}, {"accept-language": "fr-FR,de;q=0.8,en;q=0.5"})
    'de'
    """
    asked = [query.get("lang"), cookies.get(LANGUAGE_COOKIE)]
    asked += [part.partition(";")[0].strip()[:2].lower() for part in headers.get("accept-language", "").split(",")]
    return next((language for language in asked if language is not None and language in list_languages()), "en")


def make_translator(language: str) -> Callable[..., str]:
    """Return `say(name, **values)`, which formats the message of that name with its values.

    `{count|phone|phones}` becomes the first word if the value is 1, otherwise the second.

    >>> make_translator("en")("seen_by", early=1, of=2, wanted=1)
    '1 of 2 phones has seen this page; 1 is wanted before the draw.'
    """
    table = load_messages(language)

    def say(name: str, /, **values: Any) -> str:
        chosen = PLURAL_PATTERN.sub(lambda found: found[2] if values[found[1]] == 1 else found[3], str(table[name]))
        return chosen.format(**values)

    return say


def format_day(say: Callable[..., str], day: date) -> str:
    """Format a day with weekday and month.

    >>> format_day(make_translator("en"), date(2026, 11, 17)), format_day(make_translator("de"), date(2026, 11, 17))
    ('Tuesday 17 November', 'Dienstag, 17. November')
    """
    weekday = say("weekday_names").split(",")[day.weekday()]
    return say("date_long", weekday=weekday, day=day.day, month=say("month_names").split(",")[day.month - 1])


def format_short_day(say: Callable[..., str], day: date) -> str:
    """Format a day of the coming weeks for a narrow space.

    >>> [format_short_day(make_translator(language), date(2026, 11, 17)) for language in ("en", "de")]
    ['Tue 17', 'Di 17.']
    """
    return say("date_chip", weekday=say("weekday_short").split(",")[day.weekday()], day=day.day)


def make_number_formatter(say: Callable[..., str]) -> Callable[[float, int], str]:
    """Return `number(value, digits)`, which formats a number in the language, without trailing zeros.

    >>> make_number_formatter(make_translator("de"))(12.5, 1), make_number_formatter(make_translator("en"))(4.0, 1)
    ('12,5', '4')
    """
    return lambda value, digits: f"{round(value, digits):g}".replace(".", say("decimal_point"))


def format_time(say: Callable[..., str], at: int, zone: tzinfo) -> str:
    """Format a time in a time zone, with date and time of day.

    >>> from datetime import UTC
    >>> format_time(make_translator("en"), 1794918600, UTC)
    'Tuesday 17 November, 12:30'
    """
    when = datetime.fromtimestamp(at, zone)
    return say("date_and_time", date=format_day(say, when.date()), time=f"{when:%H:%M}")


def format_short_time(say: Callable[..., str], at: int, zone: tzinfo, today: str) -> str:
    """Format a time as shortly as possible: in the coming week with its weekday only.

    >>> from datetime import UTC
    >>> format_short_time(make_translator("en"), 1794918600, UTC, "2026-11-16")
    'Tue 12:30'
    >>> format_short_time(make_translator("en"), 1794918600, UTC, "2026-11-01")
    'Tuesday 17 November, 12:30'
    """
    when = datetime.fromtimestamp(at, zone)
    if not 0 <= (when.date() - date.fromisoformat(today)).days < DAYS_PER_WEEK:
        return format_time(say, at, zone)
    return say("time_short", weekday=say("weekday_short").split(",")[when.weekday()], time=f"{when:%H:%M}")


def translate_error(message: str, language: str) -> str:
    """Return an error message in a language; one without a code, or without a translation, stays in English.

    >>> translate_error(Message("last_member", name="Ann"), "de")
    'Ann ist das letzte Mitglied; beenden oder löschen Sie stattdessen die Gruppe.'
    >>> translate_error("the disk is full.", "de")
    'the disk is full.'
    """
    return message.to_language(language) if isinstance(message, Message) else message


def translate_error_for_page(message: str, language: str) -> str:
    """Return an error message for a page, with the label of a field in place of the program's name for it.

    >>> lead = FieldPath("timetable").child("lead")
    >>> translate_error_for_page(Message("expected_integer", field=lead, value="'five'"), "en")
    "the time between closing and drawing, in minutes, is 'five'; expected a whole number."
    >>> member = FieldPath("members").at(3)
    >>> translate_error_for_page(Message("wrong_text_length", field=member, count=101, least=1, most=100), "de")
    'Person 4 hat 101 Zeichen; erwartet werden 1 bis 100.'
    """
    field = message.values.get("field") if isinstance(message, Message) else None
    if not isinstance(message, Message) or not isinstance(field, FieldPath):
        return translate_error(message, language)
    name, item = f"field_{field.name}", None if field.item is None else str(field.item)
    if isinstance(field.item, int):
        item = str(field.item + 1)
    name = name if item is None else f"{name}_item"
    if name not in load_messages(language):
        return message.to_language(language)
    return message.to_language(language, field=make_translator(language)(name, item=item))
