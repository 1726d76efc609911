"""The words of the pages: a table of messages for each language, and which of them a visitor reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, tzinfo
from functools import cache
from typing import Any

from isegoria.service.web import STATIC

COOKIE = "isegoria-language"
DAYS_OF_A_WEEK = 7
FIELD = re.compile(r"(?:\w+\.)*(\w+)(?:\[(.*?)\])?(?= (?:is|has|holds)\b)", re.DOTALL)
"""The field of a body that a refusal begins with: `timetable.lead`, `members[3]`, `values['tea']`."""
ONE_OR_MORE = re.compile(r"\{(\w+)\|([^|{}]*)\|((?:[^{}]|\{\w+\})*)\}")


@cache
def languages() -> Mapping[str, str]:
    """The languages of the pages, each with its own name for itself: a file `pages.CODE.json` makes one; English first.

    >>> list(languages().items())
    [('en', 'English'), ('de', 'Deutsch')]
    """
    codes = sorted((path.name.split(".")[1] for path in (STATIC / "words").glob("pages.*.json")), key=_english_first)
    return {code: messages(code)["language"] for code in codes}


def _english_first(code: str) -> tuple[bool, str]:
    return code != "en", code


@cache
def messages(language: str) -> Mapping[str, Any]:
    """The table of a language, by the name of a message; what it does not have is said in English."""
    table = _table(f"pages.{language}.json")
    return table if language == "en" else {**messages("en"), **table}


@cache
def explorer_messages(language: str) -> Mapping[str, Any]:
    """The same for the explorer: a file of its own, or `explore` in the file of the pages."""
    own = _table(f"explore.{language}.json") or messages(language).get("explore", {})
    return own if language == "en" else {**explorer_messages("en"), **own}


@cache
def check_messages() -> Mapping[str, Any]:
    """What the verifier's page needs to speak other languages than English: its sentences by id, and for each language
    its words, from a file of its own or `check` in the file of the pages, which has those of the findings.

    >>> check_messages()["languages"]["de"]["heading"], check_messages()["languages"]["de"]["sentences"]["rehearsal"]
    ('Eine Ziehung prüfen', 'eine Probe, die nichts beweist')
    """
    findings, verdicts = (_table(f"{name}.json") for name in ("findings", "verdicts"))
    brought = {code: messages(code) for code in languages() if code != "en"}
    own = {code: _table(f"check.{code}.json") or words.get("check", {}) for code, words in brought.items()}
    spoken = {
        code: words | {"language": languages()[code], "sentences": {
            **{id: brought[code][f"finding_{id}"] for id in findings}, **words.get("sentences", {})
        }}
        for code, words in own.items()
    }  # fmt: skip
    return {"languages": spoken, "sentences": {**findings, **verdicts}}


def _table(name: str) -> dict[str, Any]:
    """A table among the words; empty where there is none."""
    path = STATIC / "words" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def language_of(query: Mapping[str, str], cookies: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """The language that a visitor chose, or the first one of her browser's that there is.

    >>> language_of({}, {}, {"accept-language": "fr-FR,de;q=0.8,en;q=0.5"})
    'de'
    """
    asked = [query.get("lang"), cookies.get(COOKIE)]
    asked += [part.partition(";")[0].strip()[:2].lower() for part in headers.get("accept-language", "").split(",")]
    return next((language for language in asked if language is not None and language in languages()), "en")


def speaker(language: str) -> Callable[..., str]:
    """`say(name, **values)`: the message of that name, with its values filled in.

    `{count|phone|phones}` is the first word where the value is one, else the second.

    >>> speaker("en")("seen_by", early=1, of=2, wanted=1)
    '1 of 2 phones has seen this page; 1 is wanted before the draw.'
    """
    table = messages(language)

    def say(name: str, /, **values: Any) -> str:
        chosen = ONE_OR_MORE.sub(lambda found: found[2] if values[found[1]] == 1 else found[3], str(table[name]))
        return chosen.format(**values)

    return say


def day_text(say: Callable[..., str], day: date) -> str:
    """A day as people say it.

    >>> day_text(speaker("en"), date(2026, 11, 17)), day_text(speaker("de"), date(2026, 11, 17))
    ('Tuesday 17 November', 'Dienstag, 17. November')
    """
    weekday = say("weekday_names").split(",")[day.weekday()]
    return say("date_long", weekday=weekday, day=day.day, month=say("month_names").split(",")[day.month - 1])


def day_short(say: Callable[..., str], day: date) -> str:
    """A day of these weeks, for a narrow place.

    >>> day_short(speaker("en"), date(2026, 11, 17)), day_short(speaker("de"), date(2026, 11, 17))
    ('Tue 17', 'Di 17.')
    """
    return say("date_chip", weekday=say("weekday_short").split(",")[day.weekday()], day=day.day)


def number_text(say: Callable[..., str]) -> Callable[[float, int], str]:
    """`number(value, digits)`: a number as a language writes it, without digits that say nothing.

    >>> number_text(speaker("de"))(12.5, 1), number_text(speaker("en"))(4.0, 1)
    ('12,5', '4')
    """
    return lambda value, digits: f"{round(value, digits):g}".replace(".", say("decimal_point"))


def moment_text(say: Callable[..., str], at: int, zone: tzinfo) -> str:
    """A moment as people say it in a time zone.

    >>> from datetime import UTC
    >>> moment_text(speaker("en"), 1794918600, UTC)
    'Tuesday 17 November, 12:30'
    """
    when = datetime.fromtimestamp(at, zone)
    return say("date_and_time", date=day_text(say, when.date()), time=f"{when:%H:%M}")


def short_moment(say: Callable[..., str], at: int, zone: tzinfo, today: str) -> str:
    """A moment as short as it can be said: of the coming days by its weekday alone.

    >>> from datetime import UTC
    >>> short_moment(speaker("en"), 1794918600, UTC, "2026-11-16")
    'Tue 12:30'
    >>> short_moment(speaker("en"), 1794918600, UTC, "2026-11-01")
    'Tuesday 17 November, 12:30'
    """
    when = datetime.fromtimestamp(at, zone)
    if not 0 <= (when.date() - date.fromisoformat(today)).days < DAYS_OF_A_WEEK:
        return moment_text(say, at, zone)
    return say("time_short", weekday=say("weekday_short").split(",")[when.weekday()], time=f"{when:%H:%M}")


@cache
def refusals(language: str) -> list[tuple[re.Pattern[str], str]]:
    """The sentences of refusals: what each looks like in English, and its words in a language.

    They stand in a file of their own, or under `refusals` in the file of the pages.
    """
    table = _table(f"refusals.{language}.json") or messages(language).get("refusals", {})
    return [(re.compile("(.*)".join(map(re.escape, english.split("{}")))), said) for english, said in table.items()]


def reworded(sentence: str, language: str) -> str:
    """A refusal in a language; a sentence that its table does not have stays English.

    >>> reworded("'Ann' is the last member; end or delete the group instead.", "de")
    "'Ann' ist das letzte Mitglied; beenden oder löschen Sie stattdessen die Gruppe."
    >>> reworded("the disk is full.", "de")
    'the disk is full.'
    """
    for pattern, said in refusals(language):
        if found := pattern.fullmatch(sentence):
            return said.format(*found.groups())
    return sentence


def for_people(sentence: str, language: str) -> str:
    """A refusal as a page says it: in its language, and the field by its name there and not by the program's.

    >>> for_people("timetable.lead is 'five'; expected a whole number.", "en")
    "the time between closing and drawing, in minutes, is 'five'; expected a whole number."
    >>> for_people("members[3] has 101 characters; expected 1 to 100.", "de")
    'Person 4 hat 101 Zeichen; erwartet werden 1 bis 100.'
    """
    told = reworded(sentence, language)
    found = FIELD.match(sentence)
    if found is None or not told.startswith(found[0]):
        return told
    name, item = f"field_{found[1]}", found[2]
    if item is not None:
        name, item = f"{name}_item", str(int(item) + 1) if item.isdigit() else item
    if name not in messages(language):
        return told
    return speaker(language)(name, item=item) + told[len(found[0]) :]
