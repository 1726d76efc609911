"""Small words: numbers with their nouns, things with their article, amounts, lists, possessives, text in columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from isegoria import tolerances

SCORES = {"procedural": "PF", "equality": "IM", "utilitarian": "UT"}
"""The three scores in the order of every table, with the paper's labels."""

_PART = dict(enumerate(["half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=2))
_PARTS = {below: f"{word}s" for below, word in _PART.items()}
_COUNT = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

FEWEST_DIGITS = 2
MOST_DIGITS = 12


def counted(number: int, noun: str) -> str:
    """A number and what it counts.

    >>> counted(1, "row"), counted(0, "row"), counted(1200, "round")
    ('1 row', '0 rows', '1,200 rounds')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def kind_of(value: object) -> str:
    """The type of a value with its article.

    >>> kind_of(3), kind_of({})
    ('an int', 'a dict')
    """
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def span(numbers: range | list[int] | tuple[int, ...], noun: str) -> str:
    """The ends of a run of numbers, or its only one.

    >>> span(range(42, 45), "seed"), span([42], "seed")
    ('seeds 42 to 44', 'seed 42')
    """
    return f"{noun} {numbers[0]}" if len(numbers) == 1 else f"{noun}s {numbers[0]} to {numbers[-1]}"


def fraction(weight: int, total: int) -> str:
    """A share of the group in words, where there is a short word for it.

    >>> [fraction(*pair) for pair in ((1, 3), (1, 50), (20, 30), (20, 800), (1, 1))]
    ['third', '1/50', 'two thirds', '20/800', 'whole voice']
    """
    from fractions import Fraction  # here, as it is slow to import

    share = Fraction(weight, total)
    if share == 1:
        return "whole voice"
    if share.denominator not in _PART:
        return f"{weight}/{total}"
    if share.numerator == 1:
        return _PART[share.denominator]
    return f"{_COUNT[share.numerator]} {_PARTS[share.denominator]}"


def rounded(value: float, digits: int = 3) -> str:
    """A number for a table, rounded; one so small that nothing would be left of it keeps a digit.

    >>> rounded(2 / 3), rounded(1e-14), rounded(0.0)
    ('0.667', '1e-14', '0.000')
    """
    text = f"{value:.{digits}f}"
    return f"{value:.0e}" if value and not float(text) else text


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
    """A name in the genitive, before what is its own.

    >>> possessive("Ana"), possessive("James")
    ("Ana's", "James'")
    """
    return f"{name}'" if name.endswith(("s", "S")) else f"{name}'s"


def columns(lines: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Lines of cells, aligned: every column to the left but those in `right`, two spaces between.

    >>> columns([["policy", "score"], ["PF", "1.0"]], right={1})
    ['policy  score', 'PF        1.0']
    """
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(_padded(cell, widths[k], k in right) for k, cell in enumerate(line)).rstrip() for line in lines]


def width(text: str) -> int:
    """The columns that `text` takes on a terminal: wide characters take two, combining marks none.

    >>> width("茶"), width("e\u0301")
    (2, 1)
    """
    import unicodedata  # which only tables in a terminal need

    return sum((unicodedata.east_asian_width(c) in "WF") + 1 for c in text if not unicodedata.combining(c))


def _padded(cell: str, size: int, to_the_right: bool) -> str:
    space = " " * (size - width(cell))
    return space + cell if to_the_right else cell + space
