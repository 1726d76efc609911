"""Small words for the sentences of an audit: fractions, amounts, lists and possessives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from isegoria import tolerances

_PART = dict(enumerate(["half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=2))
_PARTS = {below: f"{word}s" for below, word in _PART.items()}
_COUNT = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

FEWEST_DIGITS = 2
MOST_DIGITS = 12


def fraction(weight: int, total: int) -> str:
    """A share of the group in words, where there is a short word for it.

    >>> [fraction(*pair) for pair in ((1, 3), (1, 50), (20, 30), (20, 800), (1, 1))]
    ['third', '1/50', 'two thirds', '20/800', 'whole voice']
    """
    share = Fraction(weight, total)
    if share == 1:
        return "whole voice"
    if share.denominator not in _PART:
        return f"{weight}/{total}"
    if share.numerator == 1:
        return _PART[share.denominator]
    return f"{_COUNT[share.numerator]} {_PARTS[share.denominator]}"


def amounts(*values: float) -> list[str]:
    """Probabilities with as many decimals as show two digits of the largest and keep different values apart.

    >>> amounts(0.2, 1 / 3), amounts(0.00125, 0.001), amounts(1 / 3, 0.3332)
    (['0.20', '0.33'], ['0.0013', '0.0010'], ['0.3333', '0.3332'])
    """
    largest = max(values)
    digits = FEWEST_DIGITS if largest <= 0 else max(FEWEST_DIGITS, 1 - math.floor(math.log10(largest)))
    while digits < MOST_DIGITS:
        shown = [f"{value:.{digits}f}" for value in values]
        if len(set(shown)) == len(set(values)):
            return shown
        digits += 1
    return [f"{value:.{MOST_DIGITS}f}" for value in values]


def limit(value: float) -> str:
    """A small number from 0 to 1 as a decimal fraction of one digit, rounded up: what is said to be at most that, is.

    >>> limit(1e-6), limit(2.31e-8)
    ('0.000001', '0.00000003')
    """
    digits = max(0, -math.floor(math.log10(value)))
    return f"{math.ceil(value * 10**digits - tolerances.SIMPLEX) / 10**digits:.{digits}f}"


def listing(names: Sequence[str], last: str = "and", most: int = 3) -> str:
    """Names as a list in a sentence; of many, the first `most` and how many others.

    >>> listing(["tea", "milk"], "or"), listing(["tea", "milk", "mate", "cola", "ale"])
    ('tea or milk', 'tea, milk, mate and 2 others')
    """
    names = list(names)
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def possessive(name: str) -> str:
    """Whose.

    >>> possessive("Ana"), possessive("James")
    ("Ana's", "James'")
    """
    return f"{name}'" if name.endswith(("s", "S")) else f"{name}'s"


def agents(count: int) -> str:
    """So many agents: '1 agent', '19 agents'."""
    return f"{count} agent{'' if count == 1 else 's'}"
