"""Where groups are kept. A new store is one file beside this one, and one line in `STORES`."""

from __future__ import annotations

from isegoria.errors import unknown
from isegoria.service.store.base import Store
from isegoria.service.store.rows import Answer, Event, GroupRow, Person, Snapshot, StoreError, TokenRow
from isegoria.service.store.session import Session

STORES = {
    "sqlite": "isegoria.service.store.sqlite:SQLiteStore",
    "postgresql": "isegoria.service.store.postgres:PostgresStore",
    "postgres": "isegoria.service.store.postgres:PostgresStore",
}


def open_store(address: str) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://…`, its tables made or brought up to date.

    >>> open_store("mysql://localhost/lunch")
    Traceback (most recent call last):
    isegoria.errors.UnknownNameError: store 'mysql' is not known; did you mean 'sqlite'? ...
    """
    from importlib import import_module

    scheme = address.partition(":")[0]
    if scheme not in STORES:
        raise unknown("store", scheme, STORES)
    module, name = STORES[scheme].split(":")
    return getattr(import_module(module), name)(address)


__all__ = [
    "STORES", "Answer", "Event", "GroupRow", "Person", "Session", "Snapshot", "Store", "StoreError", "TokenRow",
    "open_store",
]  # fmt: skip
