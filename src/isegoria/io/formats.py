"""The table of file formats. A new format is one module beside this one, and one line here."""

from __future__ import annotations

from types import ModuleType

from isegoria.errors import InputError
from isegoria.registry import Row, Table

UNRANKED = ("refuse", "last", "drop")
RATINGS, RANKINGS = ("scale",), ("rewards", "unranked")
TABLE = ("scale", "missing", "agent", "ignore", "columns", "answers")
BOOK = (*TABLE, "sheet")
FRAME = ("scale", "missing", "agent", "ignore")
"""The options of formats that hold ratings, rankings, a table of cells, several such tables, and columns with types."""


class Format(Row):
    """One row: the format's id, which is also its suffix; its module, loaded when first used; and what it is.

    The module has `read(stream, where, **options)`, which takes a stream of bytes and the name of its file for
    messages, and returns a dict of the keywords of `Instance`, perhaps with `notes`, a list of what was decided in
    reading; and, where the format is `written`, `write(instance) -> bytes`. It gets the options that it `takes`; an
    `ordinal` format, which holds rankings, gets its own id as `kind` too. A module of several formats has an object
    with these two functions for each: "module:NAME".
    """

    summary: str
    ordinal: bool = False
    takes: tuple[str, ...] = RATINGS
    written: bool = True


def format_of(id: str, module: ModuleType) -> Format:
    """The row of a format that another package offers: its module, with SUMMARY, ORDINAL, TAKES if it has them."""
    if not callable(getattr(module, "read", None)):
        raise InputError(f"expected a module with read(stream, where, **options), not {module!r}")
    summary = getattr(module, "SUMMARY", None) or (module.__doc__ or "").strip().partition("\n")[0]
    ordinal = bool(getattr(module, "ORDINAL", False))
    takes = tuple(getattr(module, "TAKES", RANKINGS if ordinal else RATINGS))
    return Format(id, module.__name__, summary, ordinal, takes, hasattr(module, "write"))


def _rankings(id: str, summary: str, *more: str) -> Format:
    return Format(id, "isegoria.io.preflib", f"PrefLib: {summary}", True, (*RANKINGS, *more), written=False)


FORMATS: Table[Format] = Table(
    "format",
    [
        Format("csv", "isegoria.io.csv:CSV", "one row for each agent, or one for each agent and arm", takes=TABLE),
        Format("tsv", "isegoria.io.csv:TSV", "the same with tabs between the cells", takes=TABLE),
        Format("xlsx", "isegoria.io.workbook", "the same in a workbook", takes=BOOK, written=False),
        Format("ods", "isegoria.io.workbook", "the same in an open document", takes=BOOK, written=False),
        Format("parquet", "isegoria.io.arrow_files:PARQUET", "a Parquet file with a column for each arm", takes=FRAME),
        Format("arrow", "isegoria.io.arrow_files:ARROW", "an Arrow file with a column for each arm", takes=FRAME),
        Format("json", "isegoria.io.json", "an object with means, agents, arms and weights"),
        Format("npz", "isegoria.io.npz", "NumPy arrays means, agents, arms and weights"),
        Format("pb", "isegoria.io.pabulib", "Pabulib: votes on projects", takes=("rewards",), written=False),
        _rankings("soc", "strict orders, complete"),
        _rankings("toc", "orders with ties, complete"),
        _rankings("soi", "strict orders, incomplete"),
        _rankings("toi", "orders with ties, incomplete"),
        _rankings("cat", "categories, the first one the favourites", "best_category"),
    ],
    group="isegoria.formats",
    adapt=format_of,
)
