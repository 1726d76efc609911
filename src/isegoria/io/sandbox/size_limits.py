"""Check the size that a file declares before unpacking it: a small file can ask for gigabytes."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import IO
from xml.parsers import expat

from isegoria.errors import FileError

MAX_UNPACKED_BYTES = 192 * 2**20
"""The most that a file may unpack to."""
MAX_DECLARED_CELLS = 2_000_000
"""The most cells that a sheet may span; a sheet of this size is larger than any group that rates by hand."""
_DIMENSION = re.compile(rb'<dimension[^>]*ref="(?:[A-Z]+[0-9]+:)?([A-Z]+)([0-9]+)"')
_CELL = re.compile(rb'<c[^>]*\br="([A-Z]{1,3})([0-9]{1,7})"')
_READ_BYTES = 2**20
_OVERLAP_BYTES = 256  # bytes shared by two successive reads, so that no cell reference is split
_ARCHIVE_ERRORS = (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error)


def validate_declared_size(name: str, data: bytes) -> None:
    """Raise `FileError` for a file that declares too much to be read in good time; other formats pass.

    >>> validate_declared_size("ratings.csv", b"agent,tea\\nAnn,1\\n")
    """
    checks: dict[str, Callable[[str, bytes], object]] = {
        ".xlsx": _validate_archive,
        ".ods": _validate_archive,
        ".npz": _validate_npz,
        ".parquet": _validate_parquet,
    }
    check = checks.get(PurePath(name).suffix.lower())
    if check is not None:
        check(name, data)


def _validate_archive(name: str, data: bytes) -> zipfile.ZipFile | None:
    """Return the archive, or None if it is not a zip file; raise `FileError` if its parts unpack to too many bytes."""
    archive = _open_archive(data)
    size = 0 if archive is None else sum(part.file_size for part in archive.infolist())
    if size > MAX_UNPACKED_BYTES:
        raise FileError(
            f"{name} unpacks to {size / 2**20:,.0f} MB; at most {MAX_UNPACKED_BYTES // 2**20} MB are read here. "
            "Save the one sheet you need, or use the command line."
        )
    return archive


def _open_archive(data: bytes) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except _ARCHIVE_ERRORS:
        return None


def validate_workbook_size(name: str, data: bytes, most: int) -> None:
    """Raise `FileError` for a workbook with a sheet that spans more than `most` cells, or for a malformed document.

    This unpacks what it checks, so it must run in the process that reads the file: with a sandbox, in the child.
    """
    archive = _open_archive(data)
    for part in [] if archive is None else archive.namelist():
        if not (part.startswith("xl/worksheets/") or part == "content.xml"):
            continue
        try:
            assert archive is not None
            with archive.open(part) as stream:
                columns, rows = _measure_ods(name, stream) if part == "content.xml" else _measure_xlsx_sheet(stream)
        except FileError:
            raise
        except _ARCHIVE_ERRORS:
            continue  # the reader reports it
        if columns * rows > most:
            raise FileError(
                f"{name} has a sheet that spans {columns:,} columns and {rows:,} rows; at most {most:,} cells are read "
                "here. Delete what lies far from the table, and save it again."
            )


def _measure_xlsx_sheet(stream: IO[bytes]) -> tuple[int, int]:
    """Return the columns and rows that a sheet of an .xlsx file spans, by its declaration and by its cells."""
    columns = rows = 0
    for number, text in enumerate(_iter_windows(stream)):
        said = _DIMENSION.search(text[:4096]) if number == 0 else None
        for letters, digits in [*([said.groups()] if said else []), *_CELL.findall(text)]:
            columns, rows = max(columns, _parse_column(letters)), max(rows, int(digits))
    return columns, rows


def _iter_windows(stream: IO[bytes]) -> Iterator[bytes]:
    kept = b""
    while part := stream.read(_READ_BYTES):
        yield kept + part
        kept = part[-_OVERLAP_BYTES:]


def _parse_column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _measure_ods(name: str, stream: IO[bytes]) -> tuple[int, int]:
    """Return the columns and rows that the sheets of an .ods file span: repeats count, trailing empty cells do not.

    Raise `FileError` if the document is not well-formed: calamine never returns from some of those.
    """
    extent = _OdsExtent()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = extent.begins, extent.ends
    parser.StartDoctypeDeclHandler = extent.refuses
    try:
        while part := stream.read(_READ_BYTES):
            parser.Parse(part, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError) as error:
        raise FileError(
            f"{name} is not a whole spreadsheet ({error}); open it in the program that made it and save it again, or "
            "save it as CSV (UTF-8)."
        ) from None
    return extent.columns, extent.rows


class _OdsExtent:
    """Tracks how far the cells that hold something reach in the sheets of a document."""

    def __init__(self) -> None:
        self.columns = self.rows = 0
        self._column = self._row = self._reached = 0
        self._repeated = self._times = 1
        self._filled = False

    def refuses(self, *said: object) -> None:
        """Raise `ValueError` for a document type, because it can define entities that expand without limit."""
        raise ValueError("it has a document type, which no spreadsheet has")

    def begins(self, tag: str, marks: dict[str, str]) -> None:
        """Record where a row or a cell begins, and how often it is repeated."""
        if tag == "table:table":
            self._row = 0
        elif tag == "table:table-row":
            self._column = self._reached = 0
            self._times = _parse_repeat(marks.get("table:number-rows-repeated"))
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self._repeated = _parse_repeat(marks.get("table:number-columns-repeated"))
            self._filled = any(mark.startswith("office:") or mark == "table:formula" for mark in marks)
        elif tag == "text:p":
            self._filled = True

    def ends(self, tag: str) -> None:
        """Count a cell or a row with its repeats."""
        if tag in ("table:table-cell", "table:covered-table-cell"):
            self._column += self._repeated
            if self._filled:
                self._reached = self._column
        elif tag == "table:table-row":
            self._row += self._times
            if self._reached:
                self.columns, self.rows = max(self.columns, self._reached), max(self.rows, self._row)


def _parse_repeat(text: str | None) -> int:
    if text is None:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ValueError(f"{text[:20]!r} is no number of repeats")
    return int(text)


def _validate_npz(name: str, data: bytes) -> None:
    from isegoria.io.readers.npz import read_declared_bytes

    archive = _validate_archive(name, data)
    for part in [] if archive is None else archive.namelist():
        try:
            assert archive is not None
            with archive.open(part) as stream:
                size = read_declared_bytes(stream)
        except Exception:  # the reader reports what is wrong
            continue
        if size > MAX_UNPACKED_BYTES:
            raise FileError(
                f"{name}: '{part}' declares {size / 2**20:,.0f} MB; at most {MAX_UNPACKED_BYTES // 2**20} MB "
                "are read here."
            )


def _validate_parquet(name: str, data: bytes) -> None:
    try:
        import pyarrow.parquet as parquet

        found = parquet.ParquetFile(io.BytesIO(data)).metadata
        rows, columns = found.num_rows, found.num_columns
    except Exception:  # not installed, or damaged: the reader reports it
        return
    if rows * columns > 12 * MAX_DECLARED_CELLS:
        raise FileError(
            f"{name} has {rows:,} rows of {columns:,} columns; at most {12 * MAX_DECLARED_CELLS:,} cells are read here."
        )
