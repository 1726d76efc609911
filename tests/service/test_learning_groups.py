"""A group's learner is a replay of its log: the same from a snapshot and from the start."""

import json

from api_clients import SampleGroup, make_client

from isegoria.record.group_learner import LEARNER_SNAPSHOT_INTERVAL_ROUNDS, GroupLearner
from isegoria.service.store import LearnerSnapshotRow

TASTES = {"Ann": {"Thai": 5, "Pizza": 1, "Salad": 0}, "Bob": {"Thai": 0, "Pizza": 4, "Salad": 4}}


def make_learning_group(client, learner: str, rounds: int) -> SampleGroup:
    """A group that has decided so often; Ann answers at once, Bob late, and Cem seldom."""
    lunch = SampleGroup(client, learner=learner, block=None)
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
    with make_client(store) as client:
        lunch = make_learning_group(client, "guided", LEARNER_SNAPSHOT_INTERVAL_ROUNDS + 4)
        with client.app.state.service.groups.reading(lunch.group) as (state, session):
            snapshot = session.snapshot(lunch.group)
            assert json.loads(snapshot.state)["round"] == LEARNER_SNAPSHOT_INTERVAL_ROUNDS
            coming = state.coming(None)
            long = GroupLearner.at(state, coming).to_json()
            assert GroupLearner.at(state, coming, snapshot).to_json() == long
            assert GroupLearner.before(state, LEARNER_SNAPSHOT_INTERVAL_ROUNDS).to_json() == snapshot.state
            assert (
                state.round(LEARNER_SNAPSHOT_INTERVAL_ROUNDS).closing.seq,
                state.round(LEARNER_SNAPSHOT_INTERVAL_ROUNDS).freeze_hash.hex(),
            ) == snapshot[:2]
            doubted = [
                LearnerSnapshotRow(snapshot.seq, "0" * 64, snapshot.state),
                LearnerSnapshotRow(snapshot.seq, snapshot.head, "{"),
                LearnerSnapshotRow(snapshot.seq, snapshot.head, snapshot.state[:-20]),
                LearnerSnapshotRow(1, snapshot.head, "[]"),
            ]
            for doubtful in doubted:
                assert GroupLearner.restored(state, doubtful) is None
                assert GroupLearner.at(state, coming, doubtful).to_json() == long
