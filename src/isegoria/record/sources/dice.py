"""Dice: numbers that everyone can see come up, in the room or in a public lottery (RFC 3797)."""

from __future__ import annotations

import re
from math import comb

from isegoria.errors import InputError
from isegoria.record.group import Group, Round
from isegoria.record.sources import Source, Terms

FEWEST_OUTCOMES = 10**6
DIGITS = re.compile(rb"[0-9]{6,200}")
NUMBERS = re.compile(rb"((0|[1-9][0-9]*)\.)+")


class Dice(Source):
    """Digits, or numbers of a form that the freeze fixes; two members sign what they saw."""

    id = "dice"
    summary = "numbers that all can see: dice in the room, or a public lottery"
    signed = True

    def frozen(
        self, source: Terms, occasion: int | None = None, event: str | None = None, form: list[int] | None = None
    ) -> Terms:
        if occasion is not None:
            raise InputError("the source dice takes no occasion; leave it out.")
        if form is not None and outcomes(form) < FEWEST_OUTCOMES:
            raise InputError(
                f"the form {_told(form)} has only {outcomes(form):,} outcomes, and a draw needs a million; "
                "take more numbers, such as 8 dice with 8,1,6."
            )
        return {"occasion": None, "event": event or "", "form": form, "source_round": None}

    def spoken(self, group: Group, now: Round, value: str | None, organiser: bytes | None = None) -> bytes:
        form = now.freeze["form"]
        if value is None:
            what = "6 to 200 digits" if form is None else _told(form)
            raise InputError(f"round {now.number} waits for its numbers: say --value with {what}.")
        typed = value.strip()
        if form is None:
            data = typed.encode("utf-8", "replace")
        else:
            data = "".join(f"{number}." for number in _numbers(typed, form)).encode("ascii")
        self.check(group, now, data)
        return data

    def check(self, group: Group, now: Round, source: bytes) -> None:
        form = now.freeze["form"]
        if form is None:
            if not DIGITS.fullmatch(source):
                raise InputError(f"the value is {_shown(source)}; expected 6 to 200 digits and nothing between them.")
            return
        count, lowest, highest, ordered = form
        if not NUMBERS.fullmatch(source):
            raise InputError(f"the value is {_shown(source)}; expected {_told(form)}.")
        numbers = [int(part) for part in source.split(b".")[:-1]]
        if len(numbers) != count or not all(lowest <= number <= highest for number in numbers):
            raise InputError(f"the value has the numbers {_few(numbers)}; expected {_told(form)}.")
        if ordered and numbers != sorted(numbers):
            raise InputError("the numbers are not in ascending order, as the freeze asks.")


def outcomes(form: list[int]) -> int:
    """How many values a form can have: sequences, or if sorted multisets.

    >>> outcomes([6, 1, 49, 1]), outcomes([8, 1, 6, 0])
    (25827165, 1679616)
    """
    count, lowest, highest, ordered = form
    sides = highest - lowest + 1
    return comb(sides + count - 1, count) if ordered else sides**count


def _numbers(typed: str, form: list[int]) -> list[int]:
    try:
        numbers = [int(part) for part in re.split(r"[,\s]+", typed.strip(", \t")) if part.isascii()]
    except ValueError:
        raise InputError(f"the value is {typed!r}; expected {_told(form)}, with commas between.") from None
    return sorted(numbers) if form[3] else numbers


def _told(form: list[int]) -> str:
    count, lowest, highest, ordered = form
    return f"{count} numbers from {lowest} to {highest}" + (", sorted" if ordered else "")


def _few(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")


def _shown(source: bytes) -> str:
    text = source.decode("utf-8", "replace")
    return repr(text if len(text) <= 24 else text[:23] + "…")


SOURCE = Dice()
