"""Stores of groups: atomic transactions, whatever the database.

To add a store, add one file beside this one and one line in `STORE_CLASSES`.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError
from isegoria.service.store.migrations import list_pending
from isegoria.service.store.server_key import ServerKey, load_server_key
from isegoria.service.store.table_rows import (
    CommitmentRow,
    ContactRow,
    EventRow,
    GroupRow,
    LearnerSnapshotRow,
    OutboxRow,
    PersonRow,
    ResponseRow,
    SecurityEventRow,
    SessionRow,
    StoreError,
    TokenRow,
)
from isegoria.service.store.transaction import Transaction
from isegoria.utils.registry import Registry

SECRET_FILE_VARIABLE = "ISEGORIA_SECRET_FILE"
"""The environment variable that names the file of the server key."""
SEALED_SINCE_VERSION = 11
"""The version of the tables since which secrets are sealed under the server key."""
store_log = logging.getLogger("isegoria.store")


class Store:
    """A database of groups. A subclass opens connections and defines how transactions begin.

    It implements `_connect()`, `_begin(connection, write)`, `_execute(connection, statement, values)` and
    `_translate(error)`; `lock` is the suffix of a SELECT that locks a row. Each thread has its own connection, so a
    store may be used from a pool of threads.
    """

    lock = ""

    def __init__(self, address: str, secret_file: str | Path | None = None) -> None:
        self.address = address
        secret_file = secret_file or os.environ.get(SECRET_FILE_VARIABLE)
        self.secret_path = Path(secret_file) if secret_file else self.default_secret_path
        self.key: ServerKey | None = None
        self._local = threading.local()
        self._all: list[Any] = []
        self._guard = threading.Lock()
        self._is_open = False
        try:
            self.migrate()
            self._is_open = True
        except StoreError as error:
            reason = str(error.__cause__).strip().partition("\n")[0]
            raise StoreError(f"cannot open the store {self.shown}: {reason}; look at --store.") from error

    @property
    def default_secret_path(self) -> Path:
        """Where the server key is if nobody says so: beside the store."""
        return Path("isegoria.key")

    def require_key(self) -> ServerKey:
        """Return the server key, which every open store has."""
        assert self.key is not None, "a store that is open has its key"
        return self.key

    @property
    def shown(self) -> str:
        """The address without its password, safe to print."""
        return re.sub(r"//([^/:@]*):[^@]*@", r"//\1@", self.address)

    # -- what a subclass implements ------------------------------------------------------------------------------------

    def _connect(self) -> Any:
        raise NotImplementedError

    def _begin(self, connection: Any, write: bool) -> None:
        raise NotImplementedError

    def _execute(self, connection: Any, statement: str, values: Sequence[Any]) -> tuple[list[tuple[Any, ...]], int]:
        raise NotImplementedError

    def _translate(self, error: Exception) -> Exception:
        raise NotImplementedError

    def scrub(self) -> None:
        """Remove erased data from the disk too, as far as the database allows."""

    def _alone(self, connection: Any) -> None:
        """Wait until no other process migrates; the end of the transaction releases the lock."""

    def _prepare_migration(self, version: int, target: int) -> None:
        """Keep the store as it is, or say how; called with the write lock held, before anything is changed."""

    # -- transactions --------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a read transaction with a consistent view of the store; the block must not write.

        Inside another transaction of the same thread, return that one.
        """
        under_way = getattr(self._local, "session", None)
        if under_way is not None:
            yield under_way
            return
        with self._transaction(write=False) as session:
            yield session

    @contextmanager
    def writing(self, first: bool = False) -> Iterator[Transaction]:
        """Open a write transaction: commit at the end of the block, roll back on an exception.

        With `first`, go ahead of other waiting writers, if the store queues them.
        """
        with self._transaction(write=True) as session:
            yield session

    def run_within(self, patience: float, asked: float, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run `work` on this thread; since `asked`, it waits at most `patience` seconds for thread and store together.

        What `work` computes meanwhile does not count.
        """
        self._local.patience = max(0.0, patience - (time.monotonic() - asked))
        try:
            return work(*arguments)
        finally:
            self._local.patience = None

    @contextmanager
    def waiting(self, most: float) -> Iterator[float]:
        """Yield the seconds that this thread may still wait, at most `most`, and count those that the block takes."""
        left, start = getattr(self._local, "patience", None), time.monotonic()
        try:
            yield most if left is None else min(most, left)
        finally:
            if left is not None:
                self._local.patience = max(0.0, left - (time.monotonic() - start))

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[Transaction]:
        try:
            connection = self._begin_on_connection(write)
            try:
                self._local.session = Transaction(
                    lambda statement, values: self._execute(connection, statement, values), self.lock, self.key
                )
                yield self._local.session
                self._execute(connection, "COMMIT", ())
            except BaseException:  # roll back for any exception, then raise it again
                self._undo(connection)
                raise
            finally:
                self._local.session = None
        except Exception as error:  # translate the driver's errors; raise all others unchanged
            told = self._translate(error)
            if told is error:
                raise
            if self._is_open:  # else whoever opens it says why it cannot be opened
                store_log.warning("the store failed: %s", str(error).strip().partition("\n")[0] or type(error).__name__)
            raise told from error

    def _begin_on_connection(self, write: bool) -> Any:
        """Begin a transaction on this thread's connection and return it; reconnect once if the connection was lost."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            try:
                self._begin(connection, write)
                return connection
            except Exception as error:  # an error of the driver: reconnect only if the connection was lost
                if not self._has_lost_connection(connection, error):
                    raise
                self._drop(connection)
        connection = self._connect()
        with self._guard:
            self._all.append(connection)
        self._local.connection = connection
        self._begin(connection, write)
        return connection

    def _has_lost_connection(self, connection: Any, error: Exception) -> bool:
        """Return whether the connection itself is lost, so that a new one may help."""
        return False

    def _undo(self, connection: Any) -> None:
        try:
            self._execute(connection, "ROLLBACK", ())
        except Exception:  # closing the connection ends the transaction; the caller raises the original error
            self._drop(connection)

    def _drop(self, connection: Any) -> None:
        self._local.connection = None
        with self._guard:
            if connection in self._all:
                self._all.remove(connection)
        connection.close()

    def close(self) -> None:
        """Close every connection; the store must not be used afterwards."""
        with self._guard:
            for connection in self._all:
                connection.close()
            self._all.clear()
        self._local = threading.local()

    # -- migrations ----------------------------------------------------------------------------------------------------

    def migrate(self) -> int:
        """Migrate the tables to this program's version, one process at a time, and return the version."""
        with self._transaction(write=True) as session:
            self._alone(self._local.connection)
            session._run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)", ())
            version = max((row[0] for row in session._run("SELECT version FROM schema_version", ())[0]), default=0)
            before, pending = version, list_pending(version)
            if version and pending:
                self._prepare_migration(version, pending[-1].number)
            for step in pending:
                for statement in step.statements:
                    session._run(statement, ())
                session._run("INSERT INTO schema_version (version) VALUES (?)", (step.number,))
                version = step.number
            self._load_key(session, before)
        return version

    def _load_key(self, session: Transaction, before: int) -> None:
        """Load the server key, or create it with a store that has none; raise `InputError` if it is another one.

        `before` is the version of the store before its migration: secrets of an old one are sealed now.
        """
        known = session.server_key_id() if session.groups() else None
        key = load_server_key(self.secret_path, create=known is None)
        if key is None or known not in (None, key.id):
            raise InputError(
                f"the store {self.shown} was written with another server key than {self.secret_path}"
                f"{' (no such file)' if key is None else ''}; give the file of its key with --secret-file."
            )
        if session.server_key_id() != key.id:
            session.set_server_key_id(key.id)
        if 0 < before < SEALED_SINCE_VERSION:
            seal_old_rows(session, Transaction(session._run, self.lock, key))
        self.key = key


