"""Where groups are kept. A new store is one file beside this one, and one line in `STORES`."""

from __future__ import annotations

from pathlib import Path

from isegoria.errors import FileError
from isegoria.registry import Table
from isegoria.service.store.base import Store
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
    """
    scheme = address.partition(":")[0]
    kind = STORES[scheme]
    if must_exist and scheme == "sqlite" and not Path(address.removeprefix("sqlite:///")).exists():
        raise FileError(f"cannot open the store {address}: there is no such file.")
    return kind(address)


__all__ = [
    "STORES", "AnswerRow", "Contact", "Event", "GroupRow", "HeldRow", "Letter", "PersonRow", "Session", "SessionRow",
    "Snapshot", "Store", "StoreError", "TokenRow", "open_store",
]  # fmt: skip
