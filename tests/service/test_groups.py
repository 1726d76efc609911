"""A group's life by the API: it rates, freezes, draws and can be checked, on either store."""

import json

import pytest
from api_clients import LUNCH_GROUP, SampleGroup

from isegoria.record.state.group import Group
from isegoria.verifier.isegoria_verify import verify


def test_a_group_rates_freezes_and_draws(client):
    lunch = SampleGroup(client)
    assert lunch["Ann"].rate({"Thai": 5, "Pizza": 2, "Salad": 0}).status_code == 200
    assert lunch["Bob"].rate({"Pizza": 4.5}).status_code == 200
    frozen = lunch.organiser.post("freeze", key="freeze-of-the-first-round")
    assert frozen.status_code == 201
    assert lunch.organiser.post("freeze", key="freeze-of-the-first-round").content == frozen.content
    again = lunch.organiser.post("freeze")
    assert (again.status_code, again.content) == (200, frozen.content)
    assert sum(frozen.json()["policy"].values()) == 1
    drawn = lunch.organiser.post("draw", key="draw-of-the-first-round")
    assert drawn.status_code == 201
    assert len(drawn.json()["arms"]) == 3
    for repeat in (lunch.organiser.post("draw", key="draw-of-the-first-round"), lunch.organiser.post("draw")):
        assert (repeat.status_code, repeat.content) == (200, drawn.content)
    record = Group.from_bytes(lunch.record())
    assert [line["line"] for line in record.parsed] == ["charter", "roster", "freeze", "draw"]
    assert lunch.decide()["round"] == 2
    voice = lunch["Ann"].get("voice").json()
    assert voice["slots"] == 6
    assert voice["promised"] > 1
    assert "promised" in voice["sentence"]


def test_the_state_shows_each_her_own(client):
    lunch = SampleGroup(client)
    lunch["Ann"].rate({"Thai": 5})
    public = lunch.nobody.get().json()
    assert (public["answered"], public["members"], public["you"]) == (1, 3, None)
    assert "Ann" not in json.dumps(public)
    ann = lunch["Ann"].get().json()
    assert ann["you"]["name"] == "Ann"
    assert ann["you"]["ratings"] == {"Thai": 5}
    assert "Bob" not in json.dumps(ann)
    organiser = lunch.organiser.get().json()
    assert [(person["name"], person["answered"]) for person in organiser["people"]] == [
        ("Ann", True),
        ("Bob", False),
        ("Cem", False),
    ]
    assert "ratings" not in organiser["people"][0]


def test_a_learner_learns_from_what_happened(client):
    lunch = SampleGroup(client, learner="guided", block=1)
    rounds = []
    for number in range(1, 8):
        drawn = lunch.decide()
        assert drawn["round"] == number
        rounds.append(drawn["kind"])
        for name, member in lunch.members.items():
            if name != "Cem" or number % 2:
                answer = member.rate({drawn["arms"][0]: 5 if drawn["arms"][0] == "Thai" else 1}, number, 0)
                assert answer.status_code == 200, answer.text
    assert rounds[:3] == ["trial", "trial", "trial"]
    assert "fair" in rounds
    late = lunch["Cem"].rate({lunch.organiser.get("export").json()["rounds"][1]["slots"][0]["arm"]: 3}, 2, 0)
    assert late.status_code == 200, late.text
    lunch.decide()
    record = Group.from_bytes(lunch.record())
    kinds = [line["line"] for line in record.parsed]
    assert kinds.count("ratings") == 8
    counted = lunch["Ann"].rate({"Thai": 1}, 1, 0)
    assert counted.status_code == 409


def test_a_new_group_is_answered_once(client):
    first = client.post("/api/groups", json=LUNCH_GROUP, headers={"idempotency-key": "k"})
    assert first.status_code == 201
    assert set(first.json()) == {"group", "organiser", "join", "members"}
    assert list(first.json()["members"]) == LUNCH_GROUP["members"]
    assert client.post("/api/groups", json=LUNCH_GROUP, headers={"idempotency-key": "k"}).status_code == 409


def checked(lunch, tmp_path, name: str | None = None):
    """What the one-file verifier says of a group's record, with a member's receipt if she is named."""
    record = tmp_path / "record.jsonl"
    record.write_bytes(lunch.record())
    receipt = None
    if name is not None:
        receipt = tmp_path / f"{name}.receipt"
        answer = lunch[name].get("receipt")
        assert answer.status_code == 200, answer.text
        receipt.write_bytes(answer.content)
    return verify(record, receipt=receipt)


@pytest.mark.parametrize("learner", [None, "guided"])
def test_the_record_and_every_receipt_check(quick, tmp_path, learner):
    lunch = SampleGroup(quick, learner=learner, block=1 if learner else None)
    for number in range(1, 7):
        if learner is None:
            lunch["Ann"].rate({"Thai": number % 5, "Pizza": 2})
            lunch["Bob"].rate({"Salad": 3.25})
        drawn = lunch.decide()
        if learner:
            for name in ("Ann", "Cem"):
                lunch[name].rate({drawn["arms"][0]: 4}, number, 0)
        if number == 3:
            lunch.add_member("Dan")
        if number == 4:
            assert lunch.organiser.post("people/erase", {"member": 1}).status_code == 200
    for name in (None, "Ann", "Cem", "Dan"):
        told = checked(lunch, tmp_path, name)
        assert told["exit_code"] == 3, told["sentence"]
        assert told["verdict"] == "consistent"
    assert any("ratings" in sentence or "Their" in sentence for sentence in checked(lunch, tmp_path, "Ann")["proved"])
