"""Sources of large tables: chunks (units) of rows that are read one at a time and always give the same columns.

A chunk is a row group of a Parquet file, a batch of an Arrow file or stream, or a whole table in memory. Every numeric
column except `weight` is an arm; a column `agent` names the rows and is not read. Files are pinned by their footers
when they are opened, and a file that has changed since is refused by name.
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
from isegoria.io.format_table import FORMATS
from isegoria.io.readers.arrow_files import ARROW_MAGIC
from isegoria.io.readers.arrow_table import find_column_roles, import_pyarrow, read_buffer
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.out_of_core.column_chunk import KINDS, Columns
from isegoria.out_of_core.object_store import is_address, list_address, open_address, redact_address
from isegoria.profiles.headings import WEIGHT_HEADING

CHUNKED_SUFFIXES = (".parquet", ".arrow")
DEFAULT_CHUNK_ROWS = 125_000
"""Rows of a unit where nobody else has chosen: large enough for speed, small enough for any memory."""


class RowChunk(NamedTuple):
    """A chunk: rows that are read at once. Its part and group in the part, its row count, and the rows before it."""

    part: int
    group: int
    rows: int
    start: int


class FileFingerprint(NamedTuple):
    """The identity of a file when it is read again: its size, and the SHA-256 of its footer."""

    size: int
    footer: str


class ChunkSource:
    """Base class of sources: chunks of rows with K columns; a subclass reads the Arrow columns of a chunk.

    - `arms`: the names of the columns; `units`: the chunks in order; `scale`: (low, high).
    - `notes`: the decisions made about the columns, one clause each.
    """

    arms: list[str]
    notes: list[str]
    units: list[RowChunk]
    scale: tuple[float, float]
    weighted: bool
    fill: float | None = None
    """What a gap counts as, on the scale; None: gaps are refused."""

    @property
    def rows(self) -> int:
        """The number of rows in all chunks."""
        return sum(unit.rows for unit in self.units)

    def columns(self, unit: RowChunk) -> Columns:
        """Read the columns of a chunk; raise `FileError` with the location of a null or an invalid weight."""
        table = self._table(unit)
        arrays = [self._numbers(table.column(name), name, unit) for name in self.arms]
        weights = self._weights(table.column(WEIGHT_HEADING), unit) if self.weighted else None
        low, high = self.scale
        plain = (low, high) == (0.0, 1.0)
        return Columns(arrays, weights, 0.0 if plain else low, 0.0 if plain else high - low)

    def only(self, arms: Sequence[int]) -> Self:
        """Return a source with the same rows that reads only some of the arms."""
        part = copy(self)
        part.arms = [self.arms[k] for k in arms]
        return part

    def refuse(self, unit: RowChunk, row: int, name: str, why: str) -> None:
        """Raise `FileError` for a cell, named by file, row group (from 0, as other tools do) and row (from 1)."""
        raise FileError(f"{self.place(unit)}, row {row + 1}, column '{name}' {why}")

    def place(self, unit: RowChunk) -> str:
        """Return the name of a chunk for messages."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise `FileError` if a part has changed since it was opened."""

    def _table(self, unit: RowChunk) -> Any:
        raise NotImplementedError

    def _numbers(self, column: Any, name: str, unit: RowChunk) -> np.ndarray:
        if column.null_count:
            if self.fill is None or name == WEIGHT_HEADING:
                row = int(np.asarray(column.is_null()).argmax())
                self.refuse(unit, row, name, "is empty; fill it in, or say what a gap means: missing='lowest'.")
            column = column.cast("float64").fill_null(self.fill)
        values = np.ascontiguousarray(_to_numpy(column))
        if self.fill is not None and name != WEIGHT_HEADING and values.dtype.kind == "f" and np.isnan(values).any():
            values = np.where(np.isnan(values), self.fill, values)
        return values if values.dtype in KINDS else values.astype(np.float64)

    def _weights(self, column: Any, unit: RowChunk) -> np.ndarray:
        values = self._numbers(column, WEIGHT_HEADING, unit)
        good = (values >= 1) & (values <= 2.0**53) & (values == np.floor(values))
        if not good.all():
            row = int(good.argmin())
            self.refuse(
                unit, row, WEIGHT_HEADING, f"is {values[row]:g}; a weight is a whole number of identical agents."
            )
        return values.astype(np.int64)


