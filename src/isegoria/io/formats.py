"""The table of file formats. A new format is one module beside this one, and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

UNRANKED = ("refuse", "last", "drop")


class Format(NamedTuple):
    """One row: the format's name, which is also its suffix; what it is; and its module, loaded when first used.

    The module has `read(data: bytes, where: str, **options)`, which returns an `Instance`, and, where the format can
    hold one, `write(instance) -> bytes`. `ordinal` formats hold rankings, and take `rewards` and `unranked`.
    """

    name: str
    summary: str
    module: str
    ordinal: bool = False

    def load(self):
        """The module that reads and writes this format."""
        return import_module(self.module)


FORMATS = {
    row.name: row
    for row in [
        Format("csv", "a table with one row for each agent, or one for each agent and arm", "isegoria.io.csv"),
        Format("json", "an object with means, agents, arms and weights", "isegoria.io.json"),
        Format("npz", "NumPy arrays means, agents, arms and weights", "isegoria.io.npz"),
        Format("soc", "PrefLib: strict orders, complete", "isegoria.io.preflib", ordinal=True),
        Format("toc", "PrefLib: orders with ties, complete", "isegoria.io.preflib", ordinal=True),
        Format("soi", "PrefLib: strict orders, incomplete", "isegoria.io.preflib", ordinal=True),
        Format("toi", "PrefLib: orders with ties, incomplete", "isegoria.io.preflib", ordinal=True),
        Format("cat", "PrefLib: categories, the first one the favourites", "isegoria.io.preflib", ordinal=True),
    ]
}
