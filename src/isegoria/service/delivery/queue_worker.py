"""A thread that executes a queue of work in order."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import Any

from isegoria.errors import IsegoriaError

log = logging.getLogger("isegoria.service")


class QueueWorker:
    """One thread that executes a queue of work in order."""

    def __init__(self, name: str, work: Callable[..., None]) -> None:
        self._work = work
        self._waiting: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"isegoria-{name}")
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Length of the queue behind the present work."""
        return self._waiting.qsize()

    def hand(self, *what: Any) -> None:
        """Add work to the queue."""
        self._waiting.put(what)

    def stop(self, patience: float) -> bool:
        """Stop when the queue is empty, or after `patience` seconds at most; return whether the thread has ended."""
        self._waiting.put(None)
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (what := self._waiting.get()) is not None:
            try:
                self._work(*what)
            except IsegoriaError as error:  # the group, or the store, is gone
                log.warning("%s is not told of: %s", what[0], error)
            except Exception:  # a bug in this program: keep the thread alive for the rest of the queue
                log.exception("a fault in what goes out")
