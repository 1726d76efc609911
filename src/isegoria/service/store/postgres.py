"""PostgreSQL: the store for many groups, or several processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isegoria.errors import MissingExtraError
from isegoria.service.store import Store, StoreError

MIGRATING = 7_269_736_111  # the number of the advisory lock that migrating processes queue on: any, but always the same


class PostgresStore(Store):
    """A store in a PostgreSQL database, by its address. Rivals queue on the group's row (`FOR UPDATE`)."""

    lock = " FOR UPDATE"

    def __init__(self, address: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise MissingExtraError(
                "PostgreSQL needs the extra 'postgres': pip install 'isegoria[postgres]'."
            ) from None
        self._psycopg = psycopg
        super().__init__(address)

    def _connect(self) -> Any:
        return self._psycopg.connect(self.address, autocommit=True, connect_timeout=10)

    def _begin(self, connection: Any, write: bool) -> None:
        connection.execute("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def _execute(self, connection: Any, statement: str, values: Sequence[Any]) -> tuple[list[tuple[Any, ...]], int]:
        cursor = connection.execute(statement.replace("?", "%s"), values or None)
        return (cursor.fetchall() if cursor.description else []), cursor.rowcount

    def _translate(self, error: Exception) -> Exception:
        if isinstance(error, self._psycopg.Error):
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            return StoreError(f"the database did not take it ({reason}); repeat it with the same key.")
        return error

    def _lost(self, connection: Any, error: Exception) -> bool:
        return isinstance(error, self._psycopg.OperationalError | self._psycopg.InterfaceError)

    def _alone(self, connection: Any) -> None:
        connection.execute(f"SELECT pg_advisory_xact_lock({MIGRATING})")
