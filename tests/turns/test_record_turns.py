"""Turns on record: what the pages and draws add up to is what `Turns` carries from round to round."""

from __future__ import annotations

import random

import numpy as np
import pytest
from in_memory_group import MODES, InMemoryGroup, make_film_group, play_random_round

from isegoria import Instance, Turns
from isegoria.errors import InputError
from isegoria.record.actions import members, rounds
from isegoria.record.actions.action import InvalidActionError
from isegoria.record.format.draw_stream import DrawStream
from isegoria.record.state.group import Group
from isegoria.record.turns.modes import build_turn_terms


def instance_of(group: Group, sets: dict[str, list[int]], weights: dict[str, int]) -> Instance:
    """The page as a table, with pseudonyms for names and only the arms on offer."""
    offered = group.last.freeze["available"]
    names = sorted(sets)
    means = np.array([[float(arm in sets[name]) for arm in offered] for name in names])
    return Instance(means, agents=names, arms=[group.arms[arm] for arm in offered], weights=[weights[n] for n in names])


def collect_ballots(group: Group) -> tuple[dict[str, list[int]], dict[str, int]]:
    kinds = [(name, kind) for kind in group.last.freeze["types"] for name in kind["pseudonyms"]]
    return {name: kind["candidates"] for name, kind in kinds}, {name: kind["weight"] for name, kind in kinds}


@pytest.mark.parametrize(("mode", "worlds"), MODES)
def test_a_record_carries_what_turns_carry(mode, worlds):
    rng = random.Random(f"{mode} {worlds}")
    turns = Turns(mode, worlds)
    kept = InMemoryGroup(
        ["Ann", "Ben", "Cem", "Dee", "Eve"], [1, 1, 2, 3, 1], list("abcd"), build_turn_terms(mode, worlds), rng
    )
    group = kept.group
    for number in range(1, 13):
        play_random_round(kept, rng)
        kept.freeze(undrawn=True)
        page = group.last
        assert page.freeze["units"] == 3_724_680_960
        assert page.freeze["block"] == turns.worlds
        proposal = turns.propose(instance_of(group, *collect_ballots(group)))
        balls = turns.balls(proposal, DrawStream(page.freeze_hash, bytes(32)))
        fate = rng.random()
        if fate < 0.15:  # never drawn, and nothing was put in: nothing changes
            assert {name: entry.owed[0] for name, entry in group.owed.items()} == collect_debts(turns)
            continue
        if fate < 0.25:  # never drawn, and another was put in, in time: all worlds are charged
            kept.do(rounds.override, round=number, slot=0, arm="b", reason="we had no time")
            turns.charge(proposal, "b")
        else:
            kept.draw()
            source = bytes.fromhex(page.draw["source_bytes"])
            balls = turns.balls(proposal, DrawStream(page.freeze_hash, source))
            assert page.draw["balls"] == balls
            turn = turns._record_turn(
                proposal, [proposal.options.index(group.arms[arm]) for arm in page.draw["arms"]], balls[0]
            )
            assert turn.voice == page.whose(0)
            assert page.played == page.draw["arms"][:1]
        assert {name: entry.owed[0] for name, entry in group.owed.items()} == collect_debts(turns)
        assert {name: entry.waited for name, entry in group.owed.items()} == turns.waited
    assert Group.from_lines(group.lines).owed == group.owed


def collect_debts(turns: Turns) -> dict[str, int]:
    return {name: int(part * 3_724_680_960) for name, part in turns.owed.items()}


def test_what_was_used_up_is_never_on_offer_again():
    kept = make_film_group(single_use=True)
    kept.freeze()
    kept.draw()
    first = kept.group.last.played[0]
    kept.freeze()
    assert first not in kept.group.last.freeze["available"]
    kept.do(rounds.override, round=2, slot=0, arm="Clue", reason="the disc was broken")
    assert kept.group.available == sorted({0, 1, 2} - {first, 2})


def test_only_the_real_world_can_be_overridden_and_only_in_time_for_debts():
    kept = make_film_group("lottery", 4)
    kept.freeze()
    kept.draw()
    with pytest.raises(InvalidActionError, match="slots 0 to 0"):
        kept.do(rounds.override, round=1, slot=1, arm="Clue", reason="no")
    kept.freeze()
    before = kept.group.debts
    kept.do(rounds.override, round=1, slot=0, arm="Clue", reason="we misremembered")
    assert kept.group.debts == before


def test_a_pseudonym_is_the_same_in_every_round_and_only_with_turns():
    kept, plain = make_film_group(), InMemoryGroup(["Ann", "Ben"], [1, 1], ["a", "b"], None, random.Random(1))
    for group in (kept, plain):
        group.freeze()
        group.draw()
        group.freeze()
    names = [{name for kind in one.freeze["types"] for name in kind["pseudonyms"]} for one in kept.group.rounds]
    assert names[0] == names[1]
    names = [{name for kind in one.freeze["types"] for name in kind["pseudonyms"]} for one in plain.group.rounds]
    assert not names[0] & names[1]


def test_turns_go_without_a_learner_and_a_block():
    with pytest.raises(InvalidActionError, match="without a learner and without a block"):
        InMemoryGroup(["Ann"], [1], ["a", "b"], build_turn_terms("lottery"), random.Random(1)).do(
            members.found_group,
            title="t",
            arms=["a"],
            source={"kind": "rehearsal"},
            members=["Ann"],
            block=3,
            turns=build_turn_terms("lottery"),
        )
    kept = make_film_group()
    kept.freeze()
    kept.draw()
    with pytest.raises(InputError, match="no block to amend"):
        kept.do(rounds.amend, field="block", value=3, reason="more")


def test_whoever_leaves_takes_the_debt_along_and_whoever_joins_begins_at_nothing():
    kept = make_film_group()
    kept.freeze()
    kept.draw()
    cem = kept.group.alias(kept.people[2], 1)
    assert kept.group.owed[cem].owed[0] > 0
    kept.do(members.remove_member, member=2)
    kept.do(members.join, name="Dan", weight=1)
    kept.rate(3, [0, 1, 0])
    kept.freeze()
    assert kept.group.alias(kept.people[3], 2) not in kept.group.debts


TOLD = [("lottery", False, True), ("lottery", True, False), ("deterministic", False, False)]


@pytest.mark.parametrize(("mode", "single_use", "told"), TOLD)
def test_chances_are_told_only_where_they_hold(mode, single_use, told):
    kept = make_film_group(mode, single_use=single_use)
    kept.freeze()
    assert (kept.group.last.policy is not None) == told
