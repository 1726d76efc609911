"""A restored record is never a second history unseen: the missing lines come back, or a new record begins."""

import json

import pytest
from api_clients import GroupClient, SampleGroup, make_client
from click.testing import CliRunner

from isegoria.cli import main
from isegoria.service.backup.backup_file import write_backup
from isegoria.service.backup.restore_backup import restore
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify


@pytest.fixture
def kept(tmp_path):
    """A backup, a record that went on after it, the heads that were told of it; and a group that did not go on."""
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with make_client(store, heads=str(tmp_path / "heads.txt")) as client:
        lunch, other = SampleGroup(client, members=["Ann", "Bob", "Cem", "Dan"]), SampleGroup(client, title="Other")
        for circle in (lunch, other):
            circle["Ann"].rate({"Thai": 5})
            circle["Bob"].rate({"Pizza": 4})
            circle.decide()
        lunch.organiser.post("people/leave", {"member": 2})
        lunch.organiser.post("mask", {"unavailable": ["Salad"]})
        lunch.organiser.post("timetable", {"timetable": {"recurrence": "weekdays", "time": "12:30"}})
        write_backup(store, tmp_path / "b.jsonl")
        lunch.decide()
        (tmp_path / "phone.jsonl").write_bytes(lunch.record())
    return lunch, other


def run(folder, *options):
    where = f"sqlite:///{folder / 'again.db'}"
    return CliRunner().invoke(main, ["restore", str(folder / "b.jsonl"), "--store", where, *map(str, options)])


def test_a_record_that_is_shorter_than_was_told_is_refused_by_its_lines(kept, tmp_path):
    lunch, _ = kept
    refused = run(tmp_path, "--heads", tmp_path / "heads.txt")
    assert refused.exit_code == 2
    ends, went = 4, (tmp_path / "phone.jsonl").read_bytes().count(b"\n")
    assert f"the record of {lunch.group} ends at line {ends}, and {went} were told" in " ".join(refused.output.split())
    assert "--record FILE" in refused.output
    assert "--new-record" in refused.output
    again = open_store(f"sqlite:///{tmp_path / 'again.db'}")
    with again.reading() as session:
        assert session.groups() == []
    again.close()
    assert run(tmp_path, "--heads", tmp_path / "missing.txt").exit_code == 2
    back = run(tmp_path, "--heads", tmp_path / "heads.txt", "--record", tmp_path / "phone.jsonl")
    assert back.exit_code == 0, back.output
    assert f"the record of {lunch.group} ends at line {went}." in back.output
    assert "refuses it" not in back.output


def test_a_line_that_was_told_otherwise_is_another_history(kept, tmp_path):
    lines = (tmp_path / "heads.txt").read_text().splitlines()
    (tmp_path / "heads.txt").write_text(
        "".join(f"{line.rsplit(' ', 1)[0]} x\n" for line in lines[:2]).replace(lines[1].split(" ")[3], "ab" * 32)
    )
    refused = run(tmp_path, "--heads", tmp_path / "heads.txt")
    assert refused.exit_code == 2
    assert "another history" in refused.output


def test_without_heads_it_says_where_each_record_ends(kept, tmp_path):
    done = run(tmp_path)
    assert done.exit_code == 0
    assert done.output.count("ends at line 4.") == 2
    assert "a phone that has signed more lines refuses it" in done.output


def test_a_group_goes_on_in_a_new_record(kept, tmp_path):
    lunch, other = kept
    done = run(tmp_path, "--heads", tmp_path / "heads.txt", "--new-record")
    assert done.exit_code == 0, done.output
    store = open_store(f"sqlite:///{tmp_path / 'again.db'}")
    with store.reading() as session:
        new = next(group for group in session.groups() if group != other.group)
        assert session.group(lunch.group) is None
    assert f"{lunch.group} goes on as {new} in a new record" in " ".join(done.output.split())
    link = CliRunner().invoke(main, ["link", new, "--store", store.address]).stdout.strip().partition("#k=")[2]
    with make_client(store) as client:
        assert GroupClient(client, other.group, other["Ann"].token).get("voice").status_code == 200  # hers was whole
        assert client.get(f"/g/{lunch.group}").status_code == 404
        organiser = GroupClient(client, new, link)
        state = organiser.get().json()
        assert state["arms"] == ["Thai", "Pizza", "Salad"]
        assert state["available"] == ["Thai", "Pizza"]
        assert (state["lines"], state["round"], state["timetable"]["recurrence"]) == (0, 0, "weekdays")
        exported = organiser.get("export").json()["members"]
        assert [(one["name"], one["ratings"]) for one in exported] == [
            ("Ann", {"Thai": 5}),
            ("Bob", {"Pizza": 4}),
            ("Dan", {}),
        ]
        assert GroupClient(client, new, lunch["Ann"].token).get().status_code in (200, 401)
        assert GroupClient(client, new, lunch["Ann"].token).get("voice").status_code == 401  # the old links are void
        assert organiser.post("freeze").status_code == 201
        assert organiser.post("draw").status_code == 201
        record = organiser.get("record").content
    (tmp_path / "new.jsonl").write_bytes(record)
    assert verify(tmp_path / "new.jsonl")["exit_code"] == 3
    first = json.loads((tmp_path / "phone.jsonl").read_bytes().splitlines()[0])
    assert json.loads(record.splitlines()[0])["group"] != first["group"]


def test_beside_a_newer_group_nothing_is_restored_and_nothing_changes(kept, tmp_path):
    with make_client(open_store(f"sqlite:///{tmp_path / 'again.db'}")) as client:
        newer = SampleGroup(client)
        newer.decide()
        before = newer.record()
        refused = run(tmp_path, "--new-record")
        assert refused.exit_code == 2
        assert "restore into an empty one" in refused.output
        assert newer.record() == before
        newer.decide()


@pytest.mark.parametrize(
    "terms", [{"learner": "guided"}, {"turns": {"mode": "lottery", "single_use": True}}, {"privacy": "open"}]
)
def test_every_kind_of_group_can_go_on(terms, tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with make_client(store) as client:
        lunch = SampleGroup(client, **terms)
        for _ in range(2):
            lunch["Ann"].rate({"Thai": 5})
            lunch.decide()
        ended = SampleGroup(client)
        ended.decide()
        ended.organiser.post("end")
        write_backup(store, tmp_path / "b.jsonl")
    again = open_store(f"sqlite:///{tmp_path / 'again.db'}")
    done = restore(again, tmp_path / "b.jsonl", new_record=True)
    assert set(done.renewed) == {lunch.group}
    assert set(done.lines) == {ended.group}  # nothing follows there, so nothing is a second history
    with make_client(again) as client, again.reading() as session:
        new = done.renewed[lunch.group]
        token = next(row.secret for row in session.tokens(new) if row.role == "organiser")
        assert GroupClient(client, new, token).post("freeze").status_code == 201
