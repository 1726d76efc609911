"""One at a time, in the order of asking; whoever keeps a timetable goes before those who can wait."""

from __future__ import annotations

import threading
from collections import deque


class WriterQueue:
    """A lock that is handed on: first to those who asked to be `first`, then to the others, each in order.

    A plain lock goes to whoever happens to run when it is let go: of many threads, one may wait for ever.

    >>> turn = WriterQueue()
    >>> turn.acquire(timeout=1.0), turn.acquire(timeout=0.0)
    (True, False)
    >>> turn.release()
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._first: deque[threading.Lock] = deque()
        self._others: deque[threading.Lock] = deque()

    def acquire(self, timeout: float, first: bool = False) -> bool:
        """Whether it is this thread's turn, within so many seconds."""
        queue = self._first if first else self._others
        with self._guard:
            if not self._held:
                self._held = True
                return True
            mine = threading.Lock()
            mine.acquire()
            queue.append(mine)
        if mine.acquire(timeout=timeout):
            return True
        with self._guard:
            if mine in queue:
                queue.remove(mine)
                return False
        return True  # it was handed on in the very last moment

    def release(self) -> None:
        """Hand it on to the next, or leave it free."""
        with self._guard:
            waiting = self._first or self._others
            if waiting:
                waiting.popleft().release()
            else:
                self._held = False
