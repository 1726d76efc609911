"""Workbooks (.xlsx and .ods), read by python-calamine: the only sheet with data, or the one that is named."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO

from isegoria.errors import FileError, MissingExtraError, unknown_name_error
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
from isegoria.io.sandbox.size_limits import validate_workbook_size
from isegoria.io.sheets.cells import shortest_repr
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.io.sheets.sheet import Sheet
from isegoria.io.sheets.sheet_parser import parse_sheet

MAX_SHEET_CELLS = 5_000_000
"""The most cells that a sheet may span: two cells far apart are a whole sheet of empty ones between them."""


def read(stream: BinaryIO, where: str, sheet: str | None = None, **keywords: Any) -> dict[str, Any]:
    """Return the parts of an `Instance`, by the rules for CSV; cells are read by their values, not as displayed."""
    options = ReadOptions.checked(**keywords)
    book = _open_workbook(stream, where)
    name, notes = _choose_sheet(book, where, sheet)
    with _translate_errors(where):
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    numbered = [(i + 1, [_format_cell(cell) for cell in row]) for i, row in enumerate(rows)]
    filled = [(number, row) for number, row in numbered if any(row)]
    place = f"{where}, sheet '{name}'" if len(book.sheet_names) > 1 else where
    return parse_sheet(Sheet(place, [row for _, row in filled], lambda: [n for n, _ in filled], "row", notes), options)


def _open_workbook(stream: BinaryIO, where: str) -> Any:
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
    validate_workbook_size(where, data, MAX_SHEET_CELLS)
    with _translate_errors(where):
        return calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))


@contextmanager
def _translate_errors(where: str) -> Iterator[None]:
    """Turn any error of calamine into a `FileError` that says that the workbook is damaged."""
    try:
        yield
    except FileError:
        raise
    except BaseException as error:  # calamine's errors and its parsers' panics share no base class
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise FileError(
            f"{where} is not a whole spreadsheet ({why}); "
            "open it in the program that made it and save it again, or save it as CSV (UTF-8)."
        ) from None


def _choose_sheet(book: Any, where: str, sheet: str | None) -> tuple[str, list[str]]:
    """Return the sheet to read, and a note if other sheets were skipped; raise `FileError` if the choice is open."""
    names = list(book.sheet_names)
    if sheet is not None:
        if sheet not in names:
            raise FileError(f"{where}: {unknown_name_error('sheet', sheet, names)}")
        if not _count_rows(book, where, sheet):
            raise FileError(f"{where}: the sheet '{sheet}' is empty; name another, of {', '.join(names)}.")
        return sheet, []
    filled = [name for name in names if _count_rows(book, where, name)]
    if not filled:
        raise FileError(f"{where} has nothing on any sheet; expected a header and one row for each agent.")
    if len(filled) > 1:
        suggestion = OptionSuggestion.of(sheet=filled[0])
        raise FileError(
            AdvisedMessage(
                f"{where} has {len(filled)} sheets with data, {', '.join(map(repr, filled))}",
                f"; say which with {suggestion.to_flags()} (sheet= in Python).",
                [suggestion],
            )
        )
    return filled[0], [f"the sheet is '{filled[0]}', the only one with data"] if len(names) > 1 else []


def _count_rows(book: Any, where: str, name: str) -> int:
    with _translate_errors(where):
        return int(book.get_sheet_by_name(name).height)


def _format_cell(cell: Any) -> str:
    """Format a cell as a CSV file would have it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return shortest_repr(cell)
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return str(cell)
    return str(cell).strip()
