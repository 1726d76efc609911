"""The sandbox: reads an untrusted file in a separate process with limits.

A reader that hangs or asks for gigabytes cannot be stopped inside a thread. So it runs in a child process, started
fresh for each file (never forked from a server with threads). The child has limits on memory, processor time and wall
time. If it exceeds one it is stopped, and the file is refused in one sentence.
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
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
from isegoria.io.sandbox.size_limits import validate_declared_size
from isegoria.profiles import Instance

CHILD_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
CHILD_NICENESS = 5  # nice value of a child, of at most 19: it yields to the server that started it
_INHERITED_VARIABLES = (
    "PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TMPDIR",
    "TEMP",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "PYTHONHOME",
)


class SandboxBusyError(IsegoriaError):
    """Too many files are being read already; try again in a moment."""


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of a child: megabytes beyond an empty reader, seconds of processor time, seconds of wall time."""

    memory: int = 256
    cpu: int = 10
    wall: float = 15.0


class Sandbox:
    """A sandbox for at most `most` files at a time; another one waits up to `patience` seconds, then is refused."""

    def __init__(self, limits: SandboxLimits | None = None, most: int = 2, patience: float = 15.0) -> None:
        self.limits = limits or SandboxLimits()
        self._places = BoundedSemaphore(most)
        self._patience = patience
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def read(self, name: str, data: bytes, options: Mapping[str, Any]) -> tuple[Instance, tuple[str, ...]]:
        """Read a file's bytes; return the instance and the reader's notes. `options` are the keywords of `read`."""
        validate_declared_size(name, data)
        if self._closed or not self._places.acquire(timeout=self._patience):
            raise SandboxBusyError("many tables are being read just now; wait a moment and try again.")
        try:
            if self._closed:
                raise SandboxBusyError("many tables are being read just now; wait a moment and try again.")
            return _parse_reply(name, self._run(name, data, options))
        finally:
            self._places.release()

    def close(self) -> None:
        """Kill the running children and accept no more files."""
        self._closed = True
        for child in list(self._running):
            child.kill()

    def _run(self, name: str, data: bytes, options: Mapping[str, Any]) -> bytes:
        asked = {"name": name, "options": dict(options), "memory": self.limits.memory, "cpu": self.limits.cpu}
        head = json.dumps(asked).encode()
        child = subprocess.Popen(
            [sys.executable, "-m", "isegoria.io.sandbox.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={key: os.environ[key] for key in _INHERITED_VARIABLES if key in os.environ} | CHILD_ENVIRONMENT,
        )
        self._running.add(child)
        _lower_priority(child.pid)
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


def _lower_priority(pid: int) -> None:
    """Lower the child's scheduling priority, on systems that support it: its file is not urgent."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, pid, CHILD_NICENESS)


def _parse_reply(name: str, said: bytes) -> tuple[Instance, tuple[str, ...]]:
    """Parse the child's output; raise `InputError` if it reports an error, or is empty because a limit stopped it."""
    head, newline, rest = said.partition(b"\n")
    if not newline:
        raise InputError(f"{name} needs more memory or time to read than a table may; save the table alone, as CSV.")
    found = json.loads(head)
    if "error" in found:
        suggestions = [
            OptionSuggestion(tuple((name, value) for name, value in options))
            for options in found.get("suggestions", ())
        ]
        raise InputError(AdvisedMessage.from_parts(found["error"], found.get("brief", found["error"]), suggestions))
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
