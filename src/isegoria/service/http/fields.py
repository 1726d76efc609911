"""What a body may hold: each field checks its value in words, and describes itself for `openapi.json`."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isegoria.service.http.refusals import BadRequest

MISSING = object()
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
UNSEEN = re.compile(r"[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Marks that nobody sees and that make one name look like another; joiners inside words are letters' own."""


@dataclass(frozen=True)
class Field:
    """A value of some kind; `default` stands where it is left out (a field without one must be given)."""

    note: str = ""
    default: object = MISSING

    def check(self, value: Any, where: str) -> Any:
        """The value as the service uses it, or a `BadRequest` that says what was expected."""
        raise NotImplementedError

    def shape(self) -> dict[str, Any]:
        """The JSON schema of the value."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """The JSON schema with the note."""
        return self.shape() | ({"description": self.note} if self.note else {})


@dataclass(frozen=True)
class Text(Field):
    """A line of text in NFC, without control characters, of `least` to `most` characters."""

    least: int = 1
    most: int = 200

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, str):
            raise BadRequest(f"{where} is {kind(value)}; expected a text.")
        if CONTROL.search(value):
            raise BadRequest(f"{where} holds a control character; expected one line of plain text.")
        if UNSEEN.search(value):
            raise BadRequest(f"{where} holds a mark that cannot be seen; write it again by hand.")
        value = unicodedata.normalize("NFC", value.strip())
        if not self.least <= len(value) <= self.most:
            raise BadRequest(f"{where} has {len(value)} characters; expected {self.least} to {self.most}.")
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "minLength": self.least, "maxLength": self.most}


@dataclass(frozen=True)
class Hex(Field):
    """A text of `digits` hexadecimal digits in lower case."""

    digits: int = 64

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, str) or not re.fullmatch(f"[0-9a-f]{{{self.digits}}}", value):
            raise BadRequest(f"{where} is not {self.digits} hexadecimal digits in lower case.")
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^[0-9a-f]{{{self.digits}}}$"}


@dataclass(frozen=True)
class Whole(Field):
    """A whole number from `low` to `high`."""

    low: int = 0
    high: int = 2**53 - 1

    def check(self, value: Any, where: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadRequest(f"{where} is {kind(value)}; expected a whole number from {self.low} to {self.high}.")
        if not self.low <= value <= self.high:
            raise BadRequest(f"{where} is {short(value)}; expected a whole number from {self.low} to {self.high}.")
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Real(Field):
    """A finite number, no further from 0 than `most`."""

    most: float = math.inf

    def check(self, value: Any, where: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadRequest(f"{where} is {kind(value)}; expected a number.")
        if (isinstance(value, int) and abs(value) >= 2**53) or not math.isfinite(value):
            raise BadRequest(f"{where} is out of range; expected a finite number.")
        if abs(value) > self.most:
            raise BadRequest(f"{where} is {value:g}; expected a number from {-self.most:g} to {self.most:g}.")
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "number"}


@dataclass(frozen=True)
class Choice(Field):
    """One of a few words."""

    known: tuple[str, ...] = ()

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, str) or value not in self.known:
            raise BadRequest(f"{where} is {short(value)}; expected one of {', '.join(self.known)}.")
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.known)}


@dataclass(frozen=True)
class Flag(Field):
    """True or false."""

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, bool):
            raise BadRequest(f"{where} is {kind(value)}; expected true or false.")
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Many(Field):
    """A list of `least` to `most` values of one kind; `distinct` ones, if asked for."""

    item: Field = field(default_factory=Text)
    least: int = 0
    most: int = 1000
    distinct: bool = False

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, list):
            raise BadRequest(f"{where} is {kind(value)}; expected a list.")
        if not self.least <= len(value) <= self.most:
            raise BadRequest(f"{where} has {len(value)} entries; expected {self.least} to {self.most}.")
        checked = [self.item.check(entry, f"{where}[{place}]") for place, entry in enumerate(value)]
        if self.distinct and len(set(checked)) < len(checked):
            counted = Counter(checked)
            twice = next(entry for entry in checked if counted[entry] > 1)
            raise BadRequest(f"{where} has {short(twice)} twice; expected each once.")
        return checked

    def shape(self) -> dict[str, Any]:
        return {
            "type": "array", "items": self.item.schema(), "minItems": self.least, "maxItems": self.most,
            **({"uniqueItems": True} if self.distinct else {}),
        }  # fmt: skip


@dataclass(frozen=True)
class ByName(Field):
    """An object whose keys are names and whose values are of one kind."""

    item: Field = field(default_factory=Real)
    least: int = 1
    most: int = 1000

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, Mapping):
            raise BadRequest(f"{where} is {kind(value)}; expected an object of names and values.")
        if not self.least <= len(value) <= self.most:
            raise BadRequest(f"{where} has {len(value)} entries; expected {self.least} to {self.most}.")
        return {
            unicodedata.normalize("NFC", name): self.item.check(entry, f"{where}[{short(name)}]")
            for name, entry in value.items()
        }

    def shape(self) -> dict[str, Any]:
        return {
            "type": "object", "additionalProperties": self.item.schema(),
            "minProperties": self.least, "maxProperties": self.most,
        }  # fmt: skip


@dataclass(frozen=True)
class Maybe(Field):
    """A value of some kind, or null."""

    item: Field = field(default_factory=Text)
    default: object = None

    def check(self, value: Any, where: str) -> Any:
        return None if value is None else self.item.check(value, where)

    def shape(self) -> dict[str, Any]:
        return {"anyOf": [self.item.schema(), {"type": "null"}]}


@dataclass(frozen=True)
class Either(Field):
    """A value of the first of several kinds that takes it."""

    items: Sequence[Field] = ()

    def check(self, value: Any, where: str) -> Any:
        for item in self.items[:-1]:
            try:
                return item.check(value, where)
            except BadRequest:
                continue
        return self.items[-1].check(value, where)

    def shape(self) -> dict[str, Any]:
        return {"anyOf": [item.schema() for item in self.items]}


@dataclass(frozen=True)
class Object(Field):
    """An object with exactly these fields."""

    fields: Mapping[str, Field] = field(default_factory=dict)

    def check(self, value: Any, where: str = "the body") -> Any:
        if not isinstance(value, Mapping):
            raise BadRequest(
                f"{where} is {kind(value)}; expected an object with {', '.join(self.fields) or 'nothing'}."
            )
        if spare := [name for name in value if name not in self.fields]:
            known = ", ".join(self.fields) or "no entries"
            raise BadRequest(f"{where} has {short(spare[0])}, which is not known here; expected {known}.")
        inside = "" if where == "the body" else f"{where}."
        checked = {}
        for name, entry in self.fields.items():
            if name in value:
                checked[name] = entry.check(value[name], f"{inside}{name}")
            elif entry.default is MISSING:
                raise BadRequest(f"{inside}{name} is missing from the body.")
            else:
                checked[name] = entry.default
        return checked

    def shape(self) -> dict[str, Any]:
        needed = [name for name, entry in self.fields.items() if entry.default is MISSING]
        return {
            "type": "object",
            "properties": {name: entry.schema() for name, entry in self.fields.items()},
            "additionalProperties": False,
            **({"required": needed} if needed else {}),
        }


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    names = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")


def short(value: Any, most: int = 40) -> str:
    """A value as it may stand in a sentence."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits
        return "far too long"
    return text if len(text) <= most else f"{text[: most - 1]}…"
