"""Canonical JSON (RFC 8785 without floats).

Equal content always has equal bytes, so a hash of the bytes is a hash of the content.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn

from isegoria.errors import InputError

SAFE_INTEGER_LIMIT = 2**53
"""Every number in a record stays below this limit, so that JavaScript computes with it exactly."""

MAX_JSON_DEPTH = 8
MAX_DECIMAL_CHARACTERS = 400
BRACKET_SCAN_THRESHOLD = 200


def dump_canonical(value: object) -> bytes:
    """Serialise `value` (objects, lists, texts, whole numbers, None) in the canonical form.

    >>> dump_canonical({"b": [1, None], "a": "café"}).decode()
    '{"a":"café","b":[1,null]}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("a text of the record has half a character (a lone surrogate); write it anew.") from None


def parse_canonical(line: bytes) -> dict[str, Any]:
    """Parse a canonical line into its object. Raise `InputError` for anything else.

    >>> parse_canonical(b'{"line":"trial"}')
    {'line': 'trial'}
    """
    if line.count(b"[") + line.count(b"{") > BRACKET_SCAN_THRESHOLD and count_nesting(line) > MAX_JSON_DEPTH:
        raise InputError("it is not JSON in the canonical form.")
    try:
        value = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_build_object,
            parse_float=_reject_literal,
            parse_constant=_reject_literal,
            parse_int=_parse_integer,
        )
        if isinstance(value, dict) and measure_depth(value) <= MAX_JSON_DEPTH and dump_canonical(value) == line:
            return value
    except (ValueError, RecursionError):  # UnicodeDecodeError and InputError are ValueErrors
        pass
    raise InputError("it is not JSON in the canonical form.")


def count_nesting(line: bytes) -> int:
    """Return the maximum nesting of brackets outside strings.

    It is checked before parsing: a parser whose recursion limit other code has raised could crash on deep nesting.
    """
    level = deepest = 0
    for bracket in re.sub(rb'"(?:[^"\\]|\\.)*"|[^][{}]', b"", line):
        level += 1 if bracket in b"[{" else -1
        deepest = max(deepest, level)
    return deepest


def measure_depth(value: object) -> int:
    """Return how deep objects and lists are nested, 0 for a plain value. Raise `ValueError` for true and false."""
    deepest, level = 0, [value]
    while level := [part for part in level if isinstance(part, (dict, list))]:
        deepest += 1
        level = [item for part in level for item in (part.values() if isinstance(part, dict) else part)]
        if any(item is True or item is False for item in level):
            raise ValueError
    return deepest


def format_decimal(number: object) -> str:
    """Return the shortest decimal, without exponent, of a whole number, a float, a decimal or such text.

    >>> format_decimal(0.1), format_decimal("4.50"), format_decimal(1e-7), format_decimal(5)
    ('0.1', '4.5', '0.0000001', '5')
    """
    try:
        value = Decimal(str(number).strip())
        if (
            not value.is_finite()
            or value.adjusted() < -MAX_DECIMAL_CHARACTERS
            or value.adjusted() > MAX_DECIMAL_CHARACTERS
        ):
            raise ValueError
        text = format(value, "f")
    except (ArithmeticError, ValueError):
        raise InputError(f"{number!r} is not a number; write a decimal such as 4.5.") from None
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if len(text) > MAX_DECIMAL_CHARACTERS:
        raise InputError(f"{text[:20]}… has more than {MAX_DECIMAL_CHARACTERS} digits; round it.")
    return "0" if text in ("-0", "") else text


def parse_decimal(text: str) -> Fraction:
    """Return the exact value of a decimal of a record."""
    return Fraction(Decimal(text))


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs) or not all(map(str.isascii, value)):
        raise ValueError
    return value


def _parse_integer(text: str) -> int:
    if len(text) > len(str(SAFE_INTEGER_LIMIT)) or not 0 <= int(text) < SAFE_INTEGER_LIMIT:
        raise ValueError
    return int(text)


def _reject_literal(text: str) -> NoReturn:
    raise ValueError
