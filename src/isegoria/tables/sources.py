"""Where the rows of a large table come from: units that are read one at a time, and always give the same columns.

A unit is a row group of a Parquet file, a batch of an Arrow file or stream, or a whole table in memory. Every column of
numbers is an arm but `weight`; a column `agent` names the rows, and is left in the file. Files are pinned by their
footers when they are opened: one that has changed since is refused by name.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from isegoria.errors import FileError, InputError
from isegoria.instance.headings import WEIGHT
from isegoria.io.arrow import arrow, roles
from isegoria.io.arrow_files import MAGIC
from isegoria.io.formats import FORMATS
from isegoria.io.read_options import ReadOptions
from isegoria.tables.addresses import is_address, listed, opened, shown
from isegoria.tables.columns import KINDS, Columns

SUFFIXES = (".parquet", ".arrow")
ROWS = 125_000
"""Rows of a unit where nobody else has chosen: large enough for speed, small enough for any memory."""


class Unit(NamedTuple):
    """Some rows that are read at once: the part and the group of it they are in, how many, and how many came before."""

    part: int
    group: int
    rows: int
    start: int


class Pin(NamedTuple):
    """What a file must still be when it is read again: its size, and the SHA-256 of its footer."""

    size: int
    footer: str


class TableSource:
    """Units of rows, each with K columns; a subclass says how a unit's Arrow columns are read.

    - `arms`: the names of the columns; `units` in their order; `scale` (low, high).
    - `notes`: what was decided about the columns, one clause each.
    """

    arms: list[str]
    notes: list[str]
    units: list[Unit]
    scale: tuple[float, float]
    weighted: bool

    @property
    def rows(self) -> int:
        """How many rows there are in all units."""
        return sum(unit.rows for unit in self.units)

    def columns(self, unit: Unit) -> Columns:
        """The columns of a unit; nulls, and weights that are none, are refused by their place."""
        table = self._table(unit)
        arrays = [self._numbers(table.column(name), name, unit) for name in self.arms]
        weights = self._weights(table.column(WEIGHT), unit) if self.weighted else None
        low, high = self.scale
        plain = (low, high) == (0.0, 1.0)
        return Columns(arrays, weights, 0.0 if plain else low, 0.0 if plain else high - low)

    def only(self, arms: Sequence[int]) -> Self:
        """The same rows, of which only some of the arms are read."""
        part = copy(self)
        part.arms = [self.arms[k] for k in arms]
        return part

    def refuse(self, unit: Unit, row: int, name: str, why: str) -> None:
        """Raise for a cell, named by its file, row group and row (all counted from 1 but the group, as tools do)."""
        raise FileError(f"{self.place(unit)}, row {row + 1}, column '{name}' {why}")

    def place(self, unit: Unit) -> str:
        """What a unit is called in a message."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise if a part has changed since it was opened."""

    def _table(self, unit: Unit) -> Any:
        raise NotImplementedError

    def _numbers(self, column: Any, name: str, unit: Unit) -> np.ndarray:
        if column.null_count:
            row = int(np.asarray(column.is_null()).argmax())
            self.refuse(unit, row, name, "is empty; fill it in, or leave that row out: a large table has no gaps.")
        values = np.ascontiguousarray(_plain(column))
        return values if values.dtype in KINDS else values.astype(np.float64)

    def _weights(self, column: Any, unit: Unit) -> np.ndarray:
        values = self._numbers(column, WEIGHT, unit)
        good = (values >= 1) & (values <= 2.0**53) & (values == np.floor(values))
        if not good.all():
            row = int(good.argmin())
            self.refuse(unit, row, WEIGHT, f"is {values[row]:g}; a weight is a whole number of identical agents.")
        return values.astype(np.int64)