STORE_CLASSES: Registry[type[Store]] = Registry(
    "store",
    {
        "sqlite": "isegoria.service.store.sqlite:SQLiteStore",
        "postgresql": "isegoria.service.store.postgres:PostgresStore",
        "postgres": "isegoria.service.store.postgres:PostgresStore",
    },
)


def seal_old_rows(plain: Transaction, sealed: Transaction) -> None:
    """Encrypt the secrets of a store that is older than the server key; stored responses and snapshots are dropped."""
    plain._run("DELETE FROM answers", ())
    plain._run("DELETE FROM kept", ())
    for name in plain.groups():
        group = plain.group(name)
        assert group is not None
        plain._run("UPDATE groups SET vault = ? WHERE id = ?", (sealed._seal(group.vault, "vault", name), name))
        for person in plain.people(name):
            sealed.keep_person(name, person)
        for token in plain.tokens(name):
            plain.end_token(token.hash)
            sealed.add_tokens([token])
        for contact in plain.contacts(name):
            sealed.keep_contact(name, contact)
        for event in plain.events(name):
            if (body := sealed._seal_body(name, event.key, event.kind, event.body)) != event.body:
                plain.rewrite(name, event.key, body)
        sealed.keep_snapshot(name, plain.snapshot(name))


def open_store(address: str, must_exist: bool = False, secret_file: str | Path | None = None) -> Store:
    """Open the store at `sqlite:///FILE` or `postgresql://…`; its tables are created or migrated.

    With `must_exist`, a missing SQLite file is an error instead of being created. `secret_file` holds the server key;
    it is created with the store. Without it and without the variable ISEGORIA_SECRET_FILE, the key of
    `sqlite:///FILE` is in FILE.key, and that of a database in isegoria.key.

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
    kind = STORE_CLASSES[scheme]
    if must_exist and scheme == "sqlite" and not Path(address.removeprefix("sqlite:///")).exists():
        raise FileError(f"cannot open the store {address}: there is no such file.")
    return kind(address, secret_file)


__all__ = [
    "STORE_CLASSES",
    "CommitmentRow",
    "ContactRow",
    "EventRow",
    "GroupRow",
    "LearnerSnapshotRow",
    "OutboxRow",
    "PersonRow",
    "ResponseRow",
    "SecurityEventRow",
    "SessionRow",
    "Store",
    "StoreError",
    "TokenRow",
    "Transaction",
    "open_store",
]
