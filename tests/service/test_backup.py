"""A backup taken while others write, restored into either store, is the same service."""

import copy
import hashlib
import json
import os
import threading
import time
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from api_clients import LUNCH_GROUP, GroupClient, SampleGroup, make_client
from click.testing import CliRunner

from isegoria.cli import main
from isegoria.errors import FileError, InputError
from isegoria.service.backup.backup_file import write_backup
from isegoria.service.backup.restore_backup import restore
from isegoria.service.store import open_store
from isegoria.service.store.server_key import load_server_key
from isegoria.verifier.isegoria_verify import verify


def test_a_backup_under_load_restores_to_a_record_that_verifies(store, tmp_path):
    with make_client(store) as client:
        lunch = SampleGroup(client)
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
            assert thread.is_alive()
            time.sleep(0.01)
        before = len(written)
        counts = write_backup(store, tmp_path / "b.jsonl")
        stop.set()
        thread.join()
        assert counts["groups"] == 1
        assert counts["events"] >= 5 + before
        public = lunch.nobody.get().json()
    again = open_store(f"sqlite:///{tmp_path / 'again.db'}")
    done = restore(again, tmp_path / "b.jsonl")
    assert (done.groups, done.events, done.lines) == (1, counts["events"], {lunch.group: public["lines"]})
    with make_client(again) as client:
        there = GroupClient(client, lunch.group, lunch["Ann"].token)
        assert there.get().json()["you"]["ratings"] == {"Thai": 5}
        assert there.get().json()["head"] == public["head"]
        (tmp_path / "record.jsonl").write_bytes(there.get("record").content)
        assert verify(tmp_path / "record.jsonl")["exit_code"] == 3
        lunch.organiser.client = client
        assert lunch.organiser.post("freeze").status_code == 201
    full = open_store(f"sqlite:///{tmp_path / 'again.db'}")
    with closing(full), pytest.raises(InputError, match="holds groups already"):
        restore(full, tmp_path / "b.jsonl")


def test_a_damaged_backup_is_refused_whole(store, tmp_path):
    with make_client(store) as client:
        SampleGroup(client)
        write_backup(store, tmp_path / "b.jsonl")
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


