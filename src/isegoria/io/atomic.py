"""Writing so that nobody ever sees half a file: into a neighbour first, then renamed into place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from isegoria.errors import FileError


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write `text` as UTF-8 to `path`, whole or not at all; return the path."""
    return write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write `data` to `path`, whole or not at all; return the path.

    What was there stays until the new file is complete and on disk. A folder that is missing is made. A link is
    followed, and a device or pipe is written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder) / "new" / "a.txt", b"voice").read_bytes()
    b'voice'
    """
    with writing(path) as file:
        file.write(data)
    return Path(path)


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file for what is too large to hold at once; it takes the place of `path` when the block ends without an error.

    The block should do nothing but write: any error of the system in it is told as one of writing `path`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with writing(Path(folder) / "a.txt") as file:
    ...         written = [file.write(part) for part in (b"equal ", b"voice")]
    ...     (Path(folder) / "a.txt").read_bytes()
    b'equal voice'
    """
    try:
        target = Path(os.path.realpath(path))
        with target.open("wb") if target.exists() and not target.is_file() else _replacing(target) as file:
            yield file
    except OSError as error:
        raise FileError(f"cannot write {Path(path)}: {(error.strerror or str(error)).lower()}.") from error


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:  # also when interrupted: leave no draft behind
        draft.unlink(missing_ok=True)
        raise
