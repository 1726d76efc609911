"""The rules of fair mixing against their definitions in exact fractions, and the field's own examples."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.rules.builtin import random_priority
from oracles.fair_mixing import EXACT_RULES, to_weak_orders

ROUNDING = 4e-16


def random_groups(count, seed, most=6):
    rng = np.random.default_rng(seed)
    for i in range(count):
        agents, arms = int(rng.integers(1, most)), int(rng.integers(1, 6))
        means = (rng.random((agents, arms)) < 0.45).astype(float) if i % 2 else rng.integers(0, 4, (agents, arms)) / 3
        weights = None if agents > 3 else rng.integers(1, 3, agents)
        yield iso.Instance(means, weights=weights)


@pytest.mark.parametrize("rule", EXACT_RULES)
def test_every_probability_is_the_fraction_that_the_definition_gives(rule):
    for group in random_groups(60, seed=7):
        exact = EXACT_RULES[rule](to_weak_orders(group), len(group.arms))
        assert sum(exact) == 1
        np.testing.assert_allclose(iso.solve(group, rule).policy, [float(p) for p in exact], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("rule", EXACT_RULES)
@pytest.mark.parametrize("sets", ["abde d ce abcde ac acde de ad", "abce c bcd d abe bce ade b", "abc abc d", "abcd"])
def test_groups_that_random_ones_seldom_reach(rule, sets):
    """Agents are served at several levels, or like three arms or more the same to the end."""
    group = iso.Instance.from_approvals(sets.split())
    exact = EXACT_RULES[rule](to_weak_orders(group), len(group.arms))
    np.testing.assert_allclose(iso.solve(group, rule).policy, [float(p) for p in exact], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize(
    ("rule", "sets", "policy"),
    [
        ("cut", "a ab ac bd cd", [0.6, 0.1, 0.1, 0.2]),
        ("rp", "a ab ac bd cd", [7 / 15, 1 / 6, 1 / 6, 0.2]),
        ("cut", "ab acd bcd", [5 / 18, 5 / 18, 2 / 9, 2 / 9]),
        ("sut", "ab acd bcd", [5 / 18, 5 / 18, 2 / 9, 2 / 9]),
        ("ues", "a ab", [0.75, 0.25]),
        ("mp", "a a ab bc", [0.75, 0.125, 0.125]),
        ("leximin", "a ab ab ac bc", [0.5, 0.25, 0.25]),
        ("egalitarian", "a ab ab ac bc", [0.5, 0.5, 0]),
        ("nmp", "a b ac bc", [0.5, 0.5, 0]),
    ],
)
def test_examples_of_the_field(rule, sets, policy):
    assert iso.solve(iso.Instance.from_approvals(sets.split()), rule).policy == pytest.approx(policy, abs=1e-12)


def test_a_voice_of_a_million_is_a_million_voices():
    large, small = (iso.Instance.from_approvals(["a", "ab", "bc"], weights=[w, 2 * w, w]) for w in (10**6, 1))
    for rule in set(iso.RULES) - {"gini"}:  # which counts ranks, and so how many there are
        np.testing.assert_allclose(iso.solve(large, rule).policy, iso.solve(small, rule).policy, rtol=0, atol=1e-9)


def test_random_priority_looks_at_few_sets_and_refuses_what_is_too_many(monkeypatch):
    rng = np.random.default_rng(5)
    table = iso.Instance((rng.random((1_000, 12)) < 0.5).astype(float))
    policy, seen = random_priority.expected_policy(*random_priority.extract_weak_orders(table), 12)
    assert seen <= 4_100
    monkeypatch.setattr(random_priority, "MAX_STATES", seen - 1)
    with pytest.raises(iso.InputError, match=r"samples=100000, seed=0"):
        iso.solve(table, "rp")
    drawn = iso.solve(table, "rp", samples=20_000, seed=3)
    assert drawn.proof == "sampled"
    assert drawn.sampling_error == pytest.approx(np.sqrt(np.log(2 * 12 / 0.001) / 40_000))
    assert np.abs(drawn.policy - policy).max() <= drawn.sampling_error
    assert iso.solve(table, "rp", samples=20_000, seed=3).policy.tolist() == drawn.policy.tolist()


def test_random_priority_with_more_arms_than_a_word_has_bits():
    wide = np.zeros((4, 70))
    wide[0, [0, 69]], wide[1, [69, 68]], wide[2, 3], wide[3, [3, 68]] = 1, 1, 1, 1
    narrow = wide[:, [0, 3, 68, 69]]
    found, small = (iso.solve(iso.Instance(each), "rp").policy for each in (wide, narrow))
    np.testing.assert_allclose(found[[0, 3, 68, 69]], small, rtol=0, atol=1e-15)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("agents", [1, 3, 12])
def test_no_arm_beats_a_maximal_lottery(agents):
    rng = np.random.default_rng(agents)
    for _ in range(40):
        means, weights = rng.integers(0, 4, (agents, 5)) / 3, rng.integers(1, 4, agents)
        found = iso.solve(iso.Instance(means, weights=weights), "ml")
        for k in range(5):
            margins = [weights @ np.sign(means[:, j] - means[:, k]) for j in range(5)]
            assert found.policy @ margins >= -1e-9
        assert (found.proof, found.tie_break) == ("certificate", "centre")


def test_on_approvals_a_maximal_lottery_is_utilitarian_and_nash_is_procedural():
    for group in random_groups(40, seed=3):
        approvals = iso.Instance(group.favourites.astype(float), weights=group.weights)
        for one, two in (("ml", "utilitarian"), ("nash", "procedural")):
            np.testing.assert_allclose(iso.solve(approvals, one).policy, iso.solve(approvals, two).policy, atol=1e-9)


def test_the_utilitarian_policy_among_the_fair_has_the_total_of_cut_on_approvals():
    for group in random_groups(40, seed=4):
        approvals = iso.Instance(group.favourites.astype(float), weights=group.weights)
        totals = [approvals.arm_means @ iso.solve(approvals, rule, within="fair").policy for rule in ("util", "cut")]
        assert totals[0] == pytest.approx(totals[1], abs=1e-12)
