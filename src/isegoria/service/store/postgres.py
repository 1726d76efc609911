"""PostgreSQL: the store for many groups, or for several processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isegoria.errors import MissingExtraError
from isegoria.service.store import Store, StoreError, store_log

MIGRATION_LOCK_ID = 7_269_736_111  # advisory lock number on which migrating processes queue; arbitrary, but fixed


class PostgresStore(Store):
    """A store in a PostgreSQL database, given by its URL; writers queue on the group's row (`FOR UPDATE`)."""

    lock = " FOR UPDATE"

    def __init__(self, address: str, secret_file: str | Path | None = None) -> None:
        try:
            import psycopg
        except ImportError:
            raise MissingExtraError(
                "PostgreSQL needs the extra 'postgres': pip install 'isegoria[postgres]'."
            ) from None
        self._psycopg = psycopg
        super().__init__(address, secret_file)

    def _connect(self) -> Any:
        return self._psycopg.connect(self.address, autocommit=True, connect_timeout=10)

    def _prepare_migration(self, version: int, target: int) -> None:
        store_log.warning(
            "the database goes from version %d to %d; to go back you need a copy from before, "
            "as pg_dump -F custom -f FILE %s makes it",
            version,
            target,
            self.shown,
        )

    def _begin(self, connection: Any, write: bool) -> None:
        connection.execute("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def _execute(self, connection: Any, statement: str, values: Sequence[Any]) -> tuple[list[tuple[Any, ...]], int]:
        cursor = connection.execute(statement.replace("?", "%s"), values or None)
        return (cursor.fetchall() if cursor.description else []), cursor.rowcount

    def _translate(self, error: Exception) -> Exception:
        if isinstance(error, self._psycopg.Error):
            return StoreError("the database did not take it; nothing was changed. Repeat it with the same key.")
        return error

    def _has_lost_connection(self, connection: Any, error: Exception) -> bool:
        return isinstance(error, self._psycopg.OperationalError | self._psycopg.InterfaceError)

    def _alone(self, connection: Any) -> None:
        connection.execute(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK_ID})")
