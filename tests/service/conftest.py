"""What the tests of the service share: both stores, on real databases."""

import sys
from pathlib import Path

import pytest
from api_clients import make_client
from postgres_server import PostgresServer

from isegoria.service.store import open_store

sys.path.append(str(Path(__file__).parents[1] / "verifier"))  # its modules import one another by their names


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, started once for each process of the tests."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """The address of a new and empty store: one of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'groups.db'}"
    else:
        server = request.getfixturevalue("postgres")
        made = server.database()
        yield made
        server.drop(made)


@pytest.fixture
def store(address):
    """An open store of each kind."""
    opened = open_store(address)
    yield opened
    opened.close()


@pytest.fixture
def client(store):
    """The service on each kind of store, asked from the same process; timetables stand still."""
    with make_client(store) as client:
        yield client


@pytest.fixture
def quick(tmp_path):
    """The service on SQLite alone, for what does not depend on the store."""
    opened = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    with make_client(opened) as client:
        yield client
