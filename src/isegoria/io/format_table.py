"""The registry of file formats. A new format is one module in this package and one line here."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal, NamedTuple, get_args

from isegoria.errors import InputError
from isegoria.utils.registry import Registry, import_object

UnrankedChoice = Literal["refuse", "last", "drop"]
UNRANKED_CHOICES: tuple[UnrankedChoice, ...] = get_args(UnrankedChoice)
RATING_OPTIONS, RANKING_OPTIONS = ("scale",), ("rewards", "unranked")
TABLE_OPTIONS = ("scale", "missing", "agent", "ignore", "columns", "answers")
WORKBOOK_OPTIONS = (*TABLE_OPTIONS, "sheet")
FRAME_OPTIONS = ("scale", "missing", "agent", "ignore", "columns", "answers")
"""The options of formats that hold ratings, rankings, a table of cells, several such tables, and columns with types."""


class Format(NamedTuple):
    """A file format: its id, which is also its suffix; its module, loaded on first use; and its properties.

    The module has `read(stream, where, **options)`, where `stream` yields bytes and `where` names the file in messages.
    It returns a dict of the keywords of `Instance`, optionally with `notes`, a list of decisions made in reading. A
    format that is `written` also has `write(instance) -> bytes`. `read` gets the options that the format `takes`; an
    `ordinal` format, which holds rankings, also gets its id as `kind`. A module with several formats has one object
    with these two functions for each: "module:NAME".
    """

    id: str
    home: str
    summary: str
    ordinal: bool = False
    takes: tuple[str, ...] = RATING_OPTIONS
    written: bool = True

    def load(self) -> Any:
        """Import and return the module, or its object, with the functions `read` and `write`."""
        return import_object(self.home)


def make_format(id: str, module: ModuleType) -> Format:
    """Build the registry entry of a plug-in format from its module, with SUMMARY, ORDINAL and TAKES if present."""
    if not callable(getattr(module, "read", None)):
        raise InputError(f"expected a module with read(stream, where, **options), not {module!r}")
    summary = getattr(module, "SUMMARY", None) or (module.__doc__ or "").strip().partition("\n")[0]
    ordinal = bool(getattr(module, "ORDINAL", False))
    takes = tuple(getattr(module, "TAKES", RANKING_OPTIONS if ordinal else RATING_OPTIONS))
    return Format(id, module.__name__, summary, ordinal, takes, hasattr(module, "write"))


def _make_preflib_format(id: str, summary: str, *more: str) -> Format:
    return Format(
        id, "isegoria.io.readers.preflib", f"PrefLib: {summary}", True, (*RANKING_OPTIONS, *more), written=False
    )


FORMATS: Registry[Format] = Registry(
    "format",
    [
        Format(
            "csv",
            "isegoria.io.readers.csv:CSV_FORMAT",
            "one row for each agent, or one for each agent and arm",
            takes=TABLE_OPTIONS,
        ),
        Format(
            "tsv", "isegoria.io.readers.csv:TSV_FORMAT", "the same with tabs between the cells", takes=TABLE_OPTIONS
        ),
        Format("xlsx", "isegoria.io.readers.workbook", "the same in a workbook", takes=WORKBOOK_OPTIONS, written=False),
        Format(
            "ods", "isegoria.io.readers.workbook", "the same in an open document", takes=WORKBOOK_OPTIONS, written=False
        ),
        Format(
            "parquet",
            "isegoria.io.readers.arrow_files:PARQUET_FORMAT",
            "a Parquet file with a column for each arm",
            takes=FRAME_OPTIONS,
        ),
        Format(
            "arrow",
            "isegoria.io.readers.arrow_files:ARROW_FORMAT",
            "an Arrow file with a column for each arm",
            takes=FRAME_OPTIONS,
        ),
        Format("json", "isegoria.io.readers.json", "an object with means, agents, arms and weights"),
        Format("npz", "isegoria.io.readers.npz", "NumPy arrays means, agents, arms and weights"),
        Format("pb", "isegoria.io.readers.pabulib", "Pabulib: votes on projects", takes=("rewards",), written=False),
        _make_preflib_format("soc", "strict orders, complete"),
        _make_preflib_format("toc", "orders with ties, complete"),
        _make_preflib_format("soi", "strict orders, incomplete"),
        _make_preflib_format("toi", "orders with ties, incomplete"),
        _make_preflib_format("cat", "categories, the first one the favourites", "best_category"),
    ],
    group="isegoria.formats",
    adapt=make_format,
)
