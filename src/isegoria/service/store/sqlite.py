"""One file of SQLite: the store that a group starts with; those who write queue for it."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isegoria.errors import FileError
from isegoria.service.store import Store, StoreError
from isegoria.service.store.session import Session

PATIENCE = 5.0  # seconds that a writer waits for another process; a transaction takes about a millisecond
QUEUE = 10.0  # seconds that a writer waits for others of its own process


class SQLiteStore(Store):
    """A store in one file: write-ahead log, every transaction synced, writers one at a time.

    `BEGIN IMMEDIATE` takes the lock before anything is read, since a transaction that reads first and then writes is
    refused by SQLite, not queued. Threads of this process queue for a turn of their own, which is fair and does not
    sleep as SQLite's waiting does.
    """

    def __init__(self, address: str) -> None:
        self.path = Path(address.removeprefix("sqlite:///"))
        self._turn = WriterQueue()
        super().__init__(address)

    @contextmanager
    def writing(self, first: bool = False) -> Iterator[Session]:
        if not self._turn.acquire(QUEUE, first):
            raise StoreError(f"the store {self.path.name} is held by others; nothing was changed. Try again.")
        try:
            with super().writing() as session:
                yield session
        finally:
            self._turn.release()

    def _connect(self) -> sqlite3.Connection:
        self._made_private()
        connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        settings = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON")
        for setting in settings:
            connection.execute(f"PRAGMA {setting}")
        return connection

    def _made_private(self) -> None:
        """The file holds everybody's ratings: only its owner may read it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600, exist_ok=True)
        except OSError as error:
            if self._all:  # it was opened before: this process has no files left, or the disk is gone for now
                raise StoreError(f"the store {self.path.name} cannot be opened just now; try again.") from error
            raise FileError(f"cannot open the store {self.path}: {(error.strerror or str(error)).lower()}.") from error

    def _begin(self, connection: sqlite3.Connection, write: bool) -> None:
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def _execute(
        self, connection: sqlite3.Connection, statement: str, values: Sequence[Any]
    ) -> tuple[list[tuple[Any, ...]], int]:
        cursor = connection.execute(statement, values)
        return cursor.fetchall(), cursor.rowcount

    def _translate(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.DatabaseError):
            return StoreError(f"the store {self.path.name} did not take it ({error}); nothing was changed. Try again.")
        return error

    def scrub(self) -> None:
        """Empty the write-ahead log, in which erased rows would stay; free pages are overwritten (`secure_delete`).

        Who reads at this moment may keep the log; the next look at old groups empties it then.
        """
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            with contextlib.suppress(sqlite3.DatabaseError):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
