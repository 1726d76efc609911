"""Named columns to and from CSV: the tables of the studies, and the data file beside every figure."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from isegoria.io import atomic


def write_columns(path, columns: Mapping[str, Sequence]) -> Path:
    """The path of a CSV file of `columns`, written whole or not at all; a float reads back equal.

    >>> import tempfile
    >>> path = write_columns(Path(tempfile.mkdtemp()) / "t.csv", {"policy": ["PF", "UT"], "score": [0.1, 1]})
    >>> print(path.read_text(), end="")
    policy,score
    PF,0.1
    UT,1
    >>> read_columns(path)
    {'policy': ['PF', 'UT'], 'score': [0.1, 1.0]}
    """
    plain = [column.tolist() if hasattr(column, "tolist") else list(column) for column in columns.values()]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*plain, strict=True))
    return atomic.write_text(path, text.getvalue())


def read_columns(path) -> dict[str, list]:
    """The columns of a CSV file with a header; a column of numbers comes back as floats."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return {name: _numbers([row[place] for row in rows]) for place, name in enumerate(header)}


def _numbers(column: list[str]) -> list:
    try:
        return [float(cell) for cell in column]
    except ValueError:
        return column