class FileSource(TableSource):
    """The row groups of Parquet files, or the batches of Arrow files, in the order in which the files are given."""

    def __init__(self, paths: list[str], options: ReadOptions) -> None:
        arrow(paths[0])
        self.paths, self.scale, self.notes = paths, options.ends, []
        self.pins = [_pin(path) for path in paths]
        self.units, start = [], 0
        for part, path in enumerate(paths):
            reader = _opened(path, self.pins[part])
            self._agree(reader.schema, path, options)
            for group, rows in enumerate(reader.groups):
                if rows:
                    self.units.append(Unit(part, group, rows, start))
                    start += rows
        if not self.units:
            raise FileError(f"{shown(paths[0])} has no rows; expected one for each agent.")

    def _agree(self, schema: Any, path: str, options: ReadOptions) -> None:
        """Take the arms of the first file, and refuse another that differs."""
        notes: list[str] = []
        found, path = roles(schema, shown(path), options, notes), shown(path)
        if not hasattr(self, "arms"):
            self.notes = notes
            _, weighted, self.arms = found
            self.weighted, self.first = weighted is not None, path
        elif found[1:] != (WEIGHT if self.weighted else None, self.arms):
            raise FileError(f"{path} has other columns than {self.first}; the parts of a table need the same ones.")

    def place(self, unit: Unit) -> str:
        return f"{shown(self.paths[unit.part])}, row group {unit.group}"

    def check(self) -> None:
        for path, pin in zip(self.paths, self.pins, strict=True):
            if _pin(path) != pin:
                raise FileError(f"{shown(path)} has changed since it was opened; scan it again.")

    def _table(self, unit: Unit) -> Any:
        reader = _opened(self.paths[unit.part], self.pins[unit.part])
        return reader.read(unit.group, [*self.arms, *[WEIGHT] * self.weighted])


class StreamSource(TableSource):
    """The batches of an Arrow stream of any frame library, kept in memory as they came."""

    def __init__(self, frame: Any, options: ReadOptions) -> None:
        pyarrow = arrow("a stream of columns")
        self.table, self.notes = _in_memory(pyarrow, frame), []
        _, weighted, self.arms = roles(self.table.schema, "the frame", options, self.notes)
        self.weighted, self.scale = weighted is not None, options.ends
        count = self.table.num_rows
        if not count:
            raise InputError("the frame has no rows; expected one for each agent.")
        self.units = [Unit(0, i, min(ROWS, count - s), s) for i, s in enumerate(range(0, count, ROWS))]

    def place(self, unit: Unit) -> str:
        return f"the frame, rows from {unit.start + 1}"

    def _table(self, unit: Unit) -> Any:
        return self.table.slice(unit.start, unit.rows).combine_chunks()


class MemorySource(TableSource):
    """One unit: the means of an instance."""

    def __init__(self, means: np.ndarray, weights: np.ndarray | None, arms: list[str]) -> None:
        self.means, self.given, self.arms, self.scale, self.notes = means, weights, list(arms), (0.0, 1.0), []
        self.units = [Unit(0, 0, len(means), 0)]
        self.weighted = weights is not None

    def only(self, arms: Sequence[int]) -> MemorySource:
        return MemorySource(self.means[:, arms], self.given, [self.arms[k] for k in arms])

    def columns(self, unit: Unit) -> Columns:
        return Columns([np.ascontiguousarray(self.means[:, k]) for k in range(len(self.arms))], self.given)

    def place(self, unit: Unit) -> str:
        return "the instance"


def files_of(path: Any) -> list[str]:
    """The parts of a table: a file, every part of a folder in order of name, an address, or a list of these."""
    if isinstance(path, list | tuple):
        if not path:
            raise InputError("scan was given an empty list; name at least one file.")
        return [part for one in path for part in files_of(one)]
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"scan needs the path of a file or folder, a list of them, or a frame, not {path!r}.")
    if is_address(path):
        return listed(str(path), SUFFIXES)
    if path == "-":
        raise FileError("standard input can be read only once, and so not a part at a time; give a file.")
    if not Path(path).exists():
        raise FileError(f"there is no file {path}; check the spelling and the folder.")
    if not Path(path).is_dir():
        _refuse_whole(path)
        return [str(path)]
    parts = sorted(str(part) for part in Path(path).rglob("*") if part.suffix.lower() in SUFFIXES)
    if not parts:
        raise FileError(f"the folder {path} has no .parquet or .arrow files; write the parts of the table there.")
    return parts


