"""Reserved column headings, and those that only resemble them: `Weight` is more likely a typo than an arm."""

from __future__ import annotations

import re

AGENT_HEADING, WEIGHT_HEADING, TIMESTAMP_HEADING = "agent", "weight", "timestamp"
LONG_HEADERS = {(AGENT_HEADING, "arm", "value"), (AGENT_HEADING, "arm", "value", WEIGHT_HEADING)}
"""Headers of tables in long format."""
FORM_OPTION_PATTERN = re.compile(r"(?s).*\[(.+)\]\s*")
"""Match the heading of an option in a form's export: the question, then the option in brackets."""
RESERVED_HEADINGS = {AGENT_HEADING: "the agents' names", WEIGHT_HEADING: "weights"}


def normalise_heading(heading: str) -> str:
    """Normalise a heading: lower case, no surrounding spaces, no plural s on reserved words.

    >>> normalise_heading(" Weights"), normalise_heading("tea")
    ('weight', 'tea')
    """
    plain = heading.strip().casefold()
    return plain.removesuffix("s") if plain.removesuffix("s") in (*RESERVED_HEADINGS, "arm", "value") else plain


def describe_misspelling(heading: str) -> str | None:
    """Return advice on an arm's heading that resembles a reserved one; None if it does not.

    >>> describe_misspelling("tea")
    >>> describe_misspelling("Weight")
    "column 'Weight' looks like the reserved 'weight': rename it to 'weight' if it holds weights, or to something else
    if it is an arm."
    """
    word = normalise_heading(heading)
    if word not in RESERVED_HEADINGS:
        return None
    return (
        f"column {heading!r} looks like the reserved '{word}': rename it to '{word}' if it holds "
        f"{RESERVED_HEADINGS[word]}, "
        "or to something else if it is an arm."
    )


def is_long_header_variant(header: list[str]) -> bool:
    """Return whether this is the header of a long table, ignoring case, plurals and the order of columns.

    >>> is_long_header_variant(["Arm", "Agents", "value"]), is_long_header_variant(["agent", "tea", "value"])
    (True, False)
    """
    return sorted(map(normalise_heading, header)) in [sorted(names) for names in LONG_HEADERS]


def is_form_export(header: list[str]) -> bool:
    """Return whether this is the header of a form's export.

    >>> is_form_export(["Timestamp", "Rate it [Noodles]"]), is_form_export(["Timestamp", "Noodles"])
    (True, False)
    """
    return any(name.casefold() == TIMESTAMP_HEADING for name in header) and any(
        map(FORM_OPTION_PATTERN.fullmatch, header)
    )
