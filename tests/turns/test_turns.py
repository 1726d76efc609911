"""Turns with memory: odds exactly fair in every round, debts paid back, nothing moved for who does not ask."""

import copy
import json
from fractions import Fraction

import numpy as np
import pytest

import isegoria as iso
from isegoria.record.format.draw_stream import NO_FREEZE_HASH, DrawStream
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.turns.deterministic import score_deterministic
from isegoria.record.turns.lottery import deal_balls, exchange_balls
from isegoria.record.turns.perpetual import build_ballots
from turns.adversaries import find_worse_plans, play_adaptive_adversary
from turns.enumeration import enumerate_outcomes, option_probabilities, random_group, voice_probabilities

ENUMERATED = [(2, 5, 30, 0), (3, 4, 12, 1), (4, 3, 4, 2)]  # worlds, rounds, histories, seed


def histories(rounds, count, seed, **how):
    rng = np.random.default_rng(seed)
    return [[random_group(rng, **how) for _ in range(rounds)] for _ in range(count)]


@pytest.mark.parametrize(("worlds", "rounds", "count", "seed"), ENUMERATED)
def test_every_round_has_exactly_the_odds_of_its_policy(worlds, rounds, count, seed):
    for history in histories(rounds, count, seed):
        for _, held, outcomes in enumerate_outcomes(history, worlds):
            assert option_probabilities(held, outcomes) == list(held.policy)


def test_waiting_counts_a_quarter_of_a_decision_up_to_twelve_rounds():
    ballots, _ = build_ballots(iso.Instance([[1, 0], [0, 1]]))
    owed = np.zeros((2, 1), dtype=np.int64)
    first = [score_deterministic(ballots, owed, [rounds, 0])[0] for rounds in (0, 1, 12, 13, 40)]
    assert [points - first[0] for points in first] == [UNITS_PER_VOICE * rounds for rounds in (0, 1, 12, 12, 12)]


@pytest.mark.parametrize("worlds", [2, 3])
def test_every_voice_decides_as_often_as_its_weight_says(worlds):
    for history in histories(3, 3, 7, weights=True, absent=0.25):
        for ballots, held, outcomes in enumerate_outcomes(history, worlds):
            due = [Fraction(int(weight), int(ballots.weights.sum())) for weight in ballots.weights]
            assert voice_probabilities(held, outcomes) == due
            assert option_probabilities(held, outcomes) == list(held.policy)


def third_after_overriding(seed):
    """The first and third option where the second draw is replaced by y whenever it is x."""
    group = iso.Instance([[1, 0], [0, 1]], agents=["Ann", "Ben"], arms=["x", "y"])
    turns = iso.Turns(mode="lottery", worlds=2)
    first = turns.draw(turns.propose(group), seed=f"{seed}, 1").option
    proposal, looked = turns.propose(group), copy.deepcopy(turns)
    if looked.draw(proposal, seed=f"{seed}, 2").option == "x":
        turns.charge(proposal, "y")
    else:
        turns = looked
    return first, turns.draw(turns.propose(group), seed=f"{seed}, 3").option


def test_an_override_that_looks_at_the_draw_is_outside_of_the_theorem():
    """After y, which memory pays back with x, the override leaves Ann owed in the real world alone: x is certain."""
    third = {first: set() for first in "xy"}
    for seed in range(40):
        first, option = third_after_overriding(seed)
        third[first].add(option)
    assert third == {"x": {"x", "y"}, "y": {"x"}}, "half of ½ and half of 1: ¾"


def test_worlds_in_a_fixed_order_are_not_fair():
    """The planted fault: without the random order the enumeration sees odds that are far off."""
    worst = 0
    for history in histories(3, 3, 0):
        for _, held, outcomes in enumerate_outcomes(history, 2, orders=[(0, 1)]):
            odds = zip(option_probabilities(held, outcomes), held.policy, strict=True)
            worst = max(worst, *(abs(found - due) for found, due in odds))
    assert worst > Fraction(1, 4)


@pytest.mark.parametrize(("worlds", "rounds", "count", "seed"), ENUMERATED)
def test_memory_never_makes_debts_larger_on_average(worlds, rounds, count, seed):
    """E Σ w owed² is at most what independent draws give: Σ over rounds of Σ w β(1 − β)."""
    for history in histories(rounds, count, seed):
        no_larger_than_independent(history, worlds)


def test_nor_with_weights():
    """Three rounds of the same five, of weight 1, 2, 3, 1 and 2."""
    for history in histories(3, 6, 12):
        weighted = [iso.Instance(each.means, agents=each.agents, weights=[1, 2, 3, 1, 2]) for each in history]
        no_larger_than_independent(weighted, 2)


