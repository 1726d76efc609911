"""Fields: each validates a value of some kind with a clear message, and describes itself as JSON schema.

They are the one way in which JSON from outside is validated: request bodies, lines of a record, and the files beside
it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from isegoria.errors import InputError
from isegoria.utils.messages import FieldPath, Message

NO_DEFAULT = object()
BODY_PATH = FieldPath("the body")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
INVISIBLE_CHARACTERS = re.compile(
    r"[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
"""Invisible characters that make one name look like another. Joiners are allowed: inside words they are spelling."""


class FieldError(InputError):
    """A value is not what its field takes; the message names the field and says what was expected."""


@dataclass(frozen=True)
class Field:
    """A value of some kind; `default` is used if it is missing (a field without a default is required)."""

    note: str = ""
    default: object = NO_DEFAULT

    def check(self, value: Any, where: FieldPath) -> Any:
        """Validate and return the value as the service uses it; raise `FieldError` with what was expected."""
        raise NotImplementedError

    def accepts(self, value: Any) -> bool:
        """Return whether the field takes a value."""
        try:
            self.check(value, BODY_PATH)
        except FieldError:
            return False
        return True

    def shape(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value, with the note as its description."""
        return self.shape() | ({"description": self.note} if self.note else {})


@dataclass(frozen=True)
class TextField(Field):
    """A line of text in NFC, without control characters, of `least` to `most` characters."""

    least: int = 1
    most: int = 200

    def check(self, value: Any, where: FieldPath) -> Any:
        if not isinstance(value, str):
            raise FieldError(Message("expected_text", field=where, value=describe_type(value)))
        if CONTROL_CHARACTERS.search(value):
            raise FieldError(Message("control_character", field=where))
        if INVISIBLE_CHARACTERS.search(value):
            raise FieldError(Message("invisible_character", field=where))
        value = unicodedata.normalize("NFC", value.strip())
        if not self.least <= len(value) <= self.most:
            raise FieldError(
                Message("wrong_text_length", field=where, count=len(value), least=self.least, most=self.most)
            )
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "minLength": self.least, "maxLength": self.most}


@dataclass(frozen=True)
class PlainTextField(Field):
    """A text of `least` to `most` characters, taken as it is."""

    least: int = 0
    most: float = math.inf

    def check(self, value: Any, where: FieldPath) -> Any:
        if not isinstance(value, str):
            raise FieldError(Message("expected_text", field=where, value=describe_type(value)))
        if not self.least <= len(value) <= self.most:
            raise FieldError(
                Message("wrong_text_length", field=where, count=len(value), least=self.least, most=self.most)
            )
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "string"}


@cache
def compile_hex_pattern(digits: int | None) -> re.Pattern[str]:
    """Return the pattern of so many hexadecimal digits, or of pairs of them if None."""
    return re.compile("([0-9a-f]{2})+" if digits is None else f"[0-9a-f]{{{digits}}}")


@dataclass(frozen=True)
class HexField(Field):
    """A text of `digits` hexadecimal digits in lower case, or of any even positive number of them if None."""

    digits: int | None = 64

    def check(self, value: Any, where: FieldPath) -> Any:
        if not isinstance(value, str) or not compile_hex_pattern(self.digits).fullmatch(value):
            digits = "pairs of" if self.digits is None else self.digits
            raise FieldError(Message("not_hexadecimal_digits_lower_case", field=where, digits=digits))
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{compile_hex_pattern(self.digits).pattern}$"}


@dataclass(frozen=True)
class IntegerField(Field):
    """An integer from `low` to `high`."""

    low: int = 0
    high: int = 2**53 - 1

    def check(self, value: Any, where: FieldPath) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            raise FieldError(
                Message(
                    "expected_integer_in_range", field=where, value=describe_type(value), low=self.low, high=self.high
                )
            )
        if not self.low <= value <= self.high:
            raise FieldError(
                Message(
                    "expected_integer_in_range", field=where, value=shorten_repr(value), low=self.low, high=self.high
                )
            )
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    def accepts_all(self, values: list[Any]) -> bool:
        """Return whether every one of `values` is such an integer, with one look at their types and ends."""
        return not values or (set(map(type, values)) == {int} and self.low <= min(values) and max(values) <= self.high)


@dataclass(frozen=True)
class NumberField(Field):
    """A finite number with an absolute value of at most `most`."""

    most: float = math.inf

    def check(self, value: Any, where: FieldPath) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FieldError(Message("expected_number", field=where, value=describe_type(value)))
        if (isinstance(value, int) and abs(value) >= 2**53) or not math.isfinite(value):
            raise FieldError(Message("number_out_of_range", field=where))
        if abs(value) > self.most:
            raise FieldError(
                Message("expected_number_in_range", field=where, value=value, low=-self.most, high=self.most)
            )
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "number"}


@dataclass(frozen=True)
class ChoiceField(Field):
    """One of a few values, mostly words."""

    known: tuple[Any, ...] = ()

    def check(self, value: Any, where: FieldPath) -> Any:
        if not any(value == known and type(value) is type(known) for known in self.known):
            raise FieldError(
                Message(
                    "expected_choice", field=where, value=shorten_repr(value), choices=", ".join(map(str, self.known))
                )
            )
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.known)}


