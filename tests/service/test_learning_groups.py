"""A group's learner is a replay of its log: the same from a snapshot, from the start, and by the record's own desk."""

import json

import pytest
from visitors import Circle, served

from isegoria.lottery.desk.learning import Answer, next_freeze
from isegoria.lottery.record import Record
from isegoria.service.groups.apprentice import EVERY, Apprentice
from isegoria.service.groups.findings import person_of
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


def dumped(apprentice: Apprentice) -> str:
    return json.dumps([apprentice.round, apprentice.learner.to_json(), apprentice.tickets], sort_keys=True)


@pytest.mark.parametrize("learner", ["procedural", "guided"])
def test_a_snapshot_and_a_replay_agree_bit_for_bit(store, learner):
    with served(store) as client:
        lunch = lived(client, learner, EVERY + 4)
        with client.app.state.service.desk.reading(lunch.group) as (state, session):
            snapshot = session.snapshot(lunch.group)
            assert json.loads(snapshot.state)["round"] == EVERY
            last = state.last
            short, long = Apprentice.at(state, last, snapshot), Apprentice.at(state, last, None)
            assert dumped(short) == dumped(long)
            at_ten = Apprentice.at(state, state.round(EVERY), None)
            assert at_ten.snapshot(snapshot.seq, snapshot.head) == snapshot
            doubted = [
                Snapshot(snapshot.seq, "0" * 64, snapshot.state), Snapshot(snapshot.seq, snapshot.head, "{"),
                Snapshot(snapshot.seq, snapshot.head, snapshot.state[:-20]), Snapshot(1, snapshot.head, "[]"),
            ]  # fmt: skip
            for doubtful in doubted:
                assert Apprentice.restored(doubtful, state) is None
                assert dumped(Apprentice.at(state, last, doubtful)) == dumped(long)


@pytest.mark.parametrize("learner", ["procedural", "guided"])
def test_every_freeze_is_the_one_that_the_records_own_desk_makes(quick, learner):
    lunch = lived(quick, learner, 11)
    with quick.app.state.service.desk.reading(lunch.group) as (state, session):
        people = {person.number: person_of(person) for person in session.people(lunch.group)}
        answers = [
            Answer(round_.rooted[slot, member], member, round_.number, slot,
                   tuple([None] * arm + [value] + [None] * (round_.arms - arm - 1)))
            for round_ in state.rounds
            for slot, said in round_.answers.items()
            for member, (arm, value) in said.items()
            if round_.rooted.get((slot, member))
        ]  # fmt: skip
        lines = state.record.lines
        for round_ in state.rounds:
            before = Record.from_lines(lines[: round_.line - 1])
            told = [answer for answer in answers if answer.line < round_.line]
            here = [people[number] for number in before.members]
            frozen = next_freeze(before, here, told, round_.freeze["available"])
            if frozen is None:
                assert round_.freeze["kind"] == "trial"
            else:
                shown = frozen.keys()
                assert {name: round_.freeze[name] for name in shown} == shown
