"""The words of the pages: a table of messages for each language, and which of them a visitor reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from isegoria.service.web import STATIC

LANGUAGES = {"en": "English", "de": "Deutsch"}
COOKIE = "isegoria-language"


@cache
def messages(language: str) -> Mapping[str, str]:
    """The table of a language, by the name of a message."""
    return json.loads((STATIC / "words" / f"pages.{language}.json").read_text(encoding="utf-8"))


def language_of(query: Mapping[str, str], cookies: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """The language that a visitor chose, or the first one of her browser's that there is.

    >>> language_of({}, {}, {"accept-language": "fr-FR,de;q=0.8,en;q=0.5"})
    'de'
    """
    asked = [query.get("lang"), cookies.get(COOKIE)]
    asked += [part.partition(";")[0].strip()[:2].lower() for part in headers.get("accept-language", "").split(",")]
    return next((language for language in asked if language in LANGUAGES), "en")


def speaker(language: str) -> Callable[..., str]:
    """`say(name, **values)`: the message of that name, with its values filled in."""
    table = messages(language)

    def say(name: str, /, **values: Any) -> str:
        return table[name].format(**values)

    return say


@cache
def refusals(language: str) -> list[tuple[re.Pattern[str], str]]:
    """The sentences of refusals: what each looks like in English, and its words in a language."""
    path = STATIC / "words" / f"refusals.{language}.json"
    table = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
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
