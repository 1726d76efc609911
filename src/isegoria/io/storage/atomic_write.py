"""Write files atomically: to a temporary file in the same folder first, which is then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from isegoria.errors import FileError
from isegoria.io.storage.file_lock import IS_WINDOWS


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write `text` as UTF-8 to `path` atomically; return the path."""
    return write_bytes(path, text.encode("utf-8"))


def write_private(path: Path, data: bytes, fresh: bool = False) -> None:
    """Write `data` to `path` atomically, readable by its owner only; with `fresh`, refuse to replace a file."""
    try:
        with _replace_on_success(path, 0o600, fresh) as file:
            file.write(data)
        _sync_directory(path.parent)
    except FileExistsError:
        raise FileError(f"{path} exists already, and nothing was overwritten; choose another name.") from None
    except OSError as error:
        raise FileError(f"cannot write {path}: {(error.strerror or str(error)).lower()}.") from error


def _sync_directory(folder: Path) -> None:
    """Flush the folder's new entry to disk, on systems that support it."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write `data` to `path` atomically; return the path.

    The old file remains until the new one is complete and on disk. A missing folder is created. A link is followed, and
    a device or pipe is written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder) / "new" / "a.txt", b"voice").read_bytes()
    b'voice'
    """
    with open_atomic(path) as file:
        file.write(data)
    return Path(path)


@contextmanager
def open_atomic(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yield a file for data too large to hold at once; it replaces `path` when the block ends without an error.

    The file has permissions `mode` from its first byte, as far as the user's mask allows; a device keeps its own. The
    block should only write: any `OSError` in it is reported as a failure to write `path`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_atomic(Path(folder) / "a.txt") as file:
    ...         written = [file.write(part) for part in (b"equal ", b"voice")]
    ...     (Path(folder) / "a.txt").read_bytes()
    b'equal voice'
    """
    try:
        target = Path(os.path.realpath(path))
        with (
            target.open("wb") if target.exists() and not target.is_file() else _replace_on_success(target, mode) as file
        ):
            yield file
    except OSError as error:
        raise FileError(f"cannot write {Path(path)}: {(error.strerror or str(error)).lower()}.") from error


@contextmanager
def _replace_on_success(target: Path, mode: int = 0o666, fresh: bool = False) -> Iterator[BinaryIO]:
    """Yield a temporary file that becomes `target`, with permissions `mode` as far as the user's mask allows."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if fresh:
            _link_new(draft, target, mode)
        else:
            os.replace(draft, target)
    finally:  # also when interrupted: leave no temporary file behind
        draft.unlink(missing_ok=True)


def _link_new(draft: Path, target: Path, mode: int) -> None:
    """Give the draft its final name; raise `FileExistsError` if that name exists already."""
    if IS_WINDOWS:
        os.rename(draft, target)  # fails on Windows if the name exists
        return
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except (
        OSError,
        AttributeError,
    ):  # no hard links, as on a memory stick or in a browser: create the file exclusively and write it
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(draft.read_bytes())
            file.flush()
            os.fsync(file.fileno())
