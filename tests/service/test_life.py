"""People come and go, options change, sources speak: each step at its time, and out of turn a sentence."""

import hashlib

import pytest
from visitors import LUNCH, Circle, Visitor, served

from isegoria.errors import InputError
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format import messages
from isegoria.record.group import Group
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify

QUICKNET = {  # two rounds of drand's quicknet as they were spoken
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}


class Device:
    """A member's device: it makes a key, registers it, and signs what it sees."""

    def __init__(self, visitor: Visitor, number: int):
        self.visitor, self.number, self.seed = visitor, number, bytes([number + 1]) * 32
        answer = visitor.post("keys", {"key": public_key(self.seed).hex()})
        assert answer.status_code == 200, answer.text

    def record(self) -> Group:
        return Group.from_bytes(self.visitor.get("record").content)

    def witness(self, at: int = 1):
        record = self.record()
        message = messages.witness_message(record.charter_hash, record.open.freeze_hash, at)
        body = {"freeze": record.open.freeze_hash.hex(), "at": at, "signature": sign(self.seed, message).hex()}
        return self.visitor.post("witness", body)

    def seen(self, value: str):
        record = self.record()
        message = messages.value_message(record.charter_hash, record.open.freeze_hash, value.encode())
        return self.visitor.post("seen", {"value": value, "signature": sign(self.seed, message).hex()})

    def commit(self, value: bytes):
        record = self.record()
        hash_ = messages.commit_hash(record.id, record.next_round, self.number, value)
        return self.visitor.post("commit", {"hash": hash_.hex()})

    def reveal(self, value: bytes):
        record = self.record()
        message = messages.reveal_message(record.charter_hash, record.open.freeze_hash, value)
        return self.visitor.post("reveal", {"value": value.hex(), "signature": sign(self.seed, message).hex()})


def devices(lunch: Circle) -> list[Device]:
    return [Device(visitor, number) for number, visitor in enumerate(lunch.members.values())]


def test_dice_seen_by_two_are_proved(client):
    lunch = Circle(client, source="dice")
    ann, bob, _ = devices(lunch)
    frozen = lunch.organiser.post("freeze", {"event": "dice on the table", "form": [8, 1, 6, 0]})
    assert frozen.status_code == 201, frozen.text
    assert lunch.organiser.post("draw").status_code == 409
    assert lunch.organiser.post("draw", {"value": [7] * 8}).status_code == 409
    numbers = [1, 2, 3, 4, 5, 6, 1, 2]
    value = "".join(f"{number}." for number in numbers)
    assert ann.witness().status_code == 201
    for device in (ann, bob):
        record = device.record()
        message = messages.value_message(record.charter_hash, record.open.freeze_hash, value.encode())
        signature = sign(device.seed, message).hex()
        assert device.visitor.post("seen", {"value": numbers, "signature": "0" * 128}).status_code == 400
        assert device.visitor.post("seen", {"value": numbers, "signature": signature}).status_code == 201
    drawn = lunch.organiser.post("draw", {"value": numbers})
    assert drawn.status_code == 201, drawn.text
    assert lunch.organiser.post("draw", {"value": numbers}).content == drawn.content
    assert lunch.organiser.post("draw", {"value": [2] * 8}).status_code == 409
    told = verify(lunch.record())
    assert told["exit_code"] == 0, told["sentence"]


def test_the_group_itself_is_the_source(client):
    lunch = Circle(client, source="group")
    ann, bob, cem = devices(lunch)
    assert lunch.organiser.post("freeze").status_code == 409
    values = [hashlib.sha256(bytes([number])).digest() for number in range(3)]
    for device, value in zip((ann, bob), values, strict=False):
        assert device.commit(value).status_code == 201
    assert ann.commit(values[2]).status_code == 409
    assert lunch.organiser.post("freeze").status_code == 201
    assert cem.commit(values[2]).status_code == 409
    assert cem.witness().status_code == 201
    assert ann.reveal(values[1]).status_code == 409
    assert ann.reveal(values[0]).status_code == 201
    waiting = lunch.organiser.post("draw")
    assert waiting.status_code == 409
    assert "Bob" in waiting.json()["error"]
    assert lunch.organiser.post("draw", {"missing": "skip"}).status_code == 201
    told = verify(lunch.record())
    assert told["exit_code"] == 0, told["sentence"]
    assert any("did not reveal" in note for note in told["notes"])


def test_a_forged_witness_is_refused(quick):
    lunch = Circle(quick)
    ann, bob, _ = devices(lunch)
    lunch.organiser.post("freeze")
    ann.seed = bob.seed
    forged = ann.witness()
    assert forged.status_code == 409
    assert "signature" in forged.json()["error"]
    assert bob.witness().status_code == 201
    assert bob.witness().status_code == 409


def test_a_beacon_late_absent_and_forged(tmp_path):
    number, signature = 657413, QUICKNET[657413]
    speaks = 1692803367 + (number - 1) * 3
    clock = [speaks - 7200.0]
    with served(open_store(f"sqlite:///{tmp_path / 'a.db'}")) as client:
        client.app.state.service.groups.clock = lambda: clock[0]
        lunch = Circle(client, source="beacon", first=speaks, every=3600)
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
        assert told["rounds"][0]["reasons"] == ["not proven that this page existed before the draw"]


