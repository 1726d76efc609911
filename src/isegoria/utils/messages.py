"""Messages to users as data: a code and values, from which the catalogue of each language makes a sentence.

A `Message` is its English sentence, so it can be raised, printed and compared like any text. Pages translate it by its
code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

TRANSLATIONS_FOLDER = Path(__file__).parent / "translations"


@cache
def load_error_catalogue(language: str) -> Mapping[str, str]:
    """Return the templates of error messages by code; empty for a language without any."""
    path = TRANSLATIONS_FOLDER / f"errors.{language}.json"
    table: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return table


class Message(str):
    """An English sentence that knows its code and its values.

    >>> message = Message("last_member", name="Ann")
    >>> message
    'Ann is the last member; end or delete the group instead.'
    >>> message.to_language("de")
    'Ann ist das letzte Mitglied; beenden oder löschen Sie stattdessen die Gruppe.'
    """

    code: str
    values: Mapping[str, Any]

    def __new__(cls, code: str, /, **values: Any) -> Message:
        """Make the English sentence."""
        message = super().__new__(cls, load_error_catalogue("en")[code].format(**values))
        message.code, message.values = code, values
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_message, (self.code, dict(self.values))

    def to_language(self, language: str, **replaced: Any) -> str:
        """Return the sentence in a language, or in English if its catalogue has none; `replaced` are other values."""
        template = load_error_catalogue(language).get(self.code) or load_error_catalogue("en")[self.code]
        return template.format(**{**self.values, **replaced})


def _rebuild_message(code: str, values: dict[str, Any]) -> Message:
    return Message(code, **values)


class FieldPath(str):
    """Path of a field in a request, such as `timetable.lead` or `members[3]`: its last `name`, and the `item` in it.

    >>> path = FieldPath("timetable").child("lead")
    >>> path, path.root, path.name, FieldPath("members").at(3).item
    ('timetable.lead', 'timetable', 'lead', 3)
    """

    root: str
    name: str
    item: int | str | None

    def __new__(cls, text: str, name: str | None = None, item: int | str | None = None) -> FieldPath:
        """Make the path of a field at the top, or of one inside another."""
        path = super().__new__(cls, text)
        path.root, path.name, path.item = text.partition(".")[0].partition("[")[0], name or text, item
        return path

    def child(self, name: str) -> FieldPath:
        """Return the path of a field inside this one."""
        return FieldPath(f"{self}.{name}", name)

    def at(self, item: int | str) -> FieldPath:
        """Return the path of an entry inside this field."""
        return FieldPath(f"{self}[{item}]", self.name, item)
