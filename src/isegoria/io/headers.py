"""What a header says of its table: a line for each agent and arm, the export of a form, or a line for each agent."""

from __future__ import annotations

import re

from isegoria.instance.headings import normal_heading

AGENT, WEIGHT, TIMESTAMP = "agent", "weight", "timestamp"
LONG = {(AGENT, "arm", "value"), (AGENT, "arm", "value", WEIGHT)}
"""The headers of long tables."""
OPTION = re.compile(r"(?s).*\[(.+)\]\s*")
"""The heading of an option in a form's export: the question, and the option in brackets."""


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
