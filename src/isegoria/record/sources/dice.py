"""Dice: numbers that everyone can see, in the room or in a public lottery (RFC 3797)."""

from __future__ import annotations

import re

from isegoria.errors import InputError
from isegoria.record.format.line_order import describe_dice_form, validate_throw
from isegoria.record.format.record_view import RecordView, RoundView
from isegoria.record.format.schema import DICE_ORDERS
from isegoria.record.sources import RandomnessSource, SourceTerms
from isegoria.utils.messages import Message


class DiceSource(RandomnessSource):
    """Numbers of a form that the freeze fixes; those who saw them confirm them."""

    id = "dice"
    summary = "numbers that all can see: dice in the room, or a public lottery"

    def frozen(
        self, source: SourceTerms, occurrence: int | None = None, form: SourceTerms | None = None
    ) -> SourceTerms:
        if occurrence is not None:
            raise InputError(Message("source_dice_takes_no_occurrence"))
        if form is None:
            raise InputError(Message("dice_need_form"))
        return {"occurrence": None, "dice_form": form, "source_round": None}

    def spoken(self, group: RecordView, now: RoundView, value: str | None, organiser: bytes | None = None) -> bytes:
        if value is None:
            raise InputError(
                Message("round_waits", number=now.number, dice=describe_dice_form(now.freeze["dice_form"]))
            )
        return parse_throw(value, now.freeze["dice_form"])

    def check(self, group: RecordView, now: RoundView, source: bytes) -> None:
        validate_throw(source, now.freeze["dice_form"])


def parse_throw(typed: str, form: SourceTerms) -> bytes:
    """Return the source bytes of a typed throw: numbers separated by commas or space, or single digits together.

    >>> parse_throw("4 1 6", {"count": 3, "low": 1, "high": 6, "order": "sorted"})
    b'1.4.6.'
    """
    parts = [part for part in re.split(r"[,.\s]+", typed.strip()) if part]
    if len(parts) == 1 and form["high"] <= 9 and parts[0].isascii() and parts[0].isdigit():
        parts = list(parts[0])
    if not parts or not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts):
        raise InputError(Message("value_expected_commas_between", typed=typed[:24], expected=describe_dice_form(form)))
    numbers = [int(part) for part in parts]
    source = "".join(f"{number}." for number in (sorted(numbers) if form["order"] == "sorted" else numbers)).encode()
    validate_throw(source, form)
    return source


def parse_dice_form(text: str) -> SourceTerms:
    """Parse a form from COUNT,LOW,HIGH,ORDER.

    >>> parse_dice_form("9,1,6,throw")
    {'count': 9, 'low': 1, 'high': 6, 'order': 'throw'}
    """
    parts = [part.strip() for part in text.split(",")]
    numbers = parts[:3]
    if len(parts) != 4 or parts[3] not in DICE_ORDERS or not all(part.isascii() and part.isdigit() for part in numbers):
        raise InputError(Message("form_write_count_low_high_such", text=text, names="|".join(DICE_ORDERS)))
    count, low, high = (int(part[:12]) for part in numbers)
    if not (1 <= count <= 200 and low <= high <= 10**9):
        raise InputError(Message("form_expected_numbers_lowest_not_above", text=text))
    return {"count": count, "low": low, "high": high, "order": parts[3]}


DICE_SOURCE = DiceSource()
