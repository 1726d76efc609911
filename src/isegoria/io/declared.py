"""What a file says of its own size, before anything of it is unpacked: a small file can ask for gigabytes."""

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

MOST_BYTES = 192 * 2**20
"""The most that a file may unpack to."""
MOST_CELLS = 2_000_000
"""The most cells that a sheet may span; a sheet of this size is larger than any group that rates by hand."""
_DIMENSION = re.compile(rb'<dimension[^>]*ref="(?:[A-Z]+[0-9]+:)?([A-Z]+)([0-9]+)"')
_CELL = re.compile(rb'<c[^>]*\br="([A-Z]{1,3})([0-9]{1,7})"')
_STEP = 2**20
_OVERLAP = 256  # bytes that two looks at a part share, so that no cell's place is cut in two
_DAMAGED = (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error)


def check_declared(name: str, data: bytes) -> None:
    """Refuse a file that declares more than can be read in good time; a file that is no archive passes.

    >>> check_declared("ratings.csv", b"agent,tea\\nAnn,1\\n")
    """
    checks: dict[str, Callable[[str, bytes], object]] = {
        ".xlsx": _archive, ".ods": _archive, ".npz": _arrays, ".parquet": _parquet,
    }  # fmt: skip
    check = checks.get(PurePath(name).suffix.lower())
    if check is not None:
        check(name, data)


def _archive(name: str, data: bytes) -> zipfile.ZipFile | None:
    """The archive, if the sum of what its parts unpack to is bearable; None where it is none (its reader says so)."""
    archive = _opened(data)
    size = 0 if archive is None else sum(part.file_size for part in archive.infolist())
    if size > MOST_BYTES:
        raise FileError(
            f"{name} unpacks to {size / 2**20:,.0f} MB; at most {MOST_BYTES // 2**20} MB are read here. "
            "Save the one sheet you need, or use the command line."
        )
    return archive


def _opened(data: bytes) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGED:
        return None


def check_workbook(name: str, data: bytes, most: int) -> None:
    """Refuse a workbook with a sheet that spans more than `most` cells, and a document that is not whole.

    It unpacks what it looks at, so it is for whoever reads the file: in a cage, the child.
    """
    archive = _opened(data)
    for part in [] if archive is None else archive.namelist():
        if not (part.startswith("xl/worksheets/") or part == "content.xml"):
            continue
        try:
            assert archive is not None
            with archive.open(part) as stream:
                columns, rows = _document(name, stream) if part == "content.xml" else _spanned(stream)
        except FileError:
            raise
        except _DAMAGED:
            continue  # its reader says so
        if columns * rows > most:
            raise FileError(
                f"{name} has a sheet that spans {columns:,} columns and {rows:,} rows; at most {most:,} cells are read "
                "here. Delete what lies far from the table, and save it again."
            )


def _spanned(stream: IO[bytes]) -> tuple[int, int]:
    """The columns and rows that a sheet of an .xlsx file reaches to, by what it says and by its cells."""
    columns = rows = 0
    for number, text in enumerate(_looks(stream)):
        said = _DIMENSION.search(text[:4096]) if number == 0 else None
        for letters, digits in [*([said.groups()] if said else []), *_CELL.findall(text)]:
            columns, rows = max(columns, _column(letters)), max(rows, int(digits))
    return columns, rows


def _looks(stream: IO[bytes]) -> Iterator[bytes]:
    kept = b""
    while part := stream.read(_STEP):
        yield kept + part
        kept = part[-_OVERLAP:]


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _document(name: str, stream: IO[bytes]) -> tuple[int, int]:
    """The columns and rows that the sheets of an .ods file reach to, repeats counted, as far as there is anything.

    A document that is not well-formed is refused here: from some of them calamine does not come back.
    """
    extent = _Extent()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = extent.begins, extent.ends
    parser.StartDoctypeDeclHandler = extent.refuses
    try:
        while part := stream.read(_STEP):
            parser.Parse(part, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError) as error:
        raise FileError(
            f"{name} is not a whole spreadsheet ({error}); open it in the program that made it and save it again, or "
            "save it as CSV (UTF-8)."
        ) from None
    return extent.columns, extent.rows


class _Extent:
    """How far the cells with something in them reach, in the sheets of a document."""

    def __init__(self) -> None:
        self.columns = self.rows = 0
        self._column = self._row = self._reached = 0
        self._repeated = self._times = 1
        self._filled = False

    def refuses(self, *said: object) -> None:
        """A document type may define words that grow without end."""
        raise ValueError("it has a document type, which no spreadsheet has")

    def begins(self, tag: str, marks: dict[str, str]) -> None:
        """Note where a row or a cell begins, and how often it is repeated."""
        if tag == "table:table":
            self._row = 0
        elif tag == "table:table-row":
            self._column = self._reached = 0
            self._times = _count(marks.get("table:number-rows-repeated"))
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self._repeated = _count(marks.get("table:number-columns-repeated"))
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


def _count(text: str | None) -> int:
    if text is None:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ValueError(f"{text[:20]!r} is no number of repeats")
    return int(text)


def _arrays(name: str, data: bytes) -> None:
    from isegoria.io.npz import declared

    archive = _archive(name, data)
    for part in [] if archive is None else archive.namelist():
        try:
            assert archive is not None
            with archive.open(part) as stream:
                size = declared(stream)
        except Exception:  # whatever is wrong with it, its reader says so
            continue
        if size > MOST_BYTES:
            raise FileError(
                f"{name}: '{part}' declares {size / 2**20:,.0f} MB; at most {MOST_BYTES // 2**20} MB are read here."
            )


def _parquet(name: str, data: bytes) -> None:
    try:
        import pyarrow.parquet as parquet

        found = parquet.ParquetFile(io.BytesIO(data)).metadata
        rows, columns = found.num_rows, found.num_columns
    except Exception:  # not installed, or damaged: its reader says so
        return
    if rows * columns > 12 * MOST_CELLS:
        raise FileError(
            f"{name} has {rows:,} rows of {columns:,} columns; at most {12 * MOST_CELLS:,} cells are read here."
        )
