"""People come and go, options change, sources speak: each step at its time, and out of turn a sentence."""

from pathlib import Path

from api_clients import SampleGroup, make_client
from click.testing import CliRunner

from isegoria.cli import main
from isegoria.errors import InputError
from isegoria.record.state.group import Group
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify

QUICKNET = {  # two rounds of drand's quicknet as they were spoken
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}


def test_a_beacon_late_absent_and_forged(tmp_path):
    number, signature = 657413, QUICKNET[657413]
    speaks = 1692803367 + (number - 1) * 3
    clock = [speaks - 7200.0]
    with make_client(open_store(f"sqlite:///{tmp_path / 'a.db'}")) as client:
        client.app.state.service.groups.clock = lambda: clock[0]
        lunch = SampleGroup(client, source="beacon", first=speaks, every=3600)
        clock[0] = speaks - 600
        assert lunch.organiser.post("freeze").status_code == 201
        assert Group.from_bytes(lunch.record()).open.freeze["source_round"] == number
        late = lunch.organiser.post("draw", {"value": signature})
        assert late.status_code == 409
        assert "speaks in" in late.json()["error"]
        clock[0] = speaks + 5
        absent = lunch.organiser.post("draw")
        assert absent.status_code == 409
        assert "relay" in absent.json()["error"]
        for wrong in (QUICKNET[1000], "00" * 48, "zz", signature[:-2]):
            assert lunch.organiser.post("draw", {"value": wrong}).status_code == 409
        assert lunch.nobody.get().json()["phase"] == "frozen"
        assert lunch.organiser.post("draw", {"value": signature}).status_code == 201
        told = verify(lunch.record())
        assert told["exit_code"] == 3, told["sentence"]
        assert told["rounds"][0]["reasons"] == []


def test_the_keeper_hears_a_beacon_that_is_late_or_lies(tmp_path, monkeypatch):
    number, speaks = 657413, 1692803367 + 657412 * 3
    said, clock = [], [speaks - 7200.0]

    def fetch(chain, round_, relay):
        assert (chain[:8], round_, relay) == ("52db9ba7", number, "http://relay")
        if not said:
            raise InputError("the relay did not tell")
        return said[-1]

    monkeypatch.setattr("isegoria.service.actions.draw_round.fetch_signature", fetch)
    with make_client(open_store(f"sqlite:///{tmp_path / 'a.db'}"), relay="http://relay") as client:
        service = client.app.state.service
        service.groups.clock = service.scheduler.monotonic = lambda: clock[0]
        lunch = SampleGroup(client, source="beacon", first=speaks, every=3600)
        table = {"timetable": {"lead": 30}}
        assert lunch.organiser.post("timetable", table).status_code == 200
        for moment, word, phase in (
            (speaks - 1801, None, "collecting"),
            (speaks - 1799, None, "frozen"),
            (speaks, None, "frozen"),
            (speaks + 30, None, "frozen"),
            (speaks + 60, QUICKNET[1000], "frozen"),
            (speaks + 120, QUICKNET[657413], "collecting"),
        ):
            clock[0] = moment
            said += [word] if word else []
            service.scheduler.tick()
            assert lunch.nobody.get().json()["phase"] == phase, moment
        assert verify(lunch.record())["exit_code"] == 3


def test_people_come_and_go(client):
    lunch = SampleGroup(client)
    dan = lunch.add_member("Dan")
    assert lunch.organiser.post("people", {"name": "Dan"}).status_code == 409
    assert dan.rate({"Thai": 5}).status_code == 200
    lunch.decide()
    assert lunch.nobody.get().json()["members"] == 4
    assert lunch["Cem"].post("leave").status_code == 200
    assert lunch["Cem"].rate({"Thai": 1}).status_code == 401
    assert lunch.organiser.post("people/leave", {"member": 0}).status_code == 200
    assert lunch.organiser.post("people/leave", {"member": 0}).status_code == 409
    assert lunch.organiser.post("people/leave", {"member": 99}).status_code == 400
    assert lunch.organiser.post("people/erase", {"member": 1}).status_code == 200
    assert lunch.organiser.post("people/leave", {"member": 3}).status_code == 409
    assert len(lunch.decide()["arms"]) == 1
    shown = lunch.organiser.get().json()["people"]
    assert [person["name"] for person in shown] == ["Ann", "(erased 1)", "Cem", "Dan"]
    assert b"Bob" not in lunch.organiser.get("export").content
    assert verify(lunch.record())["exit_code"] == 3


