"""A group's learner is a replay of its log: the same from a snapshot and from the start."""

import json

from visitors import Circle, served

from isegoria.record.minds import EVERY, Minds
from isegoria.service.store import Snapshot

TASTES = {"Ann": {"Thai": 5, "Pizza": 1, "Salad": 0}, "Bob": {"Thai": 0, "Pizza": 4, "Salad": 4}}


def lived(client, learner: str, rounds: int) -> Circle:
    """A group that has decided so often; Ann answers at once, Bob late, and Cem seldom."""
    lunch = Circle(client, learner=learner, block=None)
    late = []
    for number in range(1, rounds + 1):
        drawn = lunch.decide()
        for slot, arm in enumerate(drawn["arms"]):
            assert lunch["Ann"].rate({arm: TASTES["Ann"].get(arm, 2)}, number, slot).is_success
            late.append((number, slot, arm))
            if number % 5 == 0:
                lunch["Cem"].rate({arm: 3}, number, slot)
        if number % 3 == 0:
            for told in late:
                assert lunch["Bob"].rate({told[2]: TASTES["Bob"].get(told[2], 2)}, *told[:2]).is_success
            late = []
        if number == 4:
            lunch.organiser.post("people", {"name": "Dan"})
        if number == 6:
            lunch.organiser.post("options", {"name": "Soup"})
        if number == 8:
            lunch.organiser.post("mask", {"unavailable": ["Salad"]})
        if number == 9:
            body = {"round": 9, "slot": 0, "arm": "Salad", "reason": "it was there after all"}
            assert lunch.organiser.post("override", body).is_success
    return lunch


def test_a_snapshot_and_a_replay_agree_bit_for_bit(store):
    with served(store) as client:
        lunch = lived(client, "guided", EVERY + 4)
        with client.app.state.service.groups.reading(lunch.group) as (state, session):
            snapshot = session.snapshot(lunch.group)
            assert json.loads(snapshot.state)["round"] == EVERY
            coming = state.coming(None)
            long = Minds.at(state, coming).to_json()
            assert Minds.at(state, coming, snapshot).to_json() == long
            assert Minds.before(state, EVERY).to_json() == snapshot.state
            assert (state.round(EVERY).closing.seq, state.round(EVERY).freeze_hash.hex()) == snapshot[:2]
            doubted = [
                Snapshot(snapshot.seq, "0" * 64, snapshot.state), Snapshot(snapshot.seq, snapshot.head, "{"),
                Snapshot(snapshot.seq, snapshot.head, snapshot.state[:-20]), Snapshot(1, snapshot.head, "[]"),
            ]  # fmt: skip
            for doubtful in doubted:
                assert Minds.restored(state, doubtful) is None
                assert Minds.at(state, coming, doubtful).to_json() == long
