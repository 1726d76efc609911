"""Headings of columns that mean something, and those that only look so: `Weight` is more likely a slip than an arm."""

from __future__ import annotations

import re

AGENT, WEIGHT, TIMESTAMP = "agent", "weight", "timestamp"
LONG = {(AGENT, "arm", "value"), (AGENT, "arm", "value", WEIGHT)}
"""The headers of long tables."""
OPTION = re.compile(r"(?s).*\[(.+)\]\s*")
"""The heading of an option in a form's export: the question, and the option in brackets."""
RESERVED = {AGENT: "the agents' names", WEIGHT: "weights"}


def normal_heading(heading: str) -> str:
    """A heading without what people vary: capitals, spaces around it, the s of a plural.

    >>> normal_heading(" Weights"), normal_heading("tea")
    ('weight', 'tea')
    """
    plain = heading.strip().casefold()
    return plain.removesuffix("s") if plain.removesuffix("s") in (*RESERVED, "arm", "value") else plain


def misspelt_heading(heading: str) -> str | None:
    """What to do about an arm's heading that looks like a reserved one; None where it does not.

    >>> misspelt_heading("tea")
    >>> misspelt_heading("Weight")
    "column 'Weight' looks like the reserved 'weight': rename it to 'weight' if it holds weights, or to something else
    if it is an arm."
    """
    word = normal_heading(heading)
    if word not in RESERVED:
        return None
    return (
        f"column {heading!r} looks like the reserved '{word}': rename it to '{word}' if it holds {RESERVED[word]}, "
        "or to something else if it is an arm."
    )


def resembles_long(header: list[str]) -> bool:
    """Is it the header of a long table but for capitals, plurals and the order of the columns?

    >>> resembles_long(["Arm", "Agents", "value"]), resembles_long(["agent", "tea", "value"])
    (True, False)
    """
    return sorted(map(normal_heading, header)) in [sorted(names) for names in LONG]


def is_form(header: list[str]) -> bool:
    """Is it the header of a form's export?

    >>> is_form(["Timestamp", "Rate it [Noodles]"]), is_form(["Timestamp", "Noodles"])
    (True, False)
    """
    return any(name.casefold() == TIMESTAMP for name in header) and any(map(OPTION.fullmatch, header))
