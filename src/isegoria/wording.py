"""Small words of messages: numbers with their nouns, and things with their article."""

from __future__ import annotations


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
