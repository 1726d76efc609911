"""What file and store had once decided differently is decided in the record, for both."""

import pytest

from isegoria.errors import InputError
from isegoria.record import people, ratings, rounds
from isegoria.record.changes import Context
from isegoria.record.group import LATE_ROUNDS, Group
from isegoria.record.receipts import leaves_on
from isegoria.record.sources import SOURCES

NAMES, ARMS, AT = ["Ann", "Bob", "Cem"], ["tea", "soup"], 1_700_000_000


class Kept:
    """A group in memory: a keeper of nothing but the state."""

    def __init__(self, **terms):
        self.group, self.people, self.count = Group(), {}, 0
        body = {
            "title": "Lunch",
            "arms": ARMS,
            "members": NAMES,
            "source": SOURCES["rehearsal"].terms(),
            "scale": [0, 5],
        }
        self.do(people.found, **{**body, "block": 1, **terms})

    def chance(self, size: int) -> bytes:
        self.count += 1
        return self.count.to_bytes(size, "big")

    def do(self, action, by: int = -1, **body) -> dict:
        change = action(Context(self.group, body, AT, by, chance=self.chance, people=self.people, secret=bytes(32)))
        for event in change.events:
            self.group.apply(event.kind, event.body, event.line, AT)
        self.people |= {person.number: person for person in change.people}
        return change.answer

    def decide(self) -> None:
        self.do(rounds.freeze, occasion=None, event=None, form=None)
        self.do(rounds.draw, value=None, missing="skip")

    def rate(self, by: int, number: int, stars: str) -> dict:
        arm = self.group.arms[self.group.rounds[number - 1].played[0]]
        return self.do(ratings.rate, by, round=number, slot=0, values={arm: stars})


def test_a_rating_may_come_so_many_rounds_late_and_no_later():
    kept = Kept(learner="guided")
    for _ in range(LATE_ROUNDS):
        kept.decide()
    assert kept.rate(0, 1, "3")["counts_from"] == LATE_ROUNDS + 1
    kept.decide()
    with pytest.raises(InputError, match=f"more than {LATE_ROUNDS} rounds ago"):
        kept.rate(1, 1, "3")
    assert kept.rate(1, 2, "3")["edit"] == 1


def test_a_member_of_any_weight_joins_and_her_row_has_it():
    kept = Kept()
    kept.do(people.join, name="Dan", weight=3)
    kept.decide()
    assert sorted(kind["weight"] for kind in kept.group.last.freeze["types"]) == [1, 3]


def test_a_learner_is_checked_at_every_freeze(monkeypatch):
    kept = Kept(learner="guided")
    for number in range(1, 5):
        kept.decide()
        kept.rate(0, number, "5")
    monkeypatch.setattr("isegoria.tolerances.SAME_POLICY", -1.0)
    before = kept.group.head
    with pytest.raises(InputError, match="does not propose what the voices of its members add up to"):
        kept.decide()
    assert kept.group.head == before


def test_an_override_waits_for_no_closing_and_drops_what_did_not_happen():
    kept = Kept(learner="guided")
    kept.decide()
    kept.rate(0, 1, "5")
    kept.do(rounds.override, round=1, slot=0, arm="soup", reason="no tea")
    assert kept.group.rounds[0].answers == {0: {}}
    kept.rate(0, 1, "2")
    kept.decide()
    with pytest.raises(InputError, match="only the last round"):
        kept.do(rounds.override, round=1, slot=0, arm="tea", reason="late")
    known = Kept()
    known.decide()
    known.decide()
    known.do(rounds.override, round=1, slot=0, arm=ARMS[1 - known.group.rounds[0].played[0]], reason="late")
    assert known.group.rounds[0].overrides


def test_a_rating_is_a_row_over_the_arms_of_its_round_and_the_one_put_in():
    kept = Kept(learner="guided")
    kept.decide()
    kept.do(rounds.add_option, name="pie", reason=None)
    kept.rate(0, 1, "5")
    kept.do(rounds.override, round=1, slot=0, arm="pie", reason="there was pie")
    kept.rate(1, 1, "4")
    kept.decide()
    line = next(n for n, said in enumerate(kept.group.parsed, 1) if said["line"] == "ratings")
    leaves = dict(leaves_on(kept.group, kept.people, line))
    assert b'"values":[null,null,"4"]' in leaves[1]
    assert 0 not in leaves


def test_what_a_beacon_has_said_is_neither_witnessed_nor_voided():
    source = SOURCES["beacon"].terms(first=AT + 1000, every=3600)
    kept = Kept(source=source)
    kept.do(rounds.freeze, occasion=None, event=None, form=None)
    now = kept.group.open
    page = {"freeze": now.freeze_hash.hex(), "signature": None}
    with pytest.raises(InputError, match="witnessing is over"):
        kept.do(rounds.witness, 0, at=now.speaks_at, **page)
    with pytest.raises(InputError, match="draw it, then override it"):
        kept.do(rounds.void, at=now.speaks_at, reason="too late", signatures=[])
    kept.do(rounds.witness, 0, at=now.speaks_at - 1, **page)
    kept.do(rounds.void, at=now.speaks_at - 1, reason="in time", signatures=[])
    assert kept.group.last.state == "void"