def test_the_keeper_hears_a_beacon_that_is_late_or_lies(tmp_path, monkeypatch):
    number, speaks = 657413, 1692803367 + 657412 * 3
    said, clock = [], [speaks - 7200.0]

    def fetch(chain, round_, relay):
        assert (chain[:8], round_, relay) == ("52db9ba7", number, "http://relay")
        if not said:
            raise InputError("the relay did not tell")
        return said[-1]

    monkeypatch.setattr("isegoria.service.rounds.fetch", fetch)
    with served(open_store(f"sqlite:///{tmp_path / 'a.db'}"), relay="http://relay") as client:
        service = client.app.state.service
        service.groups.clock = service.scheduler.monotonic = lambda: clock[0]
        lunch = Circle(client, source="beacon", first=speaks, every=3600)
        table = {"timetable": {"lead": 30}}
        assert lunch.organiser.post("timetable", table).status_code == 200
        for moment, word, phase in (
            (speaks - 1801, None, "collecting"), (speaks - 1799, None, "frozen"), (speaks, None, "frozen"),
            (speaks + 30, None, "frozen"), (speaks + 60, QUICKNET[1000], "frozen"),
            (speaks + 120, QUICKNET[657413], "collecting"),
        ):  # fmt: skip
            clock[0] = moment
            said += [word] if word else []
            service.scheduler.tick()
            assert lunch.nobody.get().json()["phase"] == phase, moment
        assert verify(lunch.record())["exit_code"] == 3


def test_without_the_extra_no_beacon_is_offered(quick, monkeypatch):
    monkeypatch.setattr("isegoria.service.creating.find_spec", lambda name: None)
    refused = quick.post("/api/groups", json=LUNCH | {"source": "beacon"}, headers={"idempotency-key": "k"})
    assert refused.status_code == 400
    assert "isegoria[beacon]" in refused.json()["error"]
    assert 'value="beacon"' not in quick.get("/").text


def test_people_come_and_go(client):
    lunch = Circle(client)
    joined = lunch.organiser.post("people", {"name": "Dan"})
    assert joined.status_code == 201
    assert lunch.organiser.post("people", {"name": "Dan"}).status_code == 409
    dan = Visitor(client, lunch.group, joined.json()["token"])
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
    lunch = Circle(client, learner="guided", block=1)
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
    assert lunch.organiser.post("override", put | {"round": 1, "reason": "late"}).status_code == 409
    assert verify(lunch.record())["exit_code"] == 3


def test_a_round_is_given_up_and_a_group_ends(client):
    lunch = Circle(client)
    assert lunch.organiser.post("void", {"reason": "nobody is here"}).status_code == 409
    lunch.organiser.post("freeze")
    assert lunch.organiser.post("amend", {"field": "title", "value": "Supper", "reason": "later"}).status_code == 409
    assert lunch.organiser.post("end").status_code == 409
    assert lunch.organiser.post("void", {"reason": "nobody is here"}).status_code == 201
    assert lunch.organiser.post("amend", {"field": "title", "value": "Supper", "reason": "later"}).status_code == 201
    assert lunch.nobody.get().json()["title"] == "Supper"
    assert lunch.organiser.post("end").status_code == 201
    for answer in (lunch["Ann"].rate({"Thai": 1}), lunch.organiser.post("freeze"), lunch.organiser.post("end")):
        assert answer.status_code == 409
    assert lunch.organiser.post("delete", {"title": "Lunch"}).status_code == 400
    assert lunch.organiser.post("delete", {"title": "Supper"}).status_code == 200
    assert lunch.nobody.get().status_code == 404
    assert lunch["Ann"].get("voice").status_code == 404


def test_an_open_group_has_names_and_ballots_have_none(quick):
    assert Circle(quick)["Ann"].get("names").status_code == 409
    lunch = Circle(quick, privacy="open")
    lunch["Ann"].rate({"Thai": 5})
    lunch.decide()
    told = verify(lunch.record(), names=lunch["Bob"].get("names").content)
    assert told["exit_code"] == 3, told["sentence"]
    assert any("names fit" in sentence for sentence in told["proved"])


@pytest.mark.parametrize("learner", ["guided"])
def test_any_learner_serves_a_group_that_changes(quick, learner):
    lunch = Circle(quick, learner=learner, block=None)
    for number in range(1, 9):
        drawn = lunch.decide()
        for slot, arm in enumerate(drawn["arms"]):
            lunch["Ann"].rate({arm: 5 if arm == "Thai" else 0}, number, slot)
            lunch["Bob"].rate({arm: 5 if arm == "Pizza" else 0}, number, slot)
        if number == 4:
            assert lunch.organiser.post("people", {"name": "Dan"}).status_code == 201
            assert lunch.organiser.post("options", {"name": "Soup"}).status_code == 201
    assert verify(lunch.record())["exit_code"] == 3
