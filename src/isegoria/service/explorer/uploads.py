"""Tables uploaded to the explorer: read in a sandbox, as the command line reads them, and kept while it runs.

If a table cannot be read, the options that the error suggests become choices that the page offers.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

from isegoria.errors import InputError
from isegoria.io.option_suggestions import get_suggestions
from isegoria.io.sandbox.sandbox import Sandbox, SandboxLimits
from isegoria.profiles import Instance
from isegoria.utils.messages import Message

MAX_TABLES = 12
READ_OPTIONS = (
    "scale",
    "missing",
    "agent",
    "ignore",
    "columns",
    "answers",
    "sheet",
    "rewards",
    "unranked",
    "best_category",
    "format",
)
"""Options of `read` that a page may set, all as text."""


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that was read: its id in the address, its file name, and notes on how it was read."""

    id: str
    name: str
    instance: Instance
    notes: tuple[str, ...]


class PendingFile(NamedTuple):
    """A file that lacks an option for reading, which the page asks for: its name, its bytes, and the options given."""

    name: str
    data: bytes
    options: dict[str, str]


class UploadCache:
    """The most recent tables by id; the id is derived from content and options, so an address stays valid."""

    def __init__(self) -> None:
        self._cage = Sandbox(SandboxLimits(memory=768))
        self._tables: OrderedDict[str, Upload] = OrderedDict()
        self._lock = Lock()

    def put(self, name: str, data: bytes, options: Mapping[str, str]) -> Upload:
        """Read a file's bytes as the command line would, and store the table."""
        chosen = select_read_options(options)
        label = json.dumps([name, chosen], sort_keys=True).encode()
        id = hashlib.sha256(label + b"\0" + data).hexdigest()[:16]
        with self._lock:
            if id in self._tables:
                self._tables.move_to_end(id)
                return self._tables[id]
        return self._store_table(Upload(id, name, *self._cage.read(name, data, parse_read_options(chosen))))

    def keep(self, name: str, instance: Instance) -> Upload:
        """Store a table that was read before; the same table gets the same id when the explorer starts again."""
        means = instance.means.tobytes() if hasattr(instance.means, "tobytes") else instance.means.data.tobytes()
        id = hashlib.sha256(json.dumps([name, *instance.arms]).encode() + means).hexdigest()[:16]
        return self._store_table(Upload(id, name, instance, instance.import_notes))

    def _store_table(self, table: Upload) -> Upload:
        with self._lock:
            self._tables[table.id] = table
            while len(self._tables) > MAX_TABLES:
                self._tables.popitem(last=False)
        return table

    def __getitem__(self, id: str) -> Upload:
        with self._lock:
            if id not in self._tables:
                raise InputError(Message("table_not_here_any"))
            self._tables.move_to_end(id)
            return self._tables[id]


def select_read_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return those of a page's options that concern reading and are set."""
    return {key: options[key] for key in READ_OPTIONS if options.get(key)}


def parse_read_options(chosen: Mapping[str, str]) -> dict[str, Any]:
    """Convert a page's text options to the keyword arguments of `read`."""
    options: dict[str, Any] = dict(chosen)
    if "scale" in options:
        options["scale"] = _parse_numbers(options["scale"], "the scale", 2)
    if options.get("rewards", "linear") != "linear":
        options["rewards"] = _parse_numbers(options["rewards"], "the rewards")
    if "ignore" in options:
        apart = "\n" if "\n" in options["ignore"] else ","
        options["ignore"] = [column.strip() for column in options["ignore"].split(apart)]
    return options


def _parse_numbers(text: str, what: str, count: int | None = None) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or (count is not None and len(numbers) != count):
        raise InputError(Message("write_numbers_comma_between_them_such", what=what, text=text))
    return numbers


def list_ways_out(message: str) -> list[dict[str, Any]]:
    """Return the options that an error message suggests, each different; `whole`: no value is left open.

    >>> from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
    >>> list_ways_out(AdvisedMessage("4 is above 1", "; say --scale 1,5.", [OptionSuggestion.of(scale="1,5")]))
    [{'options': {'scale': '1,5'}, 'whole': True}]
    """
    suggestions = dict.fromkeys(get_suggestions(message))
    return [{"options": one.to_options(), "whole": one.is_complete} for one in suggestions]