@dataclass(frozen=True)
class BooleanField(Field):
    """True or false."""

    def check(self, value: Any, where: FieldPath) -> Any:
        if not isinstance(value, bool):
            raise FieldError(Message("expected_true_false", field=where, value=describe_type(value)))
        return value

    def shape(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class ListField(Field):
    """A list of `least` to `most` values of one kind.

    With `distinct`, no value occurs twice; with `ascending`, each is greater than the one before.
    """

    item: Field = field(default_factory=TextField)
    least: int = 0
    most: float = 1000
    distinct: bool = False
    ascending: bool = False

    def check(self, value: Any, where: FieldPath) -> Any:
        if not isinstance(value, list):
            raise FieldError(Message("expected_list", field=where, value=describe_type(value)))
        if not self.least <= len(value) <= self.most:
            raise FieldError(
                Message("wrong_entry_count", field=where, count=len(value), least=self.least, most=self.most)
            )
        if isinstance(self.item, IntegerField) and self.item.accepts_all(value):
            checked = value
        else:
            try:  # the path of an entry is made only for a message: there may be 20,000 entries
                checked = [self.item.check(entry, where) for entry in value]
            except FieldError:
                checked = [self.item.check(entry, where.at(place)) for place, entry in enumerate(value)]
        if self.distinct and len(set(checked)) < len(checked):
            twice = next(entry for entry, count in Counter(checked).items() if count > 1)
            raise FieldError(Message("entry_twice", field=where, value=shorten_repr(twice)))
        if self.ascending and not all(a < b for a, b in pairwise(checked)):
            raise FieldError(Message("expected_ascending", field=where))
        return checked

    def shape(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": self.item.schema(),
            "minItems": self.least,
            "maxItems": self.most,
            **({"uniqueItems": True} if self.distinct else {}),
        }


@dataclass(frozen=True)
class MapField(Field):
    """An object whose keys are names and whose values are of one kind."""

    item: Field = field(default_factory=NumberField)
    least: int = 1
    most: float = 1000

    def check(self, value: Any, where: FieldPath) -> Any:
        if not isinstance(value, Mapping):
            raise FieldError(Message("expected_object_names_values", field=where, value=describe_type(value)))
        if not self.least <= len(value) <= self.most:
            raise FieldError(
                Message("wrong_entry_count", field=where, count=len(value), least=self.least, most=self.most)
            )
        return {
            unicodedata.normalize("NFC", name): self.item.check(entry, where.at(shorten_repr(name)))
            for name, entry in value.items()
        }

    def shape(self) -> dict[str, Any]:
        return {
            "type": "object",
            "additionalProperties": self.item.schema(),
            "minProperties": self.least,
            "maxProperties": self.most,
        }


@dataclass(frozen=True)
class NullableField(Field):
    """A value of some kind, or null."""

    item: Field = field(default_factory=TextField)
    default: object = None

    def check(self, value: Any, where: FieldPath) -> Any:
        return None if value is None else self.item.check(value, where)

    def shape(self) -> dict[str, Any]:
        return {"anyOf": [self.item.schema(), {"type": "null"}]}


@dataclass(frozen=True)
class TestedField(Field):
    """A value of some kind that passes a test too."""

    item: Field = field(default_factory=PlainTextField)
    test: Callable[[Any], bool] = bool

    def check(self, value: Any, where: FieldPath) -> Any:
        checked = self.item.check(value, where)
        if not self.test(checked):
            raise FieldError(Message("value_not_possible", field=where, value=shorten_repr(value)))
        return checked

    def shape(self) -> dict[str, Any]:
        return self.item.schema()


@dataclass(frozen=True)
class AnyField(Field):
    """Any value of JSON, or any of one Python type."""

    kind: type = object

    def check(self, value: Any, where: FieldPath) -> Any:
        if not isinstance(value, self.kind):
            raise FieldError(Message("value_not_possible", field=where, value=shorten_repr(value)))
        return value

    def shape(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class UnionField(Field):
    """A value of the first of several kinds that accepts it."""

    items: Sequence[Field] = ()

    def check(self, value: Any, where: FieldPath) -> Any:
        for item in self.items[:-1]:
            try:
                return item.check(value, where)
            except FieldError:
                continue
        return self.items[-1].check(value, where)

    def shape(self) -> dict[str, Any]:
        return {"anyOf": [item.schema() for item in self.items]}


@dataclass(frozen=True)
class ObjectField(Field):
    """An object with exactly these fields."""

    fields: Mapping[str, Field] = field(default_factory=dict)

    def check(self, value: Any, where: FieldPath = BODY_PATH) -> Any:
        if not isinstance(value, Mapping):
            raise FieldError(
                Message(
                    "expected_object",
                    field=where,
                    value=describe_type(value),
                    fields=", ".join(self.fields) or "nothing",
                )
            )
        if spare := [name for name in value if name not in self.fields]:
            known = ", ".join(self.fields) or "no entries"
            raise FieldError(Message("field_not_known", field=where, value=shorten_repr(spare[0]), known=known))
        inside = FieldPath if where == BODY_PATH else where.child
        checked = {}
        for name, entry in self.fields.items():
            if name in value:
                try:  # as in a list, the path is made only for a message
                    checked[name] = entry.check(value[name], where)
                except FieldError:
                    checked[name] = entry.check(value[name], inside(name))
            elif entry.default is NO_DEFAULT:
                raise FieldError(Message("field_missing", field=inside(name)))
            else:
                checked[name] = entry.default
        return checked

    def shape(self) -> dict[str, Any]:
        needed = [name for name, entry in self.fields.items() if entry.default is NO_DEFAULT]
        return {
            "type": "object",
            "properties": {name: entry.schema() for name, entry in self.fields.items()},
            "additionalProperties": False,
            **({"required": needed} if needed else {}),
        }


def describe_type(value: Any) -> str:
    """Return the kind of a JSON value, in words."""
    names = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")


def shorten_repr(value: Any, most: int = 40) -> str:
    """Return a value as text that is short enough for a message."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits
        return "far too long"
    return text if len(text) <= most else f"{text[: most - 1]}…"
