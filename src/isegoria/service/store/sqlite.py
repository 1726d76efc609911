"""SQLite: the default store, one file; writers queue for it."""

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
from isegoria.service.store import Store, StoreError, store_log
from isegoria.service.store.transaction import Transaction

BUSY_TIMEOUT_SECONDS = 5.0  # seconds that a writer waits for another process; a transaction takes about a millisecond
WRITER_TIMEOUT_SECONDS = 10.0  # seconds that a writer waits for others of its own process


class SQLiteStore(Store):
    """A store in one file: write-ahead log, every transaction synced, one writer at a time.

    `BEGIN IMMEDIATE` takes the lock before anything is read, since SQLite rejects a transaction that reads first and
    then writes instead of queueing it. Threads of this process use a `PriorityLock`, which is fair and does not sleep
    as
    SQLite's busy wait does.
    """

    def __init__(self, address: str, secret_file: str | Path | None = None) -> None:
        self.path = Path(address.removeprefix("sqlite:///"))
        self._turn = PriorityLock()
        super().__init__(address, secret_file)

    @property
    def default_secret_path(self) -> Path:
        return self.path.with_name(f"{self.path.name}.key")

    @contextmanager
    def writing(self, first: bool = False) -> Iterator[Transaction]:
        with self.waiting(WRITER_TIMEOUT_SECONDS) as seconds:
            acquired = self._turn.acquire(seconds, first)
        if not acquired:
            raise StoreError("the store is held by others; nothing was changed. Try again.")
        try:
            with super().writing() as session:
                yield session
        finally:
            self._turn.release()

    def _connect(self) -> sqlite3.Connection:
        self._made_private()
        connection = sqlite3.connect(
            self.path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
        settings = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON")
        for setting in settings:
            connection.execute(f"PRAGMA {setting}")
        return connection

    def _made_private(self) -> None:
        """Create the file with access for its owner only, since it contains everybody's ratings."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600, exist_ok=True)
        except OSError as error:
            if self._all:  # it was opened before: no file descriptors are left, or the disk is temporarily unavailable
                raise StoreError("the store cannot be opened just now; try again.") from error
            raise FileError(f"cannot open the store {self.path}: {(error.strerror or str(error)).lower()}.") from error

    def _prepare_migration(self, version: int, target: int) -> None:
        """Copy the store beside itself, as FILE.version-N; a copy of that version from before is replaced."""
        copy = self.path.with_name(f"{self.path.name}.version-{version}")
        draft = copy.with_name(f"{copy.name}.part")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        with contextlib.closing(sqlite3.connect(self.path)) as origin, contextlib.closing(sqlite3.connect(draft)) as to:
            origin.backup(to)
        draft.replace(copy)
        store_log.warning("the store goes from version %d to %d; as it was it is kept as %s", version, target, copy)

    def _begin(self, connection: sqlite3.Connection, write: bool) -> None:
        if not write:
            connection.execute("BEGIN")
            return
        with self.waiting(BUSY_TIMEOUT_SECONDS) as seconds:
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
            connection.execute("BEGIN IMMEDIATE")

    def _execute(
        self, connection: sqlite3.Connection, statement: str, values: Sequence[Any]
    ) -> tuple[list[tuple[Any, ...]], int]:
        cursor = connection.execute(statement, values)
        return cursor.fetchall(), cursor.rowcount

    def _translate(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.DatabaseError):
            return StoreError(f"the store did not take it ({error}); nothing was changed. Try again.")
        return error

    def scrub(self) -> None:
        """Truncate the write-ahead log, which may contain erased rows; free pages are overwritten (`secure_delete`).

        A concurrent reader may prevent this; the next sweep for expired groups tries again.
        """
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            with contextlib.suppress(sqlite3.DatabaseError):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class PriorityLock:
    """A fair lock: released first to the waiting threads that asked to be `first`, then to the others, each in order.

    With a plain lock, one of many threads may wait forever.

    >>> turn = PriorityLock()
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
        """Wait at most `timeout` seconds for the lock and return whether this thread has it."""
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
        return True  # the lock was passed to this thread just after the timeout

    def release(self) -> None:
        """Release the lock to the next waiting thread, if any."""
        with self._guard:
            waiting = self._first or self._others
            if waiting:
                waiting.popleft().release()
            else:
                self._held = False
