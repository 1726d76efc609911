"""Text formatting: numbers with nouns, types with articles, amounts, lists, possessives, aligned columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from isegoria.utils import tolerances

SCORE_LABELS = {"procedural": "PF", "equality": "IM", "utilitarian": "UT"}
"""The three scores and their labels in the paper, in the order of every table."""

_UNIT_FRACTIONS = dict(
    enumerate(["half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=2)
)
_PLURAL_FRACTIONS = {below: f"{word}s" for below, word in _UNIT_FRACTIONS.items()}
_NUMBER_WORDS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

MIN_DECIMALS = 2
MAX_DECIMALS = 12


def pluralise(number: int, noun: str) -> str:
    """Format a number with the noun that it counts.

    >>> pluralise(1, "row"), pluralise(0, "row"), pluralise(1200, "round")
    ('1 row', '0 rows', '1,200 rounds')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def describe_type(value: object) -> str:
    """Return the type name of a value with its article.

    >>> describe_type(3), describe_type({})
    ('an int', 'a dict')
    """
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def format_range(numbers: range | list[int] | tuple[int, ...], noun: str) -> str:
    """Format a run of numbers by its ends, or its only number.

    >>> format_range(range(42, 45), "seed"), format_range([42], "seed")
    ('seeds 42 to 44', 'seed 42')
    """
    return f"{noun} {numbers[0]}" if len(numbers) == 1 else f"{noun}s {numbers[0]} to {numbers[-1]}"


def format_share(weight: int, total: int) -> str:
    """Format a share of the group in words, if there is a short word for it.

    >>> [format_share(*pair) for pair in ((1, 3), (1, 50), (20, 30), (20, 800), (1, 1))]
    ['third', '1/50', 'two thirds', '20/800', 'whole voice']
    """
    from fractions import Fraction  # imported here because it is slow to import

    share = Fraction(weight, total)
    if share == 1:
        return "whole voice"
    if share.denominator not in _UNIT_FRACTIONS:
        return f"{weight}/{total}"
    if share.numerator == 1:
        return _UNIT_FRACTIONS[share.denominator]
    return f"{_NUMBER_WORDS[share.numerator]} {_PLURAL_FRACTIONS[share.denominator]}"


def format_number(value: float, digits: int = 3) -> str:
    """Format a number for a table, rounded; a number that would round to 0 keeps one digit.

    >>> format_number(2 / 3), format_number(1e-14), format_number(0.0)
    ('0.667', '1e-14', '0.000')
    """
    text = f"{value:.{digits}f}"
    return f"{value:.0e}" if value and not float(text) else text


def format_probabilities(*values: float) -> list[str]:
    """Format probabilities with enough decimals for two digits of the largest, and to keep different values distinct.

    >>> format_probabilities(0.2, 1 / 3), format_probabilities(0.00125, 0.001), format_probabilities(1 / 3, 0.3332)
    (['0.20', '0.33'], ['0.0013', '0.0010'], ['0.3333', '0.3332'])
    """
    largest = max(values)
    digits = MIN_DECIMALS if largest <= 0 else max(MIN_DECIMALS, 1 - math.floor(math.log10(largest)))
    while digits < MAX_DECIMALS:
        shown = [f"{value:.{digits}f}" for value in values]
        if len(set(shown)) == len(set(values)):
            return shown
        digits += 1
    return [f"{value:.{MAX_DECIMALS}f}" for value in values]


def format_upper_limit(value: float) -> str:
    """Format a small number from 0 to 1 with one digit, rounded up, so that "at most" stays true.

    >>> format_upper_limit(1e-6), format_upper_limit(2.31e-8)
    ('0.000001', '0.00000003')
    """
    digits = max(0, -math.floor(math.log10(value)))
    return f"{math.ceil(value * 10**digits - tolerances.SIMPLEX_SUM) / 10**digits:.{digits}f}"


def join_names(names: Sequence[str], last: str = "and", most: int = 3) -> str:
    """Join names as a list in a sentence; if there are many, the first `most` and the number of others.

    >>> join_names(["tea", "milk"], "or"), join_names(["tea", "milk", "mate", "cola", "ale"])
    ('tea or milk', 'tea, milk, mate and 2 others')
    """
    names = list(names)
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def possessive(name: str) -> str:
    """Return a name in the possessive form.

    >>> possessive("Ana"), possessive("James")
    ("Ana's", "James'")
    """
    return f"{name}'" if name.endswith(("s", "S")) else f"{name}'s"


def align_columns(lines: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Align lines of cells in columns two spaces apart, to the left except for the columns in `right`.

    >>> align_columns([["policy", "score"], ["PF", "1.0"]], right={1})
    ['policy  score', 'PF        1.0']
    """
    widths = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(_pad_cell(cell, widths[k], k in right) for k, cell in enumerate(line)).rstrip() for line in lines]


def display_width(text: str) -> int:
    """Return the terminal width of `text`: wide characters take two columns, combining marks none.

    >>> display_width("茶"), display_width("e\u0301")
    (2, 1)
    """
    import unicodedata  # imported here because only terminal tables need it

    return sum((unicodedata.east_asian_width(c) in "WF") + 1 for c in text if not unicodedata.combining(c))


def _pad_cell(cell: str, size: int, to_the_right: bool) -> str:
    space = " " * (size - display_width(cell))
    return space + cell if to_the_right else cell + space
