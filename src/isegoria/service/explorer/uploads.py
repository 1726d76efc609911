"""The tables that were dropped on the explorer: read by the package's own doors, and kept while it runs.

What a refusal to read one proposes is found by the flags in its sentence, as choices that a page can offer.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.io.cage import Cage, Limits

MOST_TABLES = 12
READING = ("scale", "missing", "agent", "ignore", "columns", "answers", "sheet", "rewards", "unranked",
           "best_category", "format")  # fmt: skip
"""The options of `read` that a page may give, all as text."""


@dataclass(frozen=True, eq=False)
class Upload:
    """A table as it was read: its address on this server, the name of its file, and what was decided in reading it."""

    id: str
    name: str
    instance: Instance
    notes: tuple[str, ...]


class Uploads:
    """The last few tables by their id; the id follows from the bytes and the options, so an address stays good."""

    def __init__(self) -> None:
        self._cage = Cage(Limits(memory=768))
        self._tables: OrderedDict[str, Upload] = OrderedDict()
        self._lock = Lock()

    def put(self, name: str, data: bytes, options: Mapping[str, str]) -> Upload:
        """Read a file's bytes as the command line would, and keep the table."""
        chosen = chosen_of(options)
        label = json.dumps([name, chosen], sort_keys=True).encode()
        id = hashlib.sha256(label + b"\0" + data).hexdigest()[:16]
        with self._lock:
            if id in self._tables:
                self._tables.move_to_end(id)
                return self._tables[id]
        return self._kept(Upload(id, name, *self._cage.read(name, data, read_options(chosen))))

    def keep(self, name: str, instance: Instance) -> Upload:
        """Keep a table that was read before; the same table has the same address when the explorer starts again."""
        means = instance.means.tobytes() if hasattr(instance.means, "tobytes") else instance.means.data.tobytes()
        id = hashlib.sha256(json.dumps([name, *instance.arms]).encode() + means).hexdigest()[:16]
        return self._kept(Upload(id, name, instance, instance.reading))

    def _kept(self, table: Upload) -> Upload:
        with self._lock:
            self._tables[table.id] = table
            while len(self._tables) > MOST_TABLES:
                self._tables.popitem(last=False)
        return table

    def __getitem__(self, id: str) -> Upload:
        with self._lock:
            if id not in self._tables:
                raise InputError("this table is not here any more; drop the file again.")
            self._tables.move_to_end(id)
            return self._tables[id]


def chosen_of(options: Mapping[str, str]) -> dict[str, str]:
    """Those of a page's options that are about reading, and given."""
    return {key: options[key] for key in READING if options.get(key)}


def read_options(chosen: Mapping[str, str]) -> dict[str, Any]:
    """Text from a page as the keywords of `read`."""
    options: dict[str, Any] = dict(chosen)
    if "scale" in options:
        options["scale"] = _numbers(options["scale"], "the scale", 2)
    if options.get("rewards", "linear") != "linear":
        options["rewards"] = _numbers(options["rewards"], "the rewards")
    if "ignore" in options:
        apart = "\n" if "\n" in options["ignore"] else ","
        options["ignore"] = [column.strip() for column in options["ignore"].split(apart)]
    return options


def _numbers(text: str, what: str, count: int | None = None) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or (count is not None and len(numbers) != count):
        raise InputError(f"{what} is {text!r}; write numbers with a comma between them, such as 1,5.")
    return numbers


# -- what a refusal proposes -------------------------------------------------------------------------------------------

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