def test_options_masks_and_overrides(client):
    lunch = SampleGroup(client, learner="guided", block=1)
    lunch.decide()
    assert lunch.organiser.post("options", {"name": "Soup"}).status_code == 201
    assert lunch.organiser.post("options", {"name": "Soup"}).status_code == 409
    assert lunch.organiser.post("mask", {"unavailable": ["Pizza"]}).status_code == 200
    assert lunch.organiser.post("mask", {"unavailable": ["Thai", "Pizza", "Salad", "Soup"]}).status_code == 400
    lunch["Ann"].rate({"Thai": 3}, 1, 0)
    drawn = lunch.decide()
    assert drawn["arms"] == ["Salad"]
    put = {"round": 2, "slot": 0, "arm": "Pizza", "reason": "closed today"}
    assert lunch.organiser.post("override", put | {"slot": 1}).status_code == 400
    assert lunch.organiser.post("override", put).status_code == 201
    assert lunch.organiser.post("override", put).status_code == 409
    assert lunch["Ann"].rate({"Salad": 3}, 2, 0).status_code == 400
    assert lunch["Ann"].rate({"Pizza": 5}, 2, 0).status_code == 200
    lunch.organiser.post("mask", {"unavailable": []})
    played = [lunch.decide()["arms"][0] for _ in range(3)]
    assert played[:2] == ["Salad", "Soup"]
    assert lunch.organiser.post("override", put | {"round": 1, "reason": "late"}).status_code == 201
    assert verify(lunch.record())["exit_code"] == 3


def test_a_round_is_left_undrawn_and_a_group_ends(client):
    lunch = SampleGroup(client)
    assert lunch.organiser.post("void", {"reason": "nobody is here"}).status_code == 404
    lunch.organiser.post("freeze")
    assert lunch.organiser.post("freeze", {"undrawn": True}).status_code == 201
    assert lunch.organiser.post("amend", {"field": "title", "value": "Supper", "reason": "later"}).status_code == 201
    assert lunch.nobody.get().json()["title"] == "Supper"
    assert lunch.organiser.post("end").status_code == 201
    assert "Never drawn: rounds 1, 2." in verify(lunch.record())["sentence"]
    for answer in (lunch["Ann"].rate({"Thai": 1}), lunch.organiser.post("freeze"), lunch.organiser.post("end")):
        assert answer.status_code == 409
    assert lunch.organiser.post("delete", {"title": "Lunch"}).status_code == 400
    assert lunch.organiser.post("delete", {"title": "Supper"}).status_code == 200
    assert lunch.nobody.get().status_code == 404
    assert lunch["Ann"].get("voice").status_code == 404


def test_an_open_group_has_names_and_ballots_have_none(quick):
    assert SampleGroup(quick)["Ann"].get("names").status_code == 409
    lunch = SampleGroup(quick, privacy="open")
    lunch["Ann"].rate({"Thai": 5})
    lunch.decide()
    told = verify(lunch.record(), names=lunch["Bob"].get("names").content)
    assert told["exit_code"] == 3, told["sentence"]
    assert any("names fit" in sentence for sentence in told["proved"])


def test_a_learner_serves_a_group_that_changes(quick):
    lunch = SampleGroup(quick, learner="guided", block=None)
    for number in range(1, 9):
        drawn = lunch.decide()
        for slot, arm in enumerate(drawn["arms"]):
            lunch["Ann"].rate({arm: 5 if arm == "Thai" else 0}, number, slot)
            lunch["Bob"].rate({arm: 5 if arm == "Pizza" else 0}, number, slot)
        if number == 4:
            assert lunch.organiser.post("people", {"name": "Dan"}).status_code == 201
            assert lunch.organiser.post("options", {"name": "Soup"}).status_code == 201
    assert verify(lunch.record())["exit_code"] == 3


def test_a_store_is_replayed_from_a_file_and_what_was_erased_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def told(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["record", *words])
        return done.exit_code, done.output

    with make_client(open_store("sqlite:///isegoria.db")) as client:
        for learner in (None, "guided"):
            lunch = SampleGroup(client, learner=learner, block=None)
            for number in range(1, 7):
                drawn = lunch.decide()
                for name in lunch.members if learner else ():
                    lunch[name].rate({drawn["arms"][0]: 4}, number, 0)
            export = ("export-secrets", lunch.group, f"{learner}.record", "--store", "sqlite:///isegoria.db")
            assert told(*export)[0] == 0
            assert told("replay", f"{learner}.record")[1].startswith("All 6 pages follow from what was told; 0 of")
            assert Path(f"{learner}.record").read_bytes() == lunch.record()
            assert Path(f"{learner}.record.secrets").stat().st_mode & 0o777 == 0o600
            assert told(*export)[0] == 2  # nothing is overwritten
            lunch.organiser.post("people/erase", {"member": 1})
            lunch.decide()
            assert told(*export[:2], f"{learner}.later", *export[3:])[0] == 0
            code, said = told("replay", f"{learner}.later")
            assert (code, "The page follows" in said, "6 could not be made again" in said) == (0, True, True), said
