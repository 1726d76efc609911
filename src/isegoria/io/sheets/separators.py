"""Parse delimited text into a `Sheet`, detecting the separator where only one candidate makes a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from isegoria.errors import FileError
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
from isegoria.io.sheets.cells import looks_like_number
from isegoria.io.sheets.sheet import Sheet

SEPARATOR_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SEPARATOR_SAMPLE_ROWS = 50
_SEP_LINE_PATTERN = re.compile(r"\ufeff?sep=(.)\r?\n", re.IGNORECASE)  # Excel writes this above the header


def parse_separated_text(text: str, where: str, separator: str | None = None) -> Sheet:
    """Parse `text` into a `Sheet`.

    `separator` is the one that the format fixes. None: it is detected, and must be the only one that makes a table. A
    first line such as `sep=;` overrides both.
    """
    declared = _SEP_LINE_PATTERN.match(text)
    if declared:
        text, skipped, used = text[declared.end() :], 1, declared[1]
    else:
        skipped, used = 0, separator or _detect_separator(text, where)
    notes = [] if used == (separator or ",") else [f"columns are separated by {SEPARATOR_NAMES.get(used, repr(used))}"]

    def numbers() -> list[int]:
        return [number + skipped for number, _ in _iter_numbered_rows(text, used, where)]

    sheet = Sheet(where, _parse_rows(text, used, where), numbers, notes=notes)
    if separator and len(sheet.header) == 1:
        raise FileError(
            AdvisedMessage(
                f"{sheet.top} has no {SEPARATOR_NAMES[separator][:-1]} in it; expected {SEPARATOR_NAMES[separator]} "
                "between the columns.",
                " If another mark parts them, say --input-format csv (format= in Python).",
                [OptionSuggestion.of(format="csv")],
            )
        )
    return sheet


def _parse_rows(text: str, separator: str, where: str) -> list[list[str]]:
    try:
        rows = list(filter(any, _make_reader(text, separator)))
    except csv.Error:
        rows = [row for _, row in _iter_numbered_rows(text, separator, where)]  # slower, and names the line
    if not rows:
        raise FileError(f"{where} is empty; expected a header line and at least one line of data.")
    return rows


def _iter_numbered_rows(text: str, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank, with the number of the line on which it begins."""
    reader = _make_reader(text, separator)
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


def _detect_separator(text: str, where: str) -> str:
    """Return the separator of the header.

    Where the header contains several candidates, return the only one under which the rows fit; raise `FileError` if two
    do.
    """
    samples = {separator: _sample_rows(text, separator) for separator in SEPARATOR_NAMES}
    present = [separator for separator, rows in samples.items() if rows and len(rows[0]) > 1]
    if len(present) < 2:
        return present[0] if present else ","
    fitting = [separator for separator in present if len(set(map(len, samples[separator]))) == 1]
    if not fitting:
        return present[0]  # rows of unequal length: the message about them names one
    if len(fitting) > 1:
        fitting = [separator for separator in fitting if _has_numbers(samples[separator], separator)] or fitting
    if len(fitting) > 1:
        names = " or by ".join(SEPARATOR_NAMES[separator] for separator in fitting)
        raise FileError(
            f"{where}: columns may be separated by {names}, and either makes a table; save it with one of them, and "
            "put quotes round names that have the other in them."
        )
    return fitting[0]


def _sample_rows(text: str, separator: str) -> list[list[str]]:
    try:
        return list(islice(filter(any, _make_reader(text, separator)), SEPARATOR_SAMPLE_ROWS))
    except csv.Error:
        return []


def _has_numbers(rows: list[list[str]], separator: str) -> bool:
    """Check whether some column other than the first holds only numbers."""
    columns = list(zip(*rows[1:], strict=False))[1:]
    return any(all(looks_like_number(cell, comma=separator != ",") for cell in column) for column in columns)


def _make_reader(text: str, separator: str) -> Any:
    return csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