def no_larger_than_independent(history, worlds):
    independent = Fraction(0)
    for ballots, _, outcomes in enumerate_outcomes(history, worlds):
        weights = dict(zip(ballots.members, map(int, ballots.weights), strict=True))
        shares = [Fraction(int(units), UNITS_PER_VOICE) for units in ballots.credit]
        asks = ballots.asking.tolist()
        independent += sum(w * b * (1 - b) for w, b, a in zip(weights.values(), shares, asks, strict=True) if a)
        expected = sum(
            chance * sum(weights[name] * Fraction(e.owed[0], UNITS_PER_VOICE) ** 2 for name, e in moved.items())
            for chance, _, _, _, moved in outcomes
        )
        floors = Fraction(sum(weights.values()) * 2 * len(history), UNITS_PER_VOICE)  # of the credit
        assert expected <= independent + floors


def test_a_row_of_weight_two_is_two_rows():
    heavy = iso.Instance([[1, 0, 0], [0, 1, 1]], agents=["Ann", "Ben"], weights=[2, 1])
    split = iso.Instance([[1, 0, 0], [1, 0, 0], [0, 1, 1]], agents=["Ann", "Ann's twin", "Ben"])
    for mode in ("lottery", "deterministic"):
        one, two = iso.Turns(mode), iso.Turns(mode)
        for night in range(12):
            a = one.draw(one.propose(heavy), str(night))
            b = two.draw(two.propose(split), str(night))
            assert (a.option, a.worlds) == (b.option, b.worlds)
            assert one.owed["Ann"] == two.owed["Ann"] == two.owed["Ann's twin"]
            assert one.owed["Ben"] == two.owed["Ben"]


def test_one_world_is_the_independent_draw():
    instance = random_group(np.random.default_rng(3))
    turns = iso.Turns("lottery", worlds=1)
    for night in range(20):
        turn = turns.draw(turns.propose(instance), f"night {night}")
        drawn = iso.draw(iso.voices(instance), seed=f"night {night}")
        assert (turn.ball, turn.option, turn.voice) == (drawn.balls[0], *drawn.names[0])


@pytest.mark.parametrize("mode", ["lottery", "deterministic"])
def test_nothing_changes_for_who_does_not_ask(mode):
    turns = iso.Turns(mode)
    rng = np.random.default_rng(4)
    for night in range(6):
        turns.draw(turns.propose(random_group(rng)), str(night))
    for quiet in ([[1, 1], [1, 1]], [[1, 0], [1, 0]], [[1], [1]]):
        agents = ["m0", "m1"]
        before = json.loads(turns.to_json())["members"]
        turns.draw(turns.propose(iso.Instance(np.array(quiet, dtype=float), agents=agents)), "quiet")
        after = json.loads(turns.to_json())["members"]
        owed = {name: entry["owed"] for name, entry in before.items()}
        assert {name: entry["owed"] for name, entry in after.items()} == owed  # unanimous, all favourites, one option


def test_an_answer_of_everything_is_an_absence():
    rng = np.random.default_rng(5)
    one, two = iso.Turns("deterministic"), iso.Turns("deterministic")
    for night in range(1, 21):
        there = random_group(rng)
        everything = iso.Instance(np.vstack([there.means, np.ones((1, 3))]), agents=[*there.agents, "Eve"])
        a, b = one.propose(there), two.propose(everything)
        assert [float(share) for share in a.policy] == pytest.approx([float(share) for share in b.policy], abs=1e-9)
        assert [float(score) for score in a.scores] == pytest.approx([float(score) for score in b.scores], abs=1e-6)
        option = one.draw(a, "x").option
        two.charge(b, option)
        assert all(
            abs(one.owed[name] - two.owed[name]) <= Fraction(night, UNITS_PER_VOICE) for name in one.owed
        )  # a unit each
        assert "Eve" not in two.owed


@pytest.mark.parametrize("mode", ["lottery", "deterministic"])
def test_a_state_goes_on_bit_for_bit(mode):
    rng = np.random.default_rng(6)
    groups = [random_group(rng, absent=0.2, weights=True) for _ in range(15)]
    live, saved = iso.Turns(mode), iso.Turns(mode)
    for night, group in enumerate(groups):
        saved = iso.Turns.from_json(saved.to_json())
        assert live.draw(live.propose(group), str(night)) == saved.draw(saved.propose(group), str(night))
        assert live.to_json() == saved.to_json()


def test_debts_alone_are_bounded_on_every_path():
    """Theorem 3 against an opponent who sees the debts and takes the worst of many ballots each round."""
    assert max(part for part in play_adaptive_adversary(rounds=120, ballots=25)) <= 1


def test_names_and_places_do_not_matter_to_odds():
    rng = np.random.default_rng(13)
    for history in histories(3, 3, 14):
        arms, rows = rng.permutation(3), rng.permutation(5)
        moved = [
            iso.Instance(each.means[rows][:, arms], agents=[f"other {each.agents[i]}" for i in rows])
            for each in history
        ]
        for (_, held, outcomes), (_, other, others) in zip(
            enumerate_outcomes(history, 2), enumerate_outcomes(moved, 2), strict=True
        ):
            odds, found = option_probabilities(held, outcomes), option_probabilities(other, others)
            apart = [abs(odds[k] - share) for k, share in zip(arms, found, strict=True)]
            assert max(apart) <= Fraction(1, UNITS_PER_VOICE)  # rows of five members, each rounded to a unit


