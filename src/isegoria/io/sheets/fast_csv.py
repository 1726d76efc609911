"""Fast reader of plain wide tables: parses chunks of text into one matrix of numbers and one array of names.

It returns the parts of an `Instance`, or None if anything in the file is unusual. The careful reader then reads the
file from its start.
"""

from __future__ import annotations

import csv
import os
from typing import Any, BinaryIO

import numpy as np

from isegoria.io.sheets.cells import is_number
from isegoria.io.sheets.fast_csv_kernel import parse
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.profiles.headings import (
    AGENT_HEADING,
    RESERVED_HEADINGS,
    WEIGHT_HEADING,
    describe_misspelling,
    is_form_export,
    is_long_header_variant,
    normalise_heading,
)
from isegoria.profiles.names import PackedNames

READ_CHUNK_BYTES = 1 << 22
"""Bytes read at a time."""

FOREIGN_SEPARATORS = ',;\t|"'


def read_plain_table(stream: BinaryIO, options: ReadOptions, separator: str = ",") -> dict[str, Any] | None:
    """Return the parts of an `Instance` in a plain wide table, or None if something in it needs care.

    The position of `stream` afterwards is undefined.
    """
    if options.agent or options.ignore or options.columns or options.answers:
        return None
    header = _parse_header(stream.readline(READ_CHUNK_BYTES), separator)
    if header is None:
        return None
    named = header.index(AGENT_HEADING) if AGENT_HEADING in header else 0
    read = _parse_body(stream, len(header), named, separator)
    if read is None:
        return None
    table, packed = read
    if AGENT_HEADING not in header and normalise_heading(header[0]) != AGENT_HEADING and all(map(is_number, packed)):
        return None
    names: PackedNames | tuple[str, ...] = packed if len(packed) > PackedNames.WORTH else tuple(packed)
    if len(set(names)) < len(names) if isinstance(names, tuple) else not names.distinct():
        return None
    return _build_parts(table, names, [name for k, name in enumerate(header) if k != named], options)


def _parse_header(line: bytes, separator: str) -> list[str] | None:
    """Return the headings of a plain wide table; None if one is empty, repeated, misspelt or otherwise unusual."""
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    text = text.rstrip("\r\n")
    if (
        not line.endswith(b"\n")
        or any(each in text for each in FOREIGN_SEPARATORS if each != separator)
        or "\0" in text
    ):
        return None
    if "\r" in text or len(text) > csv.field_size_limit():
        return None
    header = [name.strip() for name in next(csv.reader([text], delimiter=separator), [])]
    arms = [name for k, name in enumerate(header) if name not in RESERVED_HEADINGS and (k or AGENT_HEADING in header)]
    if len(set(header)) < len(header) or not all(header) or not arms or any(map(describe_misspelling, arms)):
        return None
    if is_long_header_variant(header) or is_form_export(header) or all(map(is_number, header[1:])):
        return None
    return header


def _parse_body(stream: BinaryIO, columns: int, named: int, separator: str) -> tuple[np.ndarray, PackedNames] | None:
    """Parse all following lines; return the numbers and the column of names, or None if a cell is unusual."""
    left = _remaining_bytes(stream)
    table, rows, names, ends, length, tail = None, 0, [], [np.zeros(1, dtype=np.int64)], 0, b""
    while True:
        part = stream.read(READ_CHUNK_BYTES)
        data = tail + part if part else tail + b"\n" if tail else b""
        if not data:
            break
        lines = data.count(b"\n") or 1
        table = _grow_table(table, rows, lines, columns - 1, left / len(data))
        buffer, row_ends = np.empty(len(data), dtype=np.uint8), np.empty(lines, dtype=np.int64)
        count, used, filled = parse(data, columns, named, ord(separator), table, rows, buffer, row_ends)
        if count < 0 or len(data) - used > READ_CHUNK_BYTES or not _is_utf8(buffer[:filled]):
            return None
        names.append(buffer[:filled].copy())
        ends.append(row_ends[:count] + length)
        rows, length, tail, left = rows + count, length + filled, data[used:], max(left - len(part), 0)
        if not part:
            break
    if table is None or not rows or tail.strip():
        return None
    table.resize((rows, columns - 1), refcheck=False)
    return table, PackedNames(np.concatenate(names), np.concatenate(ends))


def _grow_table(table: np.ndarray | None, rows: int, lines: int, columns: int, parts: float) -> np.ndarray:
    """Return a table with room for `lines` more rows; allocate it for the estimated size of the file at first."""
    if table is None:
        return np.empty((int(lines * max(1.0, parts * 1.02)) + 16, columns))
    if rows + lines > len(table):
        table.resize((int(1.3 * len(table)) + lines, columns), refcheck=False)
    return table


def _remaining_bytes(stream: BinaryIO) -> int:
    try:
        here = stream.tell()
        size = stream.seek(0, os.SEEK_END)
        stream.seek(here)
    except (OSError, ValueError):
        return 0
    return size - here


def _is_utf8(name: np.ndarray) -> bool:
    try:
        name.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _build_parts(table: np.ndarray, names: Any, header: list[str], options: ReadOptions) -> dict[str, Any] | None:
    """Return the parts rescaled to [0, 1]; None if a number is outside the scale or is not a valid weight."""
    parts = {"agents": names, "arms": [name for name in header if name != WEIGHT_HEADING]}
    if WEIGHT_HEADING in header:
        at = header.index(WEIGHT_HEADING)
        weights = table[:, at]
        if not ((weights >= 1) & (weights <= 2**53) & (weights == np.floor(weights))).all():
            return None
        parts["weights"] = weights.astype(np.int64)
        table = np.delete(table, at, axis=1)
    low, high = options.ends
    if not (table.min() >= low and table.max() <= high):
        return None
    if (low, high) != (0.0, 1.0):
        table -= low
        table /= high - low
    return {"means": table, **parts}
