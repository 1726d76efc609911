"""Write and read named columns as CSV: the tables of the studies, and the data file of every figure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from isegoria.io.storage import atomic_write

ROWS_PER_BATCH = 20_000
"""Rows that are turned into text at a time, so that a million of them need no more memory than some thousands."""


def write_columns(path: str | PathLike[str], columns: Mapping[str, Any]) -> Path:
    """Write `columns` to a CSV file atomically and return its path; floats read back equal.

    >>> import tempfile
    >>> path = write_columns(Path(tempfile.mkdtemp()) / "t.csv", {"policy": ["PF", "UT"], "score": [0.1, 1]})
    >>> print(path.read_text(), end="")
    policy,score
    PF,0.1
    UT,1
    >>> read_columns(path)
    {'policy': ['PF', 'UT'], 'score': [0.1, 1.0]}
    """
    count = max((len(column) for column in columns.values()), default=0)
    with atomic_write.open_atomic(path) as file:
        file.write(_encode_rows([columns]))
        for start in range(0, count, ROWS_PER_BATCH):
            parts = [column[start : start + ROWS_PER_BATCH] for column in columns.values()]
            plain = [part.tolist() if hasattr(part, "tolist") else part for part in parts]
            file.write(_encode_rows(zip(*plain, strict=True)))
    return Path(path)


def _encode_rows(rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def read_columns(path: str | PathLike[str]) -> dict[str, list[Any]]:
    """Read the columns of a CSV file with a header; a column of numbers is returned as floats."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return {name: _parse_numbers([row[place] for row in rows]) for place, name in enumerate(header)}


def _parse_numbers(column: list[str]) -> list[Any]:
    try:
        return [float(cell) for cell in column]
    except ValueError:
        return column
