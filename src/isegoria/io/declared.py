"""What a file says of its own size, before anything of it is unpacked: a small file can ask for gigabytes."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from math import prod
from pathlib import PurePath

from isegoria.errors import FileError

MOST_BYTES = 192 * 2**20
"""The most that a file may unpack to."""
MOST_CELLS = 2_000_000
"""The most cells that a sheet may span; a sheet of this size is larger than any group that rates by hand."""
_DIMENSION = re.compile(rb'<dimension[^>]*ref="(?:[A-Z]+[0-9]+:)?([A-Z]+)([0-9]+)"')
_CELL = re.compile(rb'<c[^>]*\br="([A-Z]{1,3})([0-9]{1,7})"')
_REPEATED = re.compile(rb'number-(columns|rows)-repeated="([0-9]{1,12})"')
_HEAD = 2**22
"""Of a part that is looked into, the first and the last so many bytes: what it spans is said at one of its ends."""


def check_declared(name: str, data: bytes) -> None:
    """Refuse a file that declares more than can be read in good time; a file that is no archive passes.

    >>> check_declared("ratings.csv", b"agent,tea\\nAnn,1\\n")
    """
    checks: dict[str, Callable[[str, bytes], None]] = {
        ".xlsx": _workbook, ".ods": _workbook, ".npz": _arrays, ".parquet": _parquet,
    }  # fmt: skip
    check = checks.get(PurePath(name).suffix.lower())
    if check is not None:
        check(name, data)


def _archive(name: str, data: bytes) -> zipfile.ZipFile | None:
    """The archive, if the sum of what its parts unpack to is bearable; None where it is none (its reader says so)."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return None
    size = sum(part.file_size for part in archive.infolist())
    if size > MOST_BYTES:
        raise FileError(
            f"{name} unpacks to {size / 2**20:,.0f} MB; at most {MOST_BYTES // 2**20} MB are read here. "
            "Save the one sheet you need, or use the command line."
        )
    return archive


def _workbook(name: str, data: bytes) -> None:
    archive = _archive(name, data)
    if archive is None:
        return
    for part in archive.namelist():
        if part.startswith("xl/worksheets/") or part == "content.xml":
            for text in _ends(archive, part):
                _check_sheet(name, text)


def _ends(archive: zipfile.ZipFile, part: str) -> list[bytes]:
    """The beginning of a part, and its end; nothing of one that cannot be unpacked (its reader says so)."""
    try:
        with archive.open(part) as stream:
            first = stream.read(_HEAD)
            last = first
            while more := stream.read(_HEAD):
                last = (last + more)[-_HEAD:]
            return [first, last]
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error):
        return []


def _check_sheet(name: str, text: bytes) -> None:
    """Refuse a sheet whose cells lie too far apart, or stand for too many."""
    found = _DIMENSION.search(text[:4096])
    corners = [found.groups()] if found else []
    corners += [cell for cell in _CELL.findall(text)]
    columns = max((_column(letters) for letters, _ in corners), default=0)
    rows = max((int(number) for _, number in corners), default=0)
    repeated = {
        kind: [int(times) for each, times in _REPEATED.findall(text) if each == kind] for kind in (b"columns", b"rows")
    }
    wide, tall = (max(repeated[kind], default=1) for kind in (b"columns", b"rows"))
    if columns * rows > MOST_CELLS or (wide > 1 and tall > 1 and wide * tall > MOST_CELLS * 10_000):
        raise FileError(
            f"{name} has a sheet that spans {max(columns, wide):,} columns and {max(rows, tall):,} rows; at most "
            f"{MOST_CELLS:,} cells are read here. Delete what lies far from the table, and save it again."
        )


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _arrays(name: str, data: bytes) -> None:
    import numpy as np

    archive = _archive(name, data)
    if archive is None:
        return
    for part in archive.namelist():
        try:
            with archive.open(part) as stream:
                version = np.lib.format.read_magic(stream)
                header = (
                    np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                )
                shape, _, dtype = header(stream)
        except Exception:  # whatever is wrong with it, its reader says so
            continue
        size = prod(shape) * dtype.itemsize
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