class FileSource(ChunkSource):
    """The row groups of Parquet files, or the batches of Arrow files, in the order of the given files."""

    def __init__(self, paths: list[str], options: ReadOptions) -> None:
        import_pyarrow(paths[0])
        self.paths, self.scale, self.fill, self.notes = paths, options.ends, options.fill, []
        self.pins = [_fingerprint_file(path) for path in paths]
        self.units, start = [], 0
        for part, path in enumerate(paths):
            reader = _get_reader(path, self.pins[part])
            self._agree(reader.schema, path, options)
            for group, rows in enumerate(reader.groups):
                if rows:
                    self.units.append(RowChunk(part, group, rows, start))
                    start += rows
        if not self.units:
            raise FileError(f"{redact_address(paths[0])} has no rows; expected one for each agent.")

    def _agree(self, schema: Any, path: str, options: ReadOptions) -> None:
        """Take the arms from the first file; raise `FileError` for another file whose columns differ."""
        notes: list[str] = []
        found, path = find_column_roles(schema, redact_address(path), options, notes), redact_address(path)
        if not hasattr(self, "arms"):
            self.notes = notes
            _, weighted, self.arms = found
            self.weighted, self.first = weighted is not None, path
        elif found[1:] != (WEIGHT_HEADING if self.weighted else None, self.arms):
            raise FileError(f"{path} has other columns than {self.first}; the parts of a table need the same ones.")

    def place(self, unit: RowChunk) -> str:
        return f"{redact_address(self.paths[unit.part])}, row group {unit.group}"

    def check(self) -> None:
        for path, pin in zip(self.paths, self.pins, strict=True):
            if _fingerprint_file(path) != pin:
                raise FileError(f"{redact_address(path)} has changed since it was opened; scan it again.")

    def _table(self, unit: RowChunk) -> Any:
        reader = _get_reader(self.paths[unit.part], self.pins[unit.part])
        return reader.read(unit.group, [*self.arms, *[WEIGHT_HEADING] * self.weighted])


class ArrowStreamSource(ChunkSource):
    """An Arrow stream from any data frame library, kept in memory."""

    def __init__(self, frame: Any, options: ReadOptions) -> None:
        pyarrow = import_pyarrow("a stream of columns")
        self.table, self.notes = _to_arrow_table(pyarrow, frame), []
        _, weighted, self.arms = find_column_roles(self.table.schema, "the frame", options, self.notes)
        self.weighted, self.scale, self.fill = weighted is not None, options.ends, options.fill
        count = self.table.num_rows
        if not count:
            raise InputError("the frame has no rows; expected one for each agent.")
        self.units = [
            RowChunk(0, i, min(DEFAULT_CHUNK_ROWS, count - s), s)
            for i, s in enumerate(range(0, count, DEFAULT_CHUNK_ROWS))
        ]

    def place(self, unit: RowChunk) -> str:
        return f"the frame, rows from {unit.start + 1}"

    def _table(self, unit: RowChunk) -> Any:
        return self.table.slice(unit.start, unit.rows).combine_chunks()


class InstanceSource(ChunkSource):
    """The means of an instance, as one chunk."""

    def __init__(self, means: np.ndarray, weights: np.ndarray | None, arms: list[str]) -> None:
        self.means, self.given, self.arms, self.scale, self.notes = means, weights, list(arms), (0.0, 1.0), []
        self.units = [RowChunk(0, 0, len(means), 0)]
        self.weighted = weights is not None

    def only(self, arms: Sequence[int]) -> InstanceSource:
        return InstanceSource(self.means[:, arms], self.given, [self.arms[k] for k in arms])

    def columns(self, unit: RowChunk) -> Columns:
        return Columns([np.ascontiguousarray(self.means[:, k]) for k in range(len(self.arms))], self.given)

    def place(self, unit: RowChunk) -> str:
        return "the instance"


