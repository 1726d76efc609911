"""A file that only grows: one line, one write, one fsync; one writer at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from isegoria.errors import FileError

try:
    import fcntl
except ImportError:  # pragma: no cover  (Windows: there the lock is the writer's own care)
    fcntl = None  # type: ignore[assignment]


class GrowingFile:
    """An open record file: its whole lines, and a way to put one more behind them.

    A line that an interruption cut off was never finished, and nobody was told of it: it is not among `lines`, and the
    next append takes its place.
    """

    def __init__(self, path: Path, descriptor: int):
        self.path, self._descriptor = path, descriptor
        data = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        self.size = data.rfind(b"\n") + 1
        self.torn = len(data) - self.size
        self.lines = data[: self.size - 1].split(b"\n") if self.size else []

    def append(self, line: bytes) -> None:
        """Put `line` on disk with its newline, whole or not at all."""
        data = line + b"\n"
        try:
            if self.torn:
                os.ftruncate(self._descriptor, self.size)
                self.torn = 0
            os.lseek(self._descriptor, self.size, os.SEEK_SET)
            written = 0
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            self._take_back()
            raise FileError(f"cannot write {self.path}: {(error.strerror or str(error)).lower()}.") from error
        self.size += len(data)
        self.lines.append(line)

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._descriptor, self.size)
        except OSError:  # then the next writer finds the torn line and takes its place
            self.torn = 1


@contextmanager
def growing(path: Path) -> Iterator[GrowingFile]:
    """The file at `path`, for one writer: a second one is refused at once."""
    descriptor = _opened(path, os.O_RDWR)
    try:
        _lock(descriptor, path)
        yield GrowingFile(path, descriptor)
    finally:
        os.close(descriptor)


def whole_lines(path: Path) -> GrowingFile:
    """The file at `path` as it is now, for reading."""
    descriptor = _opened(path, os.O_RDONLY)
    try:
        return GrowingFile(path, descriptor)
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    finally:
        os.close(descriptor)


def _opened(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise FileError(f"cannot open {path}: {(error.strerror or str(error)).lower()}.") from error


def _lock(descriptor: int, path: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FileError(
            f"{path} is being written by someone else at this moment; try again when they are done."
        ) from None


def write_private(path: Path, data: bytes, fresh: bool = False) -> None:
    """Write `data` to `path`, whole or not at all, readable by its owner only; `fresh`: nothing may be there yet."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if fresh:
                os.link(draft, path)
            else:
                os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
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
