"""Small words of messages: numbers with their nouns, things with their article, and text in columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

SCORES = {"procedural": "PF", "equality": "IM", "utilitarian": "UT"}
"""The three scores in the order of every table, with the paper's labels."""


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
    return sum((unicodedata.east_asian_width(c) in "WF") + 1 for c in text if not unicodedata.combining(c))


def _padded(cell: str, size: int, to_the_right: bool) -> str:
    space = " " * (size - width(cell))
    return space + cell if to_the_right else cell + space
