"""Writing so that nobody ever sees half a file: into a neighbour first, then renamed into place."""

from __future__ import annotations

import os
from pathlib import Path

from isegoria.errors import FileError


def write_text(path: str | os.PathLike, text: str) -> Path:
    """Write `text` as UTF-8 to `path`, whole or not at all; return the path."""
    return write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike, data: bytes) -> Path:
    """Write `data` to `path`, whole or not at all; return the path.

    What was there stays until the new file is complete and on disk. A folder that is missing is made. A link is
    followed, and a device or pipe is written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(Path(folder) / "new" / "a.txt", b"voice").read_bytes()
    b'voice'
    """
    path = Path(path)
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise FileError(f"cannot write {path}: {(error.strerror or str(error)).lower()}.") from error
    return path


def _replace(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:  # also when interrupted: leave no draft behind
        draft.unlink(missing_ok=True)
        raise
