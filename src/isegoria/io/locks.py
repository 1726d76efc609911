"""A file for one writer, on any system: flock where there is one, a locked byte on Windows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

WINDOWS = os.name == "nt"
FAR = 2**31 - 2
"""The byte that is locked on Windows: behind every end, since others cannot read what is locked there; its C library
refused 2^62 - 1 (tried under Wine, with Microsoft's library), and this place fits its 32-bit long."""


@contextmanager
def alone(descriptor: int) -> Iterator[bool]:
    """Whether the open file is this writer's alone until the block ends: a second one gets False at once.

    The lock is the system's, so it ends with the process that holds it, whatever ends that.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, alone(file.fileno()) as first:
    ...     again = os.open(file.name, os.O_RDWR)
    ...     with alone(again) as second:
    ...         first, second
    ...     os.close(again)
    (True, False)
    """
    take, give_back = (_take_byte, _give_byte_back) if WINDOWS else (_take_file, _give_file_back)
    try:
        take(descriptor)
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        give_back(descriptor)


def _take_file(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _give_file_back(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_UN)


def _take_byte(descriptor: int) -> None:
    _on_byte(descriptor, "LK_NBLCK")


def _give_byte_back(descriptor: int) -> None:
    _on_byte(descriptor, "LK_UNLCK")


def _on_byte(descriptor: int, action: str) -> None:
    """Lock or unlock the far byte; the place in the file is kept."""
    import msvcrt

    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, FAR, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, getattr(msvcrt, action), 1)  # type: ignore[attr-defined]
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)
