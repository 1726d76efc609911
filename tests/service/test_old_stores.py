"""Stores that older commits wrote (`data/write_store.py` made them): they open, and a copy is left beside them."""

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from api_clients import GroupClient, SampleGroup, make_client

from isegoria.service.store import open_store
from isegoria.service.store.migrations import load_migrations

FIXTURES = sorted((Path(__file__).parent / "data").glob("store-*.sql"))


@pytest.fixture(params=FIXTURES, ids=lambda path: path.stem)
def old(request, tmp_path):
    """The file of an old store, and the tokens of its groups."""
    text = request.param.read_text(encoding="utf-8")
    file = tmp_path / "groups.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(text)
    return file, json.loads(text.partition("\n")[0].removeprefix("-- "))


def read_rows(file: Path) -> dict[str, list]:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in names}


def read_version(record: bytes) -> int:
    return json.loads(record.partition(b"\n")[0])["version"]


def test_fixtures_are_small_and_there():
    assert {path.stem for path in FIXTURES} >= {"store-f00c73a", "store-11d364c", "store-a2f7b46"}
    assert sum(path.stat().st_size for path in FIXTURES) < 300_000


def test_old_store_is_copied_and_migrated(old):
    file, _ = old
    before = read_rows(file)
    version = max(row[0] for row in before["schema_version"])
    open_store(f"sqlite:///{file}").close()
    newest = len(load_migrations())
    assert max(row[0] for row in read_rows(file)["schema_version"]) == newest
    copies = list(file.parent.glob("groups.db.version-*"))
    assert [copy.name for copy in copies] == ([f"groups.db.version-{version}"] if version < newest else [])
    for copy in copies:
        assert read_rows(copy) == before


def test_groups_of_old_store_go_on_or_say_their_version(old):
    file, tokens = old
    with make_client(open_store(f"sqlite:///{file}")) as client:
        fresh = SampleGroup(client)
        fresh.organiser.post("freeze")  # the record begins here
        current = read_version(fresh.record())
        for made in tokens.values():
            organiser = GroupClient(client, made["group"], made["organiser"])
            record = organiser.get("record")
            assert record.status_code == 200
            version = read_version(record.content)
            steps = [organiser.post(step, key=f"later-{step}") for step in ("freeze", "draw")]
            if version == current:
                assert organiser.get().status_code == 200
                assert {step.status_code for step in steps} <= {200, 201}
                assert len(organiser.get("record").content) > len(record.content)
            else:
                for step in steps:
                    assert 400 <= step.status_code < 500
                    assert f"version {version}" in step.json()["error"]
                assert organiser.get("record").content == record.content
                tables = organiser.get("export").json()
                first = json.loads(record.content.partition(b"\n")[0])
                assert (tables["version"], tables["arms"][0]) == (version, first["arms"][0])
                assert [one["name"] for one in tables["members"]] == list(made["members"])
                draws = sum('"line":"draw"' in line for line in record.text.splitlines())
                assert len(tables["rounds"]) == draws
                assert organiser.post("delete", {"title": "another"}).status_code == 400
                assert organiser.post("delete", {"title": tables["title"]}).status_code == 200
                assert organiser.get("record").status_code in (401, 404)
