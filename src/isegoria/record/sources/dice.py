"""Dice: numbers that everyone can see come up, in the room or in a public lottery (RFC 3797)."""

from __future__ import annotations

import re

from isegoria.errors import InputError
from isegoria.record.format.order import check_throw, told_form
from isegoria.record.format.shapes import ORDERS
from isegoria.record.group import Group
from isegoria.record.round import Round
from isegoria.record.sources import Source, Terms


class Dice(Source):
    """Numbers of a form that the freeze fixes; those who saw them confirm them."""

    id = "dice"
    summary = "numbers that all can see: dice in the room, or a public lottery"

    def frozen(self, source: Terms, occasion: int | None = None, form: Terms | None = None) -> Terms:
        if occasion is not None:
            raise InputError("the source dice takes no occasion; leave it out.")
        if form is None:
            raise InputError("dice need a form: how many numbers, from which to which, such as 9,1,6,throw.")
        return {"occasion": None, "form": form, "source_round": None}

    def spoken(self, group: Group, now: Round, value: str | None, organiser: bytes | None = None) -> bytes:
        if value is None:
            raise InputError(f"round {now.number} waits for {told_form(now.freeze['form'])}: say --value.")
        return thrown(value, now.freeze["form"])

    def check(self, group: Group, now: Round, source: bytes) -> None:
        check_throw(source, now.freeze["form"])


def thrown(typed: str, form: Terms) -> bytes:
    """The source bytes of a throw as it was typed: numbers with commas or space between, or single digits together.

    >>> thrown("4 1 6", {"count": 3, "low": 1, "high": 6, "order": "sorted"})
    b'1.4.6.'
    """
    parts = [part for part in re.split(r"[,.\s]+", typed.strip()) if part]
    if len(parts) == 1 and form["high"] <= 9 and parts[0].isascii() and parts[0].isdigit():
        parts = list(parts[0])
    if not parts or not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts):
        raise InputError(f"the value is {typed[:24]!r}; expected {told_form(form)}, with commas between.")
    numbers = [int(part) for part in parts]
    source = "".join(f"{number}." for number in (sorted(numbers) if form["order"] == "sorted" else numbers)).encode()
    check_throw(source, form)
    return source


def form_of(text: str) -> Terms:
    """A form from COUNT,LOW,HIGH,ORDER.

    >>> form_of("9,1,6,throw")
    {'count': 9, 'low': 1, 'high': 6, 'order': 'throw'}
    """
    parts = [part.strip() for part in text.split(",")]
    numbers = parts[:3]
    if len(parts) != 4 or parts[3] not in ORDERS or not all(part.isascii() and part.isdigit() for part in numbers):
        raise InputError(f"the form is {text!r}; write COUNT,LOW,HIGH,{'|'.join(ORDERS)}, such as 9,1,6,throw.")
    count, low, high = (int(part[:12]) for part in numbers)
    if not (1 <= count <= 200 and low <= high <= 10**9):
        raise InputError(f"the form is {text!r}; expected 1 to 200 numbers, the lowest not above the highest.")
    return {"count": count, "low": low, "high": high, "order": parts[3]}


SOURCE = Dice()
