"""Workbooks (.xlsx and .ods), read by python-calamine: the only sheet with anything on it, or the one that is named."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO

from isegoria.errors import FileError, MissingExtraError, unknown
from isegoria.io.cells import shown
from isegoria.io.declared import check_workbook
from isegoria.io.read_options import ReadOptions
from isegoria.io.sheet import Sheet
from isegoria.io.tabular import parts_of

MOST_CELLS = 5_000_000
"""The most cells that a sheet may span: two cells far apart are a whole sheet of empty ones between them."""


def read(stream: BinaryIO, where: str, sheet: str | None = None, **keywords: Any) -> dict[str, Any]:
    """The parts of an `Instance`, by the rules of a CSV file; a cell is read as it stands, not as it is shown."""
    options = ReadOptions.checked(**keywords)
    book = _opened(stream, where)
    name, notes = _chosen(book, where, sheet)
    with _whole(where):
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    numbered = [(i + 1, [_text(cell) for cell in row]) for i, row in enumerate(rows)]
    filled = [(number, row) for number, row in numbered if any(row)]
    place = f"{where}, sheet '{name}'" if len(book.sheet_names) > 1 else where
    return parts_of(Sheet(place, [row for _, row in filled], lambda: [n for n, _ in filled], "row", notes), options)


def _opened(stream: BinaryIO, where: str) -> Any:
    try:
        calamine = import_module("python_calamine")
    except ImportError:
        raise MissingExtraError(
            f"{where} is a spreadsheet, and python-calamine, which reads it, is not installed; "
            "pip install 'isegoria[sheets]', or save it as CSV (UTF-8)."
        ) from None
    data = stream.read()
    if not data:
        raise FileError(f"{where} is empty; expected a spreadsheet.")
    check_workbook(where, data, MOST_CELLS)
    with _whole(where):
        return calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))


@contextmanager
def _whole(where: str) -> Iterator[None]:
    """Say in one sentence that a workbook is damaged, wherever in it that is found."""
    try:
        yield
    except FileError:
        raise
    except BaseException as error:  # calamine's errors share no class of their own with the panics of its parsers
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise FileError(
            f"{where} is not a whole spreadsheet ({why}); "
            "open it in the program that made it and save it again, or save it as CSV (UTF-8)."
        ) from None


def _chosen(book: Any, where: str, sheet: str | None) -> tuple[str, list[str]]:
    """The sheet to read, and a note where there were others to leave out."""
    names = list(book.sheet_names)
    if sheet is not None:
        if sheet not in names:
            raise FileError(f"{where}: {unknown('sheet', sheet, names)}")
        if not _rows(book, where, sheet):
            raise FileError(f"{where}: the sheet '{sheet}' is empty; name another, of {', '.join(names)}.")
        return sheet, []
    filled = [name for name in names if _rows(book, where, name)]
    if not filled:
        raise FileError(f"{where} has nothing on any sheet; expected a header and one row for each agent.")
    if len(filled) > 1:
        raise FileError(
            f"{where} has {len(filled)} sheets with data, {', '.join(map(repr, filled))}; "
            f"say which with --sheet {_shell(filled[0])} (sheet= in Python)."
        )
    return filled[0], [f"the sheet is '{filled[0]}', the only one with data"] if len(names) > 1 else []


def _rows(book: Any, where: str, name: str) -> int:
    with _whole(where):
        return int(book.get_sheet_by_name(name).height)


def _text(cell: Any) -> str:
    """A cell as a CSV file would have it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return shown(cell)
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return str(cell)
    return str(cell).strip()


def _shell(name: str) -> str:
    return f"'{name}'" if " " in name else name