def test_names_and_places_do_not_matter_to_scores():
    rng = np.random.default_rng(9)
    one, two = iso.Turns("deterministic"), iso.Turns("deterministic")
    for _ in range(15):
        group = random_group(rng)
        arms, rows = rng.permutation(3), rng.permutation(len(group.agents))
        means = group.means[rows][:, arms]
        names = [f"other {group.agents[i]}" for i in rows]
        moved = iso.Instance(means, agents=names, arms=[group.arms[k] for k in arms])
        a, b = one.propose(group), two.propose(moved)
        assert [a.scores[k] for k in arms] == list(b.scores)
        one.charge(a, group.arms[0])
        two.charge(b, group.arms[0])
        assert {f"other {name}": owed for name, owed in one.owed.items()} == two.owed


def test_no_change_and_no_exchange_betters_a_plan():
    rng = np.random.default_rng(10)
    for _ in range(12):
        group = random_group(rng, 6, 3)
        turns = iso.Turns("deterministic")
        plan = turns.plan(group, rounds=6)
        played = [arm for arm, share in zip(group.arms, turns.propose(group).policy, strict=True) if share > 0]
        total = _debts(group, plan.options)
        assert total == plan.total
        for t in range(6):
            for other in played:
                assert _debts(group, [*plan.options[:t], other, *plan.options[t + 1 :]]) >= total
            for s in range(t):
                swapped = list(plan.options)
                swapped[s], swapped[t] = swapped[t], swapped[s]
                assert _debts(group, swapped) >= total


def test_a_plan_leaves_no_more_owed_than_debts_alone():
    assert find_worse_plans(range(60)) == []


def _debts(group, options):
    turns, total = iso.Turns("deterministic"), Fraction(0)
    for option in options:
        turns.charge(turns.propose(group), option)
        total += sum(owed**2 for owed in turns.owed.values())
    return total


def test_any_fair_rule_and_only_a_fair_rule():
    group = iso.Instance([[1, 0], [1, 0], [0, 1]])
    turns = iso.Turns()
    with pytest.raises(iso.InputError, match="not fair"):
        turns.propose(group, rule="utilitarian")


def test_exchanges_end_and_never_lose():
    rng = np.random.default_rng(11)
    for trial in range(200):
        worlds, arms = int(rng.integers(1, 9)), int(rng.integers(2, 6))
        balls, order = deal_balls(DrawStream(NO_FREEZE_HASH, str(trial).encode()), worlds * 60, worlds)
        lie = rng.integers(arms, size=worlds).tolist()
        table = rng.integers(-(10**6), 10**6, (worlds, arms))
        got = exchange_balls(balls, lie, order, table)
        place = {ball: j for j, ball in enumerate(balls)}
        assert sorted(got) == balls
        before = sum(table[world, lie[j]] for j, world in enumerate(order))
        assert sum(table[world, lie[place[ball]]] for world, ball in enumerate(got)) >= before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "another"}, "format"),
        ({"version": 2}, "version is 2"),
        ({"units": 7}, "units is 7"),
        ({"mode": "tilted"}, "mode is 'tilted'"),
        ({"worlds": 25}, "worlds is 25"),
        ({"round": 0}, "round is 0"),
        ({"members": {"Ann": {"owed": [0], "waited": 0}}}, "member 'Ann': owed must list 8"),
        ({"members": {"Ann": {"owed": [0.5] * 8, "waited": 0}}}, "member 'Ann': owed is 0.5"),
        ({"members": {"Ann": {"owed": [2**53] * 8, "waited": 0}}}, "member 'Ann': owed is"),
        ({"members": {"Ann": {"owed": [0] * 8, "waited": -1}}}, "member 'Ann': waited is -1"),
    ],
)
def test_a_damaged_state_is_refused_with_its_place(change, message):
    state = json.loads(iso.Turns().to_json()) | change
    with pytest.raises(iso.StateError, match=message):
        iso.Turns.from_json(json.dumps(state))


def test_wrong_uses_get_one_sentence():
    with pytest.raises(iso.InputError, match=r"^worlds is 25; choose 1 to 20\.$"):
        iso.Turns(worlds=25)
    with pytest.raises(iso.InputError, match=r"^mode is 'tilted'; lottery or deterministic\.$"):
        iso.Turns("tilted")
    with pytest.raises(iso.InputError, match=r"^deterministic has one world; leave worlds out\.$"):
        iso.Turns("deterministic", worlds=3)
    turns = iso.Turns()
    proposal = turns.propose(iso.Instance([[1, 0], [0, 1]]))
    turns.draw(proposal, b"x")
    with pytest.raises(iso.TicketError, match=r"^this proposal is for round 1, and round 2 is next; propose again\.$"):
        turns.draw(proposal, b"x")
