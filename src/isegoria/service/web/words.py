"""The words of the pages: a table of messages for each language, and which of them a visitor reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache

from isegoria.service.web import STATIC

LANGUAGES = {"en": "English", "de": "Deutsch"}
COOKIE = "isegoria-language"


@cache
def messages(language: str) -> Mapping[str, str]:
    """The table of a language, by the name of a message."""
    return json.loads((STATIC / "words" / f"pages.{language}.json").read_text(encoding="utf-8"))


def language_of(query: Mapping, cookies: Mapping, headers: Mapping) -> str:
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

    def say(name: str, /, **values) -> str:
        return table[name].format(**values)

    return say
