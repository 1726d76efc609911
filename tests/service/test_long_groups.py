"""A group that has decided for years is as quick as a new one: what a page asks is counted on, not counted again."""

import json

import pytest
from api_clients import SampleGroup, make_client

from isegoria.record.receipts import LeafTree, build_receipt
from isegoria.record.state import round_log as rounds_of_long_ago
from isegoria.record.state.group import Group
from isegoria.service.groups import voice_history as room
from isegoria.service.groups.repository import StoredPeople
from isegoria.service.store import open_store
from isegoria.service.store.transaction import Transaction
from isegoria.verifier.isegoria_verify import verify

ROUNDS = 25


@pytest.fixture(scope="module")
def lunch(tmp_path_factory):
    """A group that has decided twenty-five times."""
    store = open_store(f"sqlite:///{tmp_path_factory.mktemp('long') / 'groups.db'}")
    with make_client(store) as client:
        lunch = SampleGroup(client, block=2)
        for number in range(ROUNDS):
            lunch["Ann"].rate({"Thai": number % 6, "Pizza": 5})
            lunch["Bob"].rate({"Salad": 5, "Pizza": number % 5})
            lunch.decide()
        lunch.store = store
        yield lunch


def test_a_voice_is_counted_on_and_not_counted_again(lunch, monkeypatch):
    lunch.client.app.state.service.voices.cache.clear()
    first = lunch["Ann"].get("voice").json()
    asked, alias = [], Group.alias
    monkeypatch.setattr(
        Group, "alias", lambda group, person, number: asked.append(number) or alias(group, person, number)
    )
    again = lunch["Ann"].get("voice").json()
    assert again == first
    assert set(asked) == {ROUNDS}  # the last round may still change, the others do not
    lunch.decide()
    asked.clear()
    later = lunch["Ann"].get("voice").json()
    assert set(asked) == {ROUNDS, ROUNDS + 1}
    lunch.client.app.state.service.voices.cache.clear()
    assert lunch["Ann"].get("voice").json() == later  # however it is counted


def test_the_course_has_few_points_and_ends_at_the_last_draw(lunch, monkeypatch):
    monkeypatch.setattr(room, "MAX_CURVE_POINTS", 4)
    lunch.client.app.state.service.voices.cache.clear()
    told = lunch["Ann"].get("voice").json()
    course = told["course"]
    assert told["slots"] >= 2 * ROUNDS
    assert len(course["draws"]) <= 8
    assert course["draws"] == sorted(set(course["draws"]))
    assert (course["draws"][-1], course["received"][-1]) == (told["slots"], told["received"])
    lunch.client.app.state.service.voices.cache.clear()


def test_a_receipt_is_sent_in_parts_and_asks_only_for_its_own_lines(lunch, monkeypatch, tmp_path):
    def no_events(*_):
        raise AssertionError("the whole log is not read for a receipt")

    app = lunch.client.app.state.service
    with app.groups.reading(lunch.group) as (state, session):
        person = StoredPeople(session, state)[0]
        bodies = [json.loads(event.body) for event in session.events(lunch.group) if event.line is not None]
        trees = {
            line: LeafTree(*zip(*body["tree"], strict=True)) for line, body in enumerate(bodies, 1) if body.get("tree")
        }
        trees = {line: LeafTree(tree.owners, list(map(bytes.fromhex, tree.hashes))) for line, tree in trees.items()}
        whole = build_receipt(state, person, trees.__getitem__)
    monkeypatch.setattr(Transaction, "events", no_events)
    with lunch.client.stream(
        "GET", f"/api/groups/{lunch.group}/receipt", headers={"authorization": f"Bearer {lunch['Ann'].token}"}
    ) as answer:
        assert "content-length" not in answer.headers
        said = b"".join(answer.iter_raw())
    assert said == whole
    some = json.loads(lunch["Ann"].get("receipt?last=5").content)
    every = json.loads(whole)
    assert some["ratings"] == every["ratings"][-5:]
    assert len(every["ratings"]) > 20
    for wrong in ("0", "x", "-1", "²", "9" * 30):
        assert lunch["Ann"].get(f"receipt?last={wrong}").status_code == 400
    (tmp_path / "receipt").write_bytes(said)
    assert verify(lunch.record(), receipt=tmp_path / "receipt")["exit_code"] in (0, 3)


@pytest.mark.parametrize("large", [0, 10**6])
def test_rounds_of_long_ago_are_little_in_memory_and_say_the_same(large, monkeypatch, tmp_path):
    """The same life in two groups, one of which keeps every round as it was read: they answer alike."""

    def lived(folder, window):
        monkeypatch.setattr(rounds_of_long_ago, "RECENT_ROUNDS", window)
        monkeypatch.setattr(rounds_of_long_ago, "LARGE_PAGE_BYTES", large)
        monkeypatch.setattr(rounds_of_long_ago, "ANCHOR_INTERVAL_ROUNDS", 4)
        store = open_store(f"sqlite:///{folder}.db")
        with make_client(store) as client:
            lunch = SampleGroup(client)
            for number in range(12):
                lunch["Ann"].rate({"Thai": number % 6, "Pizza": 5})
                lunch["Bob"].rate({"Salad": None if number in (3, 4, 8) else 5})
                lunch.decide()
            app, lines = client.app.state.service, lunch.record().splitlines()
            with app.groups.reading(lunch.group) as (state, _):
                kept = sum(not isinstance(one.freeze, rounds_of_long_ago.LazyFreezePage) for one in state.rounds)
                types = [one.freeze["types"] for one in state.rounds]
                assert types == [json.loads(lines[one.line - 1])["types"] for one in state.rounds]
                counted = [
                    {number: told.values for number, told in one.closing.counted.items()} for one in state.rounds
                ]
                assert [len(one.closing.counted) for one in state.rounds] == list(map(len, counted))
                text = sum(bool(line) for line in state.lines)
            voice, receipt = lunch["Ann"].get("voice").json(), lunch["Ann"].get("receipt").json()
            assert client.get(f"/g/{lunch.group}/group").status_code == 200
            assert verify(lunch.record())["exit_code"] == 3
            leaves = [proof["leaf"]["values"] for proof in receipt["ratings"]]
            return kept, text, (counted, voice["slots"], leaves, len(lines))

    kept, text, warm = lived(tmp_path / "warm", 100)
    assert (kept, text) == (12, warm[-1])
    kept, text, cool = lived(tmp_path / "cold", 2)
    assert kept == (12 if large else 2)  # small pages stay as they are until they are put away
    assert text < 10
    assert cool == warm
    assert 1 in warm[0][2]
    assert 1 not in warm[0][3]
