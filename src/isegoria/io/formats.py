"""The table of file formats. A new format is one module beside this one, and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from isegoria.errors import InputError
from isegoria.registry import Row, Table

UNRANKED = ("refuse", "last", "drop")


@dataclass(frozen=True)
class Format(Row):
    """One row: the format's id, which is also its suffix; its module, loaded when first used; and what it is.

    The module has `read(stream, where, **options)`, which takes a stream of bytes and the name of its file for
    messages, and returns a dict of the keywords of `Instance`; and, where the format can hold one,
    `write(instance) -> bytes`. `ordinal` formats hold rankings, and take `rewards` and `unranked`; the others hold
    ratings, and take `scale`.
    """

    summary: str
    ordinal: bool = False


def format_of(id: str, module: ModuleType) -> Format:
    """The row of a format that another package offers: its module, with `SUMMARY` and `ORDINAL` if it has them."""
    if not callable(getattr(module, "read", None)):
        raise InputError(f"expected a module with read(stream, where, **options), not {module!r}")
    summary = getattr(module, "SUMMARY", None) or (module.__doc__ or "").strip().partition("\n")[0]
    return Format(id, module.__name__, summary, bool(getattr(module, "ORDINAL", False)))


FORMATS: Table[Format] = Table(
    "format",
    [
        Format("csv", "isegoria.io.csv", "a table with one row for each agent, or one for each agent and arm"),
        Format("json", "isegoria.io.json", "an object with means, agents, arms and weights"),
        Format("npz", "isegoria.io.npz", "NumPy arrays means, agents, arms and weights"),
        Format("soc", "isegoria.io.preflib", "PrefLib: strict orders, complete", ordinal=True),
        Format("toc", "isegoria.io.preflib", "PrefLib: orders with ties, complete", ordinal=True),
        Format("soi", "isegoria.io.preflib", "PrefLib: strict orders, incomplete", ordinal=True),
        Format("toi", "isegoria.io.preflib", "PrefLib: orders with ties, incomplete", ordinal=True),
        Format("cat", "isegoria.io.preflib", "PrefLib: categories, the first one the favourites", ordinal=True),
    ],
    group="isegoria.formats",
    adapt=format_of,
)
