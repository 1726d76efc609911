"""Lock a file for one writer on any system: `flock` where it exists, a locked byte on Windows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

IS_WINDOWS, IS_BROWSER = os.name == "nt", sys.platform == "emscripten"
LOCKED_BYTE_OFFSET = 2**31 - 2
"""The byte that is locked on Windows: behind every end, since others cannot read what is locked there; its C library
refused 2^62 - 1 (tried under Wine, with Microsoft's library), and this place fits its 32-bit long."""


@contextmanager
def try_lock(descriptor: int) -> Iterator[bool]:
    """Lock the open file for the block without waiting; yield whether the lock was obtained.

    The lock belongs to the operating system, so it ends with the process that holds it, however that process ends.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, try_lock(file.fileno()) as first:
    ...     again = os.open(file.name, os.O_RDWR)
    ...     with try_lock(again) as second:
    ...         first, second
    ...     os.close(again)
    (True, False)
    """
    if IS_BROWSER:  # a page has one process and no locks
        yield True
        return
    take, give_back = (_lock_byte, _unlock_byte) if IS_WINDOWS else (_lock_file, _unlock_file)
    try:
        take(descriptor)
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        give_back(descriptor)


def _lock_file(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _unlock_file(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock_byte(descriptor: int) -> None:
    _apply_byte_lock(descriptor, "LK_NBLCK")


def _unlock_byte(descriptor: int) -> None:
    _apply_byte_lock(descriptor, "LK_UNLCK")


def _apply_byte_lock(descriptor: int, action: str) -> None:
    """Lock or unlock the byte at `LOCKED_BYTE_OFFSET`, and restore the position in the file."""
    import msvcrt

    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, LOCKED_BYTE_OFFSET, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, getattr(msvcrt, action), 1)  # type: ignore[attr-defined]
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)
