"""Where groups are kept: transactions that are whole or not at all, whatever the database.

A new store is one file beside this one, and one line in `STORES`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError
from isegoria.registry import Table
from isegoria.service.store.migrations import pending
from isegoria.service.store.rows import (
    AnswerRow,
    Contact,
    Event,
    GroupRow,
    HeldRow,
    Letter,
    PersonRow,
    SessionRow,
    Snapshot,
    StoreError,
    TokenRow,
)
from isegoria.service.store.session import Session


class Store:
    """A database of groups. A subclass opens connections and says how its transactions begin.

    It writes `_connect()`, `_begin(connection, write)`, `_execute(connection, statement, values)` and
    `_translate(error)`; `lock` is what a SELECT ends with to hold a row.
    Each thread has a connection of its own, so that a store may be used from a pool of threads.
    """

    lock = ""

    def __init__(self, address: str) -> None:
        self.address = address
        self._local = threading.local()
        self._all: list[Any] = []
        self._guard = threading.Lock()
        try:
            self.migrate()
        except StoreError as error:
            reason = str(error.__cause__).strip().partition("\n")[0]
            raise StoreError(f"cannot open the store {self.shown}: {reason}; look at --store.") from error

    @property
    def shown(self) -> str:
        """The address as it may be shown: without a password."""
        return re.sub(r"//([^/:@]*):[^@]*@", r"//\1@", self.address)

    # -- what a subclass writes ----------------------------------------------------------------------------------------

    def _connect(self) -> Any:
        raise NotImplementedError

    def _begin(self, connection: Any, write: bool) -> None:
        raise NotImplementedError

    def _execute(self, connection: Any, statement: str, values: Sequence[Any]) -> tuple[list[tuple[Any, ...]], int]:
        raise NotImplementedError

    def _translate(self, error: Exception) -> Exception:
        raise NotImplementedError

    def scrub(self) -> None:
        """See to it that what was erased is gone from the disk too, as far as this database lets anybody."""

    def _alone(self, connection: Any) -> None:
        """Wait until no other process migrates; the transaction's end lets the next one in."""

    # -- transactions --------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A consistent view of the store; nothing in it may write. Inside another transaction of this thread it is
        that one.
        """
        under_way = getattr(self._local, "session", None)
        if under_way is not None:
            yield under_way
            return
        with self._transaction(write=False) as session:
            yield session

    @contextmanager
    def writing(self, first: bool = False) -> Iterator[Session]:
        """A transaction: all of it is on disk when the block has ended, or none of it ever happened.

        Where writers queue, those who must be in time go `first`.
        """
        with self._transaction(write=True) as session:
            yield session

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[Session]:
        try:
            connection = self._opened(write)
            try:
                self._local.session = Session(
                    lambda statement, values: self._execute(connection, statement, values), self.lock
                )
                yield self._local.session
                self._execute(connection, "COMMIT", ())
            except BaseException:  # whatever it was, it is raised on once nothing of it is left in the database
                self._undo(connection)
                raise
            finally:
                self._local.session = None
        except Exception as error:  # a driver has errors of its own; what is none of them is raised as it is
            told = self._translate(error)
            if told is error:
                raise
            raise told from error

    def _opened(self, write: bool) -> Any:
        """This thread's connection with a transaction begun; one that has gone stale is opened again once."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            try:
                self._begin(connection, write)
                return connection
            except Exception as error:  # of the driver: only a lost connection is tried anew
                if not self._lost(connection, error):
                    raise
                self._drop(connection)
        connection = self._connect()
        with self._guard:
            self._all.append(connection)
        self._local.connection = connection
        self._begin(connection, write)
        return connection

    def _lost(self, connection: Any, error: Exception) -> bool:
        """Whether the connection itself is gone, so that a new one may help."""
        return False

    def _undo(self, connection: Any) -> None:
        try:
            self._execute(connection, "ROLLBACK", ())
        except Exception:  # the transaction dies with its connection; what led here is raised by whoever called
            self._drop(connection)

    def _drop(self, connection: Any) -> None:
        self._local.connection = None
        with self._guard:
            if connection in self._all:
                self._all.remove(connection)
        connection.close()

    def close(self) -> None:
        """Close every connection; the store is not used afterwards."""
        with self._guard:
            for connection in self._all:
                connection.close()
            self._all.clear()
        self._local = threading.local()

    # -- migrations ----------------------------------------------------------------------------------------------------

    def migrate(self) -> int:
        """Bring the tables to this program's version, one process at a time; the version they have now."""
        with self._transaction(write=True) as session:
            self._alone(self._local.connection)
            session._run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)", ())
            version = max((row[0] for row in session._run("SELECT version FROM schema_version", ())[0]), default=0)
            for step in pending(version):
                for statement in step.statements:
                    session._run(statement, ())
                session._run("INSERT INTO schema_version (version) VALUES (?)", (step.number,))
                version = step.number
        return version


STORES: Table[type[Store]] = Table(
    "store",
    {
        "sqlite": "isegoria.service.store.sqlite:SQLiteStore",
        "postgresql": "isegoria.service.store.postgres:PostgresStore",
        "postgres": "isegoria.service.store.postgres:PostgresStore",
    },
)


def open_store(address: str, must_exist: bool = False) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://…`, its tables made or brought up to date.

    With `must_exist`, a file that is not there is refused instead of made.

    >>> open_store("mysql://localhost/lunch")
    Traceback (most recent call last):
    isegoria.errors.UnknownNameError: store 'mysql' is not known; did you mean 'sqlite'? ...
    >>> open_store("lunch.db")
    Traceback (most recent call last):
    isegoria.errors.InputError: the store 'lunch.db' is no address; for a file write sqlite:///lunch.db.
    """
    scheme, colon, _ = address.partition(":")
    if not colon:
        raise InputError(f"the store {address!r} is no address; for a file write sqlite:///{address}.")
    kind = STORES[scheme]
    if must_exist and scheme == "sqlite" and not Path(address.removeprefix("sqlite:///")).exists():
        raise FileError(f"cannot open the store {address}: there is no such file.")
    return kind(address)


__all__ = [
    "STORES", "AnswerRow", "Contact", "Event", "GroupRow", "HeldRow", "Letter", "PersonRow", "Session", "SessionRow",
    "Snapshot", "Store", "StoreError", "TokenRow", "open_store",
]  # fmt: skip
