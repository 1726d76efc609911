"""The fast way through a plain table of text: a part at a time into one matrix, the names into one array.

It answers with the parts of an `Instance`, or with None where anything is odd, however slightly; the careful reader
then reads the file from its start.
"""

from __future__ import annotations

import csv
import os
from typing import Any, BinaryIO

import numpy as np

from isegoria.instance.headings import (
    AGENT,
    RESERVED,
    WEIGHT,
    is_form,
    misspelt_heading,
    normal_heading,
    resembles_long,
)
from isegoria.instance.names import PackedNames
from isegoria.io.cells import is_number
from isegoria.io.plain_csv import parse
from isegoria.io.read_options import ReadOptions

PART = 1 << 22
"""Bytes read at a time."""

FOREIGN = ',;\t|"'


def read_plain(stream: BinaryIO, options: ReadOptions, separator: str = ",") -> dict[str, Any] | None:
    """The parts of an `Instance` in a wide table, if nothing in it needs care; the stream is left anywhere."""
    if options.agent or options.ignore or options.columns or options.answers:
        return None
    header = _header(stream.readline(PART), separator)
    if header is None:
        return None
    named = header.index(AGENT) if AGENT in header else 0
    read = _body(stream, len(header), named, separator)
    if read is None:
        return None
    table, packed = read
    if AGENT not in header and normal_heading(header[0]) != AGENT and all(map(is_number, packed)):
        return None
    names: PackedNames | tuple[str, ...] = packed if len(packed) > PackedNames.WORTH else tuple(packed)
    if len(set(names)) < len(names) if isinstance(names, tuple) else not names.distinct():
        return None
    return _parts(table, names, [name for k, name in enumerate(header) if k != named], options)


def _header(line: bytes, separator: str) -> list[str] | None:
    """The headings of a plain wide table: none empty, repeated, reserved for something else, or odd."""
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    text = text.rstrip("\r\n")
    if not line.endswith(b"\n") or any(each in text for each in FOREIGN if each != separator) or "\0" in text:
        return None
    if "\r" in text or len(text) > csv.field_size_limit():
        return None
    header = [name.strip() for name in next(csv.reader([text], delimiter=separator), [])]
    arms = [name for k, name in enumerate(header) if name not in RESERVED and (k or AGENT in header)]
    if len(set(header)) < len(header) or not all(header) or not arms or any(map(misspelt_heading, arms)):
        return None
    if resembles_long(header) or is_form(header) or all(map(is_number, header[1:])):
        return None
    return header


def _body(stream: BinaryIO, columns: int, named: int, separator: str) -> tuple[np.ndarray, PackedNames] | None:
    """The numbers, and the column of names, of all lines that follow."""
    left = _size_left(stream)
    table, rows, names, ends, length, tail = None, 0, [], [np.zeros(1, dtype=np.int64)], 0, b""
    while True:
        part = stream.read(PART)
        data = tail + part if part else tail + b"\n" if tail else b""
        if not data:
            break
        lines = data.count(b"\n") or 1
        table = _room(table, rows, lines, columns - 1, left / len(data))
        buffer, row_ends = np.empty(len(data), dtype=np.uint8), np.empty(lines, dtype=np.int64)
        count, used, filled = parse(data, columns, named, ord(separator), table, rows, buffer, row_ends)
        if count < 0 or len(data) - used > PART or not _is_text(buffer[:filled]):
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


def _room(table: np.ndarray | None, rows: int, lines: int, columns: int, parts: float) -> np.ndarray:
    """A table with room for `lines` more rows; the first time, for about as many as the file will have."""
    if table is None:
        return np.empty((int(lines * max(1.0, parts * 1.02)) + 16, columns))
    if rows + lines > len(table):
        table.resize((int(1.3 * len(table)) + lines, columns), refcheck=False)
    return table


def _size_left(stream: BinaryIO) -> int:
    try:
        here = stream.tell()
        size = stream.seek(0, os.SEEK_END)
        stream.seek(here)
    except (OSError, ValueError):
        return 0
    return size - here


def _is_text(name: np.ndarray) -> bool:
    try:
        name.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _parts(table: np.ndarray, names: Any, header: list[str], options: ReadOptions) -> dict[str, Any] | None:
    """The parts, moved to [0, 1]; None where a number lies off the scale or is no weight."""
    parts = {"agents": names, "arms": [name for name in header if name != WEIGHT]}
    if WEIGHT in header:
        at = header.index(WEIGHT)
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
