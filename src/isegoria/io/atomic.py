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


def write_private(path: Path, data: bytes, fresh: bool = False) -> None:
    """Write `data` to `path`, whole or not at all, readable by its owner only; `fresh`: nothing may be there yet."""
    try:
        with _replacing(path, 0o600, fresh) as file:
            file.write(data)
        _keep_name(path.parent)
    except FileExistsError:
        raise FileError(f"{path} exists already, and nothing was overwritten; choose another name.") from None
    except OSError as error:
        raise FileError(f"cannot write {path}: {(error.strerror or str(error)).lower()}.") from error


def _keep_name(folder: Path) -> None:
    """Put on disk that the folder has a new name in it, where the system can be asked to."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
def writing(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file for what is too large to hold at once; it takes the place of `path` when the block ends without an error.

    It has permissions `mode` from its first byte, as far as the user's mask leaves them; a device keeps its own.
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
        with target.open("wb") if target.exists() and not target.is_file() else _replacing(target, mode) as file:
            yield file
    except OSError as error:
        raise FileError(f"cannot write {Path(path)}: {(error.strerror or str(error)).lower()}.") from error


@contextmanager
def _replacing(target: Path, mode: int = 0o666, fresh: bool = False) -> Iterator[BinaryIO]:
    """A draft that becomes `target`, with permissions `mode` as far as the user's mask leaves them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if fresh:
            os.link(draft, target)
        else:
            os.replace(draft, target)
    finally:  # also when interrupted: leave no draft behind
        draft.unlink(missing_ok=True)
