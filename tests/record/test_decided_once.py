"""What file and store had once decided differently is decided in the record, for both."""

import pytest

from isegoria.errors import InputError
from isegoria.record.actions import members, ratings, rounds
from isegoria.record.actions.action import ActionContext
from isegoria.record.receipts import collect_own_leaves
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.state.group import MAX_RATING_DELAY_ROUNDS, Group

NAMES, ARMS, AT = ["Ann", "Bob", "Cem"], ["tea", "soup"], 1_700_000_000


class InMemoryGroup:
    """A group in memory: a keeper of nothing but the state."""

    def __init__(self, **terms):
        self.group, self.people, self.count = Group(), {}, 0
        body = {
            "title": "Lunch",
            "arms": ARMS,
            "members": NAMES,
            "source": RANDOMNESS_SOURCES["rehearsal"].terms(),
            "scale": [0, 5],
        }
        self.do(members.found_group, **{**body, "block": 1, **terms})

    def chance(self, size: int) -> bytes:
        self.count += 1
        return self.count.to_bytes(size, "big")

    def do(self, action, by: int = -1, **body) -> dict:
        change = action(
            ActionContext(self.group, body, AT, by, chance=self.chance, people=self.people, secret=bytes(32))
        )
        for event in change.events:
            self.group.apply(event.kind, event.body, event.line, AT)
        self.people |= {person.number: person for person in change.people}
        return change.answer

    def decide(self) -> None:
        self.do(rounds.freeze, occurrence=None, event=None, form=None)
        if self.group.open is not None:  # a first trial has happened with its page
            self.do(rounds.draw, value=None)

    def rate(self, by: int, number: int, stars: str) -> dict:
        arm = self.group.arms[self.group.rounds[number - 1].played[0]]
        return self.do(ratings.rate, by, round=number, slot=0, values={arm: stars})


def test_a_rating_may_come_so_many_rounds_late_and_no_later():
    kept = InMemoryGroup(learner="guided")
    for _ in range(MAX_RATING_DELAY_ROUNDS):
        kept.decide()
    assert kept.rate(0, 1, "3")["counts_from"] == MAX_RATING_DELAY_ROUNDS + 1
    kept.decide()
    with pytest.raises(InputError, match=f"more than {MAX_RATING_DELAY_ROUNDS} rounds ago"):
        kept.rate(1, 1, "3")
    assert kept.rate(1, 2, "3")["edit"] == 1


def test_a_member_of_any_weight_joins_and_her_row_has_it():
    kept = InMemoryGroup()
    kept.do(members.join, name="Dan", weight=3)
    kept.decide()
    assert sorted(kind["weight"] for kind in kept.group.last.freeze["types"]) == [1, 3]


def test_a_page_whose_product_is_not_the_largest_is_not_written(monkeypatch):
    kept = InMemoryGroup()
    kept.decide()
    monkeypatch.setattr("isegoria.record.freeze.MAX_CERTIFICATE_GAP", -1)
    before = kept.group.head
    with pytest.raises(InputError, match="not those of a largest product"):
        kept.decide()
    assert kept.group.head == before


def test_an_override_drops_what_did_not_happen_and_one_after_the_next_page_changes_nothing_played():
    kept = InMemoryGroup(learner="guided")
    kept.decide()
    kept.rate(0, 1, "5")
    kept.do(rounds.override, round=1, slot=0, arm="soup", reason="no tea")
    assert kept.group.rounds[0].answers == {0: {}}
    kept.rate(0, 1, "2")
    kept.decide()
    with pytest.raises(InputError, match="was overridden before"):
        kept.do(rounds.override, round=1, slot=0, arm="tea", reason="late")
    for late in (InMemoryGroup(), InMemoryGroup(learner="guided")):
        late.decide()
        late.decide()
        played = late.group.rounds[0].played
        late.do(rounds.override, round=1, slot=0, arm=ARMS[1 - played[0]], reason="late")
        assert late.group.rounds[0].overrides
        assert late.group.rounds[0].played == played


def test_a_rating_is_a_row_over_the_arms_of_its_round_and_the_one_put_in():
    kept = InMemoryGroup(learner="guided")
    kept.decide()
    kept.do(rounds.add_option, name="pie", reason=None)
    kept.rate(0, 1, "5")
    kept.do(rounds.override, round=1, slot=0, arm="pie", reason="there was pie")
    kept.rate(1, 1, "4")
    kept.decide()
    (line,) = (n for n, said in enumerate(kept.group.parsed, 1) if said["line"] == "ratings")
    ((under, (leaf,)),) = collect_own_leaves(kept.group, kept.people[1])
    assert under == line
    assert b'"values":[null,null,"4"]' in leaf
    assert collect_own_leaves(kept.group, kept.people[0]) == []


def test_a_page_comes_two_minutes_before_its_beacon_and_is_never_left():
    source = RANDOMNESS_SOURCES["beacon"].terms(first=AT + 100, every=3600)
    kept = InMemoryGroup(source=source)
    with pytest.raises(InputError, match="120 s before it"):
        kept.do(rounds.freeze, occurrence=0, event=None, form=None)
    kept.do(rounds.freeze, occurrence=None, event=None, form=None)
    assert kept.group.open.freeze["occurrence"] == 1
    for action, body in ((rounds.freeze, {"undrawn": True}), (rounds.end_record, {})):
        with pytest.raises(InputError, match="frozen under a beacon"):
            kept.do(action, **body)
    with pytest.raises(InputError, match="the beacon speaks at"):
        kept.do(rounds.draw, value=None)