def test_a_record_that_went_on_brings_its_lines_back(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with make_client(store) as client:
        lunch = SampleGroup(client)
        lunch["Ann"].rate({"Thai": 5})
        lunch.decide()
        write_backup(store, tmp_path / "b.jsonl")
        short = lunch.record()
        lunch["Ann"].rate({"Pizza": 5, "Thai": 0})
        lunch.decide()
        longer = lunch.record()
        other = SampleGroup(client)
        other.decide()
        (tmp_path / "other.jsonl").write_bytes(other.record())
    (tmp_path / "phone.jsonl").write_bytes(longer)
    (tmp_path / "forged.jsonl").write_bytes(short + longer.splitlines(keepends=True)[-1])
    for wrong in ("other.jsonl", "forged.jsonl", "missing.jsonl"):
        empty = open_store(f"sqlite:///{tmp_path / 'empty.db'}")
        with pytest.raises(FileError):
            restore(empty, tmp_path / "b.jsonl", [tmp_path / wrong])
        with empty.reading() as session:
            assert session.groups() == []
        empty.close()
    again = open_store(f"sqlite:///{tmp_path / 'again.db'}")
    told = restore(again, tmp_path / "b.jsonl", [tmp_path / "phone.jsonl"])
    assert told.lines == {lunch.group: longer.count(b"\n")}
    with make_client(again) as client:
        there = GroupClient(client, lunch.group, lunch["Ann"].token)
        assert there.get("record").content == longer
        assert there.get("receipt").status_code == 200
        lunch.organiser.client = client
        assert lunch.organiser.post("freeze").status_code == 201
        assert lunch.organiser.post("draw", {}).status_code == 201
        record = there.get("record").content
    assert record.startswith(longer)
    assert verify(record)["exit_code"] == 3


def sealed(lines) -> bytes:
    """A backup of these lines with a good seal: only what they say can be wrong."""
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    digest = hashlib.sha256(data)
    end = {"end": digest.hexdigest(), "code": server_key().authenticate(digest.digest())}
    return data + json.dumps(end).encode() + b"\n"


def server_key():
    return load_server_key(Path(os.environ["ISEGORIA_SECRET_FILE"]), create=False)


def test_a_sealed_backup_that_is_malformed_is_refused_in_a_sentence(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with make_client(store) as client:
        lunch = SampleGroup(client)
        lunch["Ann"].rate({"Thai": 5})
        lunch.decide()
        write_backup(store, tmp_path / "b.jsonl")
    opening, *lines, _ = map(json.loads, (tmp_path / "b.jsonl").read_bytes().splitlines())
    places = {kind: next(n for n, line in enumerate(lines) if kind in line) for kind in ("group", "event", "token")}
    group, event = lines[places["group"]]["group"], lines[places["event"]]["event"]

    def changed(kind, **parts):
        row = list(lines[places[kind]][kind])
        for place, value in parts.items():
            row[int(place[1:])] = value
        return [*lines[: places[kind]], {kind: row}, *lines[places[kind] + 1 :]]

    wrong = {
        "no kind": [*lines, {"nonsense": []}],
        "not a row": [*lines, 7],
        "two rows": [*lines, {"event": event, "group": group}],
        "short": [*lines, {"person": [1]}],
        "text for a number": changed("event", _0="1"),
        "no JSON inside": changed("event", _5="{"),
        "an unknown event": changed("event", _2="nonsense"),
        "a head that is not": changed("group", _5="ff" * 32),
        "too long": changed("group", _3=group[3] + 2),
        "no events": [line for line in lines if "event" not in line],
        "a hole": [line for line in lines if line != {"event": event}],
        "another's link": changed("token", _1="others"),
        "twice": [*lines, *lines],
        "an event first": [{"event": event}, *lines],
    }
    for name, said in wrong.items():
        (tmp_path / "d.jsonl").write_bytes(sealed([opening, *said]))
        done = CliRunner().invoke(main, ["restore", str(tmp_path / "d.jsonl"), "--store", f"sqlite:///{tmp_path}/e.db"])
        assert done.exit_code == 2, name
        assert "nothing was restored" in done.output, (name, done.output)
        assert "a fault in isegoria" not in done.output
    (tmp_path / "d.jsonl").write_bytes(sealed([opening, *lines]))
    with closing(open_store(f"sqlite:///{tmp_path}/e.db")) as empty:
        restore(empty, tmp_path / "d.jsonl")


@pytest.mark.parametrize("terms", [{}, {"learner": "guided", "block": 1}, {"privacy": "open"}])
def test_a_backup_whose_private_data_was_changed_is_refused(tmp_path, terms):
    """Sealed anew, and yet refused: ratings, names and secrets must fit the commitments and roots on record."""
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with make_client(store) as client:
        lunch = SampleGroup(client, **terms)
        for name in lunch.members:
            assert terms.get("learner") or lunch[name].rate({"Thai": 5, "Pizza": 0}).is_success
        played = lunch.decide()
        if terms.get("learner"):
            for name in lunch.members:
                assert lunch[name].rate({played["arms"][0]: 4}, 1, 0).is_success
            lunch.decide()
        write_backup(store, tmp_path / "b.jsonl")
    opening, *lines, _ = map(json.loads, (tmp_path / "b.jsonl").read_bytes().splitlines())

    def refused(kind: str, change, follow=lambda rows: rows) -> bool:
        """Whether the backup is refused after a change of the first row of a kind that it changes."""
        for place, line in enumerate(lines):
            row = list(line.get(kind, ()))
            if row and change(row):
                said = follow(copy.deepcopy([*lines[:place], {kind: row}, *lines[place + 1 :]]))
                (tmp_path / "d.jsonl").write_bytes(sealed([opening, *said]))
                with closing(open_store(f"sqlite:///{tmp_path}/e.db")) as empty:
                    try:
                        restore(empty, tmp_path / "d.jsonl")
                    except FileError as error:
                        return "does not follow from its record" in str(error)
                    return False
        raise AssertionError("nothing was changed")

    def other_rating(row: list) -> bool:
        body = json.loads(row[5])
        if row[2] != "rate" or not body.get("values"):
            return False
        body["values"] = {arm: "1" for arm in body["values"]}
        row[5] = json.dumps(body)
        return True

    def other_name(row: list) -> bool:
        row[1] = "Mallory"
        return True

    def other_secret(row: list) -> bool:
        place = f"people:{lunch.group}:{row[0]}"
        secrets = json.loads(server_key().unseal(row[2], place))
        row[2] = server_key().seal(json.dumps(secrets | {"secret": "00" * 32}), place)
        return True

    def other_tree(row: list) -> bool:
        body = json.loads(row[5])
        if not body.get("tree"):
            return False
        body["tree"][0][1] = "00" * 32
        row[5] = json.dumps(body)
        return True

    def other_draw(row: list) -> bool:
        if row[2] != "draw":
            return False
        line = json.loads(row[6])
        line["balls"][0] ^= 1
        row[6] = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return True

    def follow(rows: list[dict]) -> list[dict]:
        """The group's row with the head that its last line has now."""
        last = next(one["event"][6] for one in reversed(rows) if "event" in one and one["event"][6])
        group = next(one["group"] for one in rows if "group" in one)
        group[5] = sha256(last.encode()).hexdigest()
        return rows

    assert terms.get("learner") or refused("event", other_draw, follow)
    assert refused("event", other_rating)
    assert refused("person", other_name)
    assert refused("person", other_secret)
    assert refused("event", other_tree)


def test_a_backup_is_private_from_its_first_byte_and_changes_no_device(tmp_path, monkeypatch):
    store, modes = open_store(f"sqlite:///{tmp_path / 'a.db'}"), []
    with make_client(store) as client:
        SampleGroup(client)
    mask = os.umask(0o022)
    try:
        real = os.replace
        monkeypatch.setattr(os, "replace", lambda a, b: (modes.append(os.stat(a).st_mode & 0o777), real(a, b)))
        write_backup(store, tmp_path / "b.jsonl")
    finally:
        os.umask(mask)
    assert modes == [0o600]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    pipe.chmod(0o644)  # whatever the umask is
    reader = threading.Thread(target=lambda: pipe.read_bytes())
    reader.start()
    write_backup(store, pipe)
    reader.join()
    assert pipe.stat().st_mode & 0o777 == 0o644


def test_links_from_whoever_runs_the_server(tmp_path):
    address = f"sqlite:///{tmp_path / 'a.db'}"
    first = CliRunner().invoke(main, ["link", "--start", "--store", address])
    assert first.exit_code == 0, first.output
    token = first.stdout.strip().partition("#k=")[2]
    body = LUNCH_GROUP | {"title": "Lunch"}

    def make(client, token):
        headers = {"authorization": f"Bearer {token}", "idempotency-key": f"new-{token}{id(client)}"}
        return client.post("/api/groups", json=body, headers=headers)

    with make_client(open_store(address), closed=True) as one, make_client(open_store(address), closed=True) as other:
        made = [make(client, token) for client in (one, other)]  # good at every process, and after every restart
        assert [answer.status_code for answer in made] == [201, 201]
        group = made[0].json()["group"]
        again = CliRunner().invoke(main, ["link", "--start", "--store", address]).stdout.strip().partition("#k=")[2]
        assert make(one, token).status_code == 401
        assert make(other, again).status_code == 201
        issued = CliRunner().invoke(main, ["link", group, "--store", address, "--site", "https://lunch.example/"])
        link, _, mine = issued.stdout.strip().partition("#k=")
        assert link == f"https://lunch.example/g/{group}"
        assert GroupClient(one, group, mine).get("links").status_code == 200
        assert GroupClient(one, group, made[0].json()["organiser"]).get("links").status_code == 401
    for wrong in ([], ["--start", group], ["nobody"]):
        refused = CliRunner().invoke(main, ["link", *wrong, "--store", address])
        assert refused.exit_code == 2
        assert "fault" not in refused.output


def test_the_commands_say_what_they_did(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with make_client(open_store("sqlite:///a.db")) as client:
        group = SampleGroup(client).group
    runner = CliRunner()
    done = runner.invoke(main, ["backup", "b.jsonl", "--store", "sqlite:///a.db"])
    assert (done.exit_code, done.output) == (0, "Note: 1 group with 2 events in b.jsonl.\n")
    done = runner.invoke(main, ["restore", "b.jsonl", "--store", "sqlite:///c.db"])
    assert done.exit_code == 0
    assert done.output == "Note: 1 group with 2 events restored.\n"
    with make_client(open_store("sqlite:///c.db")) as client:
        assert client.get(f"/api/groups/{group}").json()["title"] == "Lunch"
    refused = runner.invoke(main, ["backup", "b.jsonl", "--store", "sqlite:///missing.db"])
    assert refused.exit_code == 2
    assert "there is no such file" in refused.output
    assert not (tmp_path / "missing.db").exists()


def test_an_export_read_back_gives_the_same_policy(quick, tmp_path):
    lunch = SampleGroup(quick, members=["Ann", "=cmd()", "Cém", "Dan"])
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
