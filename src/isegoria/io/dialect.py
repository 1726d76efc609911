"""Text with separators to a sheet: which separator it has is found out where only one reading makes a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from isegoria.errors import FileError
from isegoria.io.cells import looks_like_number
from isegoria.io.sheet import Sheet

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SAMPLE = 50
_DECLARED = re.compile(r"\ufeff?sep=(.)\r?\n", re.IGNORECASE)  # as one spreadsheet program writes above the header


def separated(text: str, where: str, separator: str | None = None) -> Sheet:
    """The sheet of a text; `separator` where the format fixes one, else the only one that makes a table of it."""
    declared = _DECLARED.match(text)
    if declared:
        text, skipped, used = text[declared.end() :], 1, declared[1]
    else:
        skipped, used = 0, separator or _separator(text, where)
    notes = [] if used == (separator or ",") else [f"columns are separated by {SEPARATORS.get(used, repr(used))}"]

    def numbers() -> list[int]:
        return [number + skipped for number, _ in _numbered(text, used, where)]

    sheet = Sheet(where, _rows(text, used, where), numbers, notes=notes)
    if separator and len(sheet.header) == 1:
        raise FileError(
            f"{sheet.top} has no {SEPARATORS[separator][:-1]} in it; expected {SEPARATORS[separator]} between the "
            "columns. If another mark parts them, say --input-format csv (format= in Python)."
        )
    return sheet


def _rows(text: str, separator: str, where: str) -> list[list[str]]:
    try:
        rows = list(filter(any, _reader(text, separator)))
    except csv.Error:
        rows = [row for _, row in _numbered(text, separator, where)]  # slower, and names the line
    if not rows:
        raise FileError(f"{where} is empty; expected a header line and at least one line of data.")
    return rows


def _numbered(text: str, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not blank, with the number of the line on which it begins."""
    reader = _reader(text, separator)
    line = 0
    try:
        for row in reader:
            if any(row):
                yield line + 1, row
            line = reader.line_num
    except csv.Error as error:
        raise FileError(
            f"{where}, line {line + 1}: not CSV: {error}; "
            'write a name with quotes inside as "so ""called"" name", and close every quote.'
        ) from None


def _separator(text: str, where: str) -> str:
    """The separator of the header; where several marks stand in it, the only one under which the rows fit."""
    samples = {separator: _sample(text, separator) for separator in SEPARATORS}
    present = [separator for separator, rows in samples.items() if rows and len(rows[0]) > 1]
    if len(present) < 2:
        return present[0] if present else ","
    fitting = [separator for separator in present if len(set(map(len, samples[separator]))) == 1]
    if not fitting:
        return present[0]  # rows of unequal length: the message about them names one
    if len(fitting) > 1:
        fitting = [separator for separator in fitting if _has_numbers(samples[separator], separator)] or fitting
    if len(fitting) > 1:
        names = " or by ".join(SEPARATORS[separator] for separator in fitting)
        raise FileError(
            f"{where}: columns may be separated by {names}, and either makes a table; save it with one of them, and "
            "put quotes round names that have the other in them."
        )
    return fitting[0]


def _sample(text: str, separator: str) -> list[list[str]]:
    try:
        return list(islice(filter(any, _reader(text, separator)), SAMPLE))
    except csv.Error:
        return []


def _has_numbers(rows: list[list[str]], separator: str) -> bool:
    """Does some column but the first hold numbers only?"""
    columns = list(zip(*rows[1:], strict=False))[1:]
    return any(all(looks_like_number(cell, comma=separator != ",") for cell in column) for column in columns)


def _reader(text: str, separator: str) -> Any:
    return csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
