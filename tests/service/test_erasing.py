"""Erasing is possible in every phase, leaves a group that goes on, and nothing in any table or file."""

import sqlite3

import pytest
from api_clients import SampleGroup, make_client

from isegoria.errors import InputError
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify

MEMBERS = ["Ann", "Bob", "Cem", "Zebedee Quux"]


@pytest.fixture
def service(tmp_path):
    with make_client(open_store(f"sqlite:///{tmp_path / 'groups.db'}")) as client:
        yield client


def refused_freeze(*_):
    raise InputError("no such page.")


def broken_freeze(*_):
    raise RuntimeError("the machine stopped here")


@pytest.mark.parametrize("learner", [None, "guided"])
def test_a_refused_freeze_leaves_the_round_open(service, monkeypatch, learner):
    lunch = SampleGroup(service, learner=learner, members=MEMBERS)
    with monkeypatch.context() as patched:
        patched.setattr("isegoria.service.actions.freeze_round.build_freeze", refused_freeze)
        assert lunch.organiser.post("freeze").status_code == 409
    assert lunch.nobody.get().json()["phase"] == "collecting"
    if learner is None:
        assert lunch["Ann"].rate({"Thai": 5}).json()["counts_from"] == 1
    assert lunch.organiser.post("options", {"name": "Soup", "reason": None}).status_code == 201
    assert lunch.organiser.post("freeze").status_code == 201


def test_a_freeze_with_a_bad_form_closes_nothing(service):
    lunch = SampleGroup(service, source="dice", learner="guided", members=MEMBERS)
    for _ in range(3):  # first trials need no dice
        lunch.organiser.post("freeze")
    for form in ({"count": 0}, {"dice": 0}, [9, 9, 1, 7], {}):
        refused = lunch.organiser.post("freeze", {"event": "dice", "form": form})
        assert refused.status_code in (400, 409), refused.text
        assert lunch.nobody.get().json()["phase"] != "closed"


@pytest.mark.parametrize("learner", [None, "guided"])
@pytest.mark.parametrize("phase", ["collecting", "closed", "frozen", "ended"])
def test_erasing_in_every_phase_leaves_a_group_that_goes_on(service, monkeypatch, phase, learner):
    lunch = SampleGroup(service, learner=learner, members=MEMBERS, block=1)
    erased = lunch["Zebedee Quux"]
    for _ in range(3):
        if learner is None:
            erased.rate({"Thai": 5})
        else:
            for what in erased.get().json()["you"]["to_rate"][:1]:
                assert erased.rate({what["arm"]: 4}, what["round"], what["slot"]).status_code == 200
        lunch.organiser.post("freeze")
        lunch.organiser.post("draw", {})
    if learner is not None:
        for what in erased.get().json()["you"]["to_rate"][:1]:
            erased.rate({what["arm"]: 4}, what["round"], what["slot"])
    if phase == "closed":
        with monkeypatch.context() as patched:
            patched.setattr("isegoria.service.actions.freeze_round.build_freeze", broken_freeze)
            assert lunch.organiser.post("freeze").status_code == 500
        assert lunch.nobody.get().json()["phase"] == "closed"
    elif phase == "frozen":
        assert lunch.organiser.post("freeze").status_code == 201
    elif phase == "ended":
        assert lunch.organiser.post("end").status_code == 201
    gone = lunch.organiser.post("people/erase", {"member": 3})
    assert gone.status_code == 200, gone.text
    assert erased.get("voice").status_code == 401
    if phase != "ended":
        if phase == "frozen":
            assert lunch.organiser.post("draw", {}).status_code in (201, 409)
        for _ in range(2):
            frozen = lunch.organiser.post("freeze")
            assert frozen.status_code in (200, 201), frozen.text
            lunch.organiser.post("draw", {})
    assert verify(lunch.record())["exit_code"] in (0, 3)


def test_nothing_of_an_erased_person_is_in_any_table_or_file(service, tmp_path):
    lunch = SampleGroup(service, members=MEMBERS)
    erased, app = lunch["Zebedee Quux"], service.app.state.service
    assert erased.rate({"Pizza": 4.25}).status_code == 200
    assert erased.client.post(
        f"/api/groups/{lunch.group}/session", json={"token": erased.token}, headers={"idempotency-key": "s"}
    ).status_code in (200,)
    with app.store.reading() as session:
        secrets = session.people(lunch.group)[3].secrets
    lunch.decide()
    assert lunch.organiser.post("people/erase", {"member": 3}).status_code == 200
    rows = sqlite3.connect(tmp_path / "groups.db")
    for (table,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in rows.execute(f"SELECT * FROM {table}").fetchall():
            said = repr(row)
            assert "Zebedee" not in said, table
            assert secrets[12:60] not in said, table
            if table == "answers":
                assert "member:3" not in said
            if table == "sessions":
                assert (lunch.group, "member", 3) != row[1:4]
    rows.close()
    for file in tmp_path.glob("groups.db*"):
        data = file.read_bytes()
        assert b"Zebedee" not in data, file
        assert secrets[12:60].encode() not in data, file


def test_a_dismissed_helper_leaves_no_name(service, tmp_path):
    lunch = SampleGroup(service)
    number = lunch.organiser.post("coorganisers", {"name": "Hilarius Hobb"}).json()["number"]
    assert lunch.organiser.post("coorganisers/dismiss", {"number": number}).status_code == 200
    for file in tmp_path.glob("groups.db*"):
        assert b"Hilarius" not in file.read_bytes(), file
    assert lunch.organiser.get().json()["coorganisers"] == []
    app = service.app.state.service
    app.groups._cached.clear()
    assert lunch.organiser.get().json()["coorganisers"] == []  # a replay says the same


def test_no_visitors_address_is_stored(service, tmp_path):
    SampleGroup(service)
    for file in tmp_path.glob("groups.db*"):
        assert b"testclient" not in file.read_bytes()
        assert b":anyone:127" not in file.read_bytes()


def test_who_has_not_answered_is_told_by_name_only_in_an_open_group(service):
    for privacy, named in (("ballots", None), ("open", ["Bob", "Cem"])):
        lunch = SampleGroup(service, privacy=privacy)
        assert lunch.organiser.post("settings", {"waiting": True}).status_code == 200
        lunch["Ann"].rate({"Thai": 5})
        assert lunch["Ann"].get().json()["waiting_for"] == named