def _refuse_whole(path: Any) -> None:
    """Raise for a file of a format that is read as a whole."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES and suffix[1:] in FORMATS:
        raise FileError(
            f"{path} is read as a whole; only Parquet and Arrow files are read a part at a time. Leave out --workers "
            "and --scheduler (in Python, use read), or write it as Parquet: iso.write(iso.read(path), 't.parquet')."
        )


def _in_memory(pyarrow: Any, frame: Any) -> Any:
    """The Arrow table of a frame, or one sentence where it has none."""
    if hasattr(type(frame), "collect"):
        raise InputError(
            f"this {type(frame).__name__} is not computed yet; write it as Parquet and scan that, or collect it."
        )
    try:
        return pyarrow.table(frame)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"this {type(frame).__name__} gives no Arrow table: {str(error).splitlines()[0]}") from None


class _Reader:
    """An open file: its `schema`, the rows of its `groups`, and how to read one."""

    def __init__(self, path: str) -> None:
        pyarrow = arrow(path)
        try:
            self._open(path)
        except (pyarrow.ArrowException, OSError) as error:
            raise FileError(f"{shown(path)} cannot be read as a table: {str(error).splitlines()[0]}") from None

    def _open(self, path: str) -> None:
        handle = _handle(path)
        if shown(path).lower().endswith(".arrow"):
            if handle.read(len(MAGIC)) != MAGIC:
                raise FileError(
                    f"{shown(path)} is an Arrow stream or no Arrow file at all; only Arrow's file format is read a "
                    "part at a time. Write it with pyarrow.ipc.new_file, or as Parquet."
                )
            handle.seek(0)
            ipc = import_module("pyarrow.ipc")
            self.file = ipc.open_file(handle, options=ipc.IpcReadOptions(use_threads=False))
            self.schema = self.file.schema
            self.groups = [self.file.get_batch(i).num_rows for i in range(self.file.num_record_batches)]
        else:
            self.file = import_module("pyarrow.parquet").ParquetFile(handle)
            self.schema = self.file.schema_arrow
            self.groups = [self.file.metadata.row_group(i).num_rows for i in range(self.file.num_row_groups)]

    def read(self, group: int, names: list[str]) -> Any:
        """The columns `names` of a group."""
        if hasattr(self.file, "get_batch"):
            return import_module("pyarrow").Table.from_batches([self.file.get_batch(group)]).select(names)
        return self.file.read_row_group(group, columns=names, use_threads=False)


def _opened(path: str, pin: Pin) -> _Reader:
    """The file at `path` as it was when it was pinned, open for this thread: a reader serves one at a time."""
    return _opened_by(path, pin, threading.get_ident())


@lru_cache(maxsize=8)  # an open file keeps its last row group: 64 of them would be most of a worker's memory
def _opened_by(path: str, pin: Pin, thread: int) -> _Reader:
    if _pin(path) != pin:
        raise FileError(f"{shown(path)} has changed since it was opened; scan it again.")
    return _Reader(path)


def _handle(path: str) -> Any:
    if is_address(path):
        return opened(path)
    return import_module("pyarrow").OSFile(path)  # no map: a file cut short would end the process


def _pin(path: str) -> Pin:
    try:
        with _handle(path) as file:
            size = file.size()
            file.seek(max(0, size - 10))
            ending = file.read(10)
            length = int.from_bytes(ending[2:6] if ending.endswith(b"PAR1") else ending[:4], "little")
            file.seek(max(0, size - 10 - min(length, size)))
            return Pin(size, hashlib.sha256(file.read()).hexdigest())
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error).splitlines()[0].rstrip(".")
        raise FileError(f"cannot read {shown(path)}: {reason}.") from None


def _plain(column: Any) -> np.ndarray:
    """A column of a table, which has no nulls, as one array."""
    types = import_module("pyarrow.types")
    if types.is_boolean(column.type) or types.is_decimal(column.type) or types.is_float16(column.type):
        column = column.cast("float64")
    if column.num_chunks != 1:
        return column.to_numpy()
    chunk, kind = column.chunk(0), np.dtype(column.type.to_pandas_dtype())
    return np.frombuffer(chunk.buffers()[1], kind, len(chunk), chunk.offset * kind.itemsize)  # to_numpy loads pandas