def list_files(path: Any) -> list[str]:
    """List the parts of a table: a file, all parts in a folder by name, an address, or a list of these."""
    if isinstance(path, list | tuple):
        if not path:
            raise InputError("scan was given an empty list; name at least one file.")
        return [part for one in path for part in list_files(one)]
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"scan needs the path of a file or folder, a list of them, or a frame, not {path!r}.")
    if is_address(path):
        return list_address(str(path), CHUNKED_SUFFIXES)
    if path == "-":
        raise FileError("standard input can be read only once, and so not a part at a time; give a file.")
    if not Path(path).exists():
        raise FileError(f"there is no file {path}; check the spelling and the folder.")
    if not Path(path).is_dir():
        _reject_whole_file_format(path)
        return [str(path)]
    parts = sorted(str(part) for part in Path(path).rglob("*") if part.suffix.lower() in CHUNKED_SUFFIXES)
    if not parts:
        raise FileError(f"the folder {path} has no .parquet or .arrow files; write the parts of the table there.")
    return parts


def _reject_whole_file_format(path: Any) -> None:
    """Raise `FileError` for a file of a format that cannot be read in chunks."""
    suffix = Path(path).suffix.lower()
    if suffix not in CHUNKED_SUFFIXES and suffix[1:] in FORMATS:
        raise FileError(
            f"{path} is read as a whole; only Parquet and Arrow files are read a part at a time. Leave out --workers "
            "and --scheduler (in Python, use read), or write it as Parquet: iso.write(iso.read(path), 't.parquet')."
        )


def _to_arrow_table(pyarrow: Any, frame: Any) -> Any:
    """Convert a data frame to an Arrow table; raise `InputError` if that is not possible."""
    if hasattr(type(frame), "collect"):
        raise InputError(
            f"this {type(frame).__name__} is not computed yet; write it as Parquet and scan that, or collect it."
        )
    try:
        return pyarrow.table(frame)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"this {type(frame).__name__} gives no Arrow table: {str(error).splitlines()[0]}") from None


class _FileReader:
    """An open file: its `schema`, the row counts of its `groups`, and a method to read one."""

    def __init__(self, path: str) -> None:
        pyarrow = import_pyarrow(path)
        try:
            self._open(path)
        except (pyarrow.ArrowException, OSError) as error:
            raise FileError(f"{redact_address(path)} cannot be read as a table: {str(error).splitlines()[0]}") from None

    def _open(self, path: str) -> None:
        handle = _open_handle(path)
        if redact_address(path).lower().endswith(".arrow"):
            if handle.read(len(ARROW_MAGIC)) != ARROW_MAGIC:
                raise FileError(
                    f"{redact_address(path)} is an Arrow stream or no Arrow file at all; only Arrow's file "
                    "format is read a "
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
        """Read the columns `names` of a group."""
        if hasattr(self.file, "get_batch"):
            return import_module("pyarrow").Table.from_batches([self.file.get_batch(group)]).select(names)
        return self.file.read_row_group(group, columns=names, use_threads=False)


def _get_reader(path: str, pin: FileFingerprint) -> _FileReader:
    """Open the file at `path`, if it still matches its pin, for this thread: a reader is not thread-safe."""
    return _get_thread_reader(path, pin, threading.get_ident())


@lru_cache(maxsize=8)  # an open file keeps its last row group: 64 of them would fill most of a worker's memory
def _get_thread_reader(path: str, pin: FileFingerprint, thread: int) -> _FileReader:
    if _fingerprint_file(path) != pin:
        raise FileError(f"{redact_address(path)} has changed since it was opened; scan it again.")
    return _FileReader(path)


def _open_handle(path: str) -> Any:
    if is_address(path):
        return open_address(path)
    return import_module("pyarrow").OSFile(path)  # not memory-mapped: a truncated file would crash the process


def _fingerprint_file(path: str) -> FileFingerprint:
    try:
        with _open_handle(path) as file:
            size = file.size()
            file.seek(max(0, size - 10))
            ending = file.read(10)
            length = int.from_bytes(ending[2:6] if ending.endswith(b"PAR1") else ending[:4], "little")
            file.seek(max(0, size - 10 - min(length, size)))
            return FileFingerprint(size, hashlib.sha256(file.read()).hexdigest())
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error).splitlines()[0].rstrip(".")
        raise FileError(f"cannot read {redact_address(path)}: {reason}.") from None


def _to_numpy(column: Any) -> np.ndarray:
    """Convert a column without nulls to one array."""
    types = import_module("pyarrow.types")
    if types.is_boolean(column.type) or types.is_decimal(column.type) or types.is_float16(column.type):
        column = column.cast("float64")
    return read_buffer(column)
