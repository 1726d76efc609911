"""Open what may be read: files and pipes, which end; no devices, which may not."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import BinaryIO

from isegoria.errors import FileError


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open the file or pipe at `path` for reading.

    Raise `FileError` for a device; a terminal is allowed, because /dev/stdin may be one.
    """
    stream = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    mode = os.fstat(stream.fileno()).st_mode
    if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and not stream.isatty():
        stream.close()
        raise FileError(f"{path} is a device, not a file; give the path of a file, or - for standard input.")
    return stream


def read_standard_input() -> BinaryIO:
    """Read all of standard input into a stream that can be read again from its start."""
    if sys.stdin is None:
        raise FileError("standard input is closed; give a file, or pipe one in.")
    try:
        return io.BytesIO(sys.stdin.buffer.read())
    except OSError as error:
        raise FileError(f"cannot read standard input: {(error.strerror or str(error)).lower()}.") from error
