"""A backup taken while others write, restored into either store, is the same service."""

import json
import threading

import pytest
from click.testing import CliRunner
from visitors import Circle, Visitor, served

from isegoria.cli import main
from isegoria.errors import FileError, InputError
from isegoria.service.backup import backup, restore
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify


def test_a_backup_under_load_restores_to_a_record_that_verifies(store, tmp_path):
    with served(store) as client:
        lunch = Circle(client)
        lunch["Ann"].rate({"Thai": 5})
        lunch.decide()
        stop, written = threading.Event(), []

        def load() -> None:
            while not stop.is_set():
                assert lunch["Bob"].rate({"Pizza": len(written) % 6}).status_code == 200
                written.append(1)

        thread = threading.Thread(target=load)
        thread.start()
        while len(written) < 5:
            pass
        before = len(written)
        counts = backup(store, tmp_path / "b.jsonl")
        stop.set()
        thread.join()
        assert counts["groups"] == 1
        assert counts["events"] >= 5 + before
        public = lunch.nobody.get().json()
    again = open_store(f"sqlite:///{tmp_path / 'again.db'}")
    assert restore(again, tmp_path / "b.jsonl") == counts
    with served(again) as client:
        there = Visitor(client, lunch.group, lunch["Ann"].token)
        assert there.get().json()["you"]["ratings"] == {"Thai": 5}
        assert there.get().json()["head"] == public["head"]
        (tmp_path / "record.jsonl").write_bytes(there.get("record").content)
        assert verify(tmp_path / "record.jsonl")["exit_code"] == 3
        lunch.organiser.client = client
        assert lunch.organiser.post("freeze").status_code == 201
    with pytest.raises(InputError, match="holds groups already"):
        restore(open_store(f"sqlite:///{tmp_path / 'again.db'}"), tmp_path / "b.jsonl")


def test_a_damaged_backup_is_refused_whole(store, tmp_path):
    with served(store) as client:
        Circle(client)
        backup(store, tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").stat().st_mode & 0o077 == 0
    whole = (tmp_path / "b.jsonl").read_bytes()
    for damaged in (b"", whole[:-5], whole[:200], whole.replace(b"Lunch", b"Lynch", 1), b"{}\n" + whole, b"no\n"):
        (tmp_path / "d.jsonl").write_bytes(damaged)
        empty = open_store(f"sqlite:///{tmp_path / 'empty.db'}")
        with pytest.raises(FileError, match=r"d\.jsonl"):
            restore(empty, tmp_path / "d.jsonl")
        with empty.reading() as session:
            assert session.groups() == []
        empty.close()


def test_the_commands_say_what_they_did(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with served(open_store("sqlite:///a.db")) as client:
        group = Circle(client).group
    runner = CliRunner()
    done = runner.invoke(main, ["backup", "b.jsonl", "--store", "sqlite:///a.db"])
    assert (done.exit_code, done.output) == (0, "Note: 1 group with 2 events in b.jsonl.\n")
    done = runner.invoke(main, ["restore", "b.jsonl", "--store", "sqlite:///c.db"])
    assert (done.exit_code, done.output) == (0, "Note: 1 group with 2 events restored.\n")
    with served(open_store("sqlite:///c.db")) as client:
        assert client.get(f"/api/groups/{group}").json()["title"] == "Lunch"
    refused = runner.invoke(main, ["backup", "b.jsonl", "--store", "sqlite:///missing.db"])
    assert refused.exit_code == 2
    assert "there is no such file" in refused.output
    assert not (tmp_path / "missing.db").exists()


def test_an_export_read_back_gives_the_same_policy(quick, tmp_path):
    lunch = Circle(quick, members=["Ann", "=cmd()", "Cém", "Dan"])
    for name, values in {"Ann": (5, 2, 0), "=cmd()": (1, 4.5, 4.5), "Cém": (0, 3, 1), "Dan": (2, 2, 2)}.items():
        lunch[name].rate(dict(zip(lunch.nobody.get().json()["arms"], values, strict=True)))
    frozen = lunch.organiser.post("freeze").json()
    (tmp_path / "e.csv").write_bytes(lunch.organiser.get("export?format=csv").content)
    done = CliRunner().invoke(main, ["solve", str(tmp_path / "e.csv"), "--scale", "0,5", "--format", "json"])
    assert done.exit_code == 0, done.output
    read = json.loads(done.stdout)
    assert dict(zip(read["arms"], read["policy"], strict=True)) == pytest.approx(frozen["policy"], abs=1e-8)
    exported = lunch.organiser.get("export").json()
    assert {"group", "members", "rounds"} <= set(exported)
    assert exported["members"][1] == {"name": "=cmd()", "ratings": {"Thai": 1, "Pizza": 4.5, "Salad": 4.5}}
