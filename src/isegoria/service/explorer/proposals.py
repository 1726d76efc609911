"""What a refusal proposes, as choices that a page can offer: they are found by the flags in its sentence."""

from __future__ import annotations

import re
import shlex
from typing import Any

FLAG = r"--(?:scale|missing|agent|ignore|columns|answers|sheet|rewards|unranked|best-category|input-format)"
VALUE = r"""(?:'[^']*'(?:"'"'[^']*')*|"(?:[^"\\]|\\.)*"|[^\s'"]+)"""
RUN = re.compile(rf"(?:{FLAG} {VALUE}\s*)+")
IN_PYTHON = re.compile(r" ?\([a-z_=, ]+(?: and [a-z_=]+)? in Python\)")
GAP = "…"
"""Where a proposal leaves something to be filled in."""


def proposed(sentence: str) -> list[dict[str, Any]]:
    """The ways out that a sentence names, each as the options of reading it chooses; `whole`: nothing is left open.

    >>> proposed("row 2: 4 is above 1; if ratings run from 1 to 5, say --scale 1,5 (scale= in Python).")
    [{'options': {'scale': '1,5'}, 'whole': True}]
    >>> proposed("or say --agent 'Full name' --ignore Mail --ignore 'A, B'.")[0]["options"]
    {'agent': 'Full name', 'ignore': 'Mail\\nA, B'}
    """
    found = []
    for run in RUN.finditer(sentence):
        options: dict[str, str] = {}
        parts = shlex.split(run[0].strip())
        for flag, value in zip(parts[::2], parts[1::2], strict=True):
            name = {"best-category": "best_category", "input-format": "format"}.get(flag[2:], flag[2:])
            given = value if value[:1] in "'\"" else value.rstrip(".;,:")
            options[name] = f"{options[name]}\n{given}" if name == "ignore" and name in options else given
        choice = {"options": options, "whole": not any(GAP in value for value in options.values())}
        if choice not in found:
            found.append(choice)
    return found


def without_flags(sentence: str) -> str:
    """A refusal without the parts that are for a command line; the page offers these as buttons.

    >>> without_flags("row 2: 4 is above 1; if ratings run from 1 to 5, say --scale 1,5 (scale= in Python).")
    'row 2: 4 is above 1.'
    """
    plain = IN_PYTHON.sub("", sentence)
    parts = [part for part in re.split(r"(?<=[;.]) ", plain) if not re.search(FLAG, part)]
    return re.sub(r"[;,]? ?$", "", " ".join(parts)).rstrip(".") + "." if parts else plain
