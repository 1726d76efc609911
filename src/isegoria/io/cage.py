"""Reading a stranger's file in a process of its own, with limits: whatever it does there, nobody else waits for it.

A reader that hangs or asks for gigabytes cannot be stopped inside a thread. So it runs in a child, started anew for
each file (never forked from a server with threads), that has so much memory, so many seconds of processor and of wall
time, and no more; then it is killed, and the file is refused in one sentence.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Any

import numpy as np

from isegoria.errors import InputError, IsegoriaError
from isegoria.instance import Instance
from isegoria.io.declared import check_declared

SANE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
LAST = 5  # of 19: how far a child stands behind the server that started it
_KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR", "TEMP", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "PYTHONHOME")


class CageBusyError(IsegoriaError):
    """Too many files are being read already; try again in a moment."""


@dataclass(frozen=True)
class Limits:
    """What a child may use: megabytes beyond an empty reader, seconds of processor, seconds of wall time."""

    memory: int = 256
    cpu: int = 10
    wall: float = 15.0


class Cage:
    """A place for at most `most` files at a time; the next one waits `patience` seconds, and is then refused."""

    def __init__(self, limits: Limits | None = None, most: int = 2, patience: float = 15.0) -> None:
        self.limits = limits or Limits()
        self._places = BoundedSemaphore(most)
        self._patience = patience
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def read(self, name: str, data: bytes, options: Mapping[str, Any]) -> tuple[Instance, tuple[str, ...]]:
        """The instance in a file's bytes and the notes of its reader; `options` are the keywords of `read`."""
        check_declared(name, data)
        if self._closed or not self._places.acquire(timeout=self._patience):
            raise CageBusyError("many tables are being read just now; wait a moment and try again.")
        try:
            if self._closed:
                raise CageBusyError("many tables are being read just now; wait a moment and try again.")
            return _answer(name, self._run(name, data, options))
        finally:
            self._places.release()

    def close(self) -> None:
        """Stop what is being read, and read nothing more."""
        self._closed = True
        for child in list(self._running):
            child.kill()

    def _run(self, name: str, data: bytes, options: Mapping[str, Any]) -> bytes:
        asked = {"name": name, "options": dict(options), "memory": self.limits.memory, "cpu": self.limits.cpu}
        head = json.dumps(asked).encode()
        child = subprocess.Popen(
            [sys.executable, "-m", "isegoria.io.cage_worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={key: os.environ[key] for key in _KEPT if key in os.environ} | SANE,
        )  # fmt: skip
        self._running.add(child)
        _behind(child.pid)
        try:
            said, _ = child.communicate(len(head).to_bytes(4, "big") + head + data, timeout=self.limits.wall)
        except subprocess.TimeoutExpired:
            raise InputError(
                f"{name} could not be read in {self.limits.wall:g} seconds; save it as CSV and try again."
            ) from None
        finally:
            self._running.discard(child)
            if child.poll() is None:
                child.kill()
                child.communicate()
        return said


def _behind(pid: int) -> None:
    """Let everybody else go before a child, where the system knows such an order: its file is in no hurry."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, pid, LAST)


def _answer(name: str, said: bytes) -> tuple[Instance, tuple[str, ...]]:
    """What the child found; nothing said means that it was stopped by its limits."""
    head, newline, rest = said.partition(b"\n")
    if not newline:
        raise InputError(f"{name} needs more memory or time to read than a table may; save the table alone, as CSV.")
    found = json.loads(head)
    if "error" in found:
        raise InputError(found["error"])
    arrays, place = [], 0
    for dtype, shape in found["arrays"]:
        count = int(np.prod(shape, dtype=np.int64))
        arrays.append(np.frombuffer(rest, dtype, count, place).reshape(shape))
        place += count * np.dtype(dtype).itemsize
    weights, *means = arrays
    table: Any = means[0]
    if len(means) == 3:
        from scipy.sparse import csr_array

        table = csr_array(tuple(means), shape=(len(found["agents"]), len(found["arms"])))
    instance = Instance(table, found["agents"], found["arms"], weights, found["tie_tolerance"])
    return instance, tuple(found["notes"])
