"""Axioms of policies: decided as all coalitions and another linear program decide them, with witnesses that check."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

import isegoria as iso
from isegoria.analysis.efficiency import decide_efficiency


def random_group(rng, agents=6, arms=4, weights=False):
    wants = rng.random((rng.integers(1, agents + 1), rng.integers(2, arms + 1))) < 0.45
    wants[np.arange(len(wants)), rng.integers(wants.shape[1], size=len(wants))] = True
    return iso.Instance(wants.astype(float), weights=rng.integers(1, 6, len(wants)) if weights else None)


def random_policy(rng, arms):
    policy = rng.dirichlet(np.ones(arms)) if rng.random() < 0.7 else np.eye(arms)[rng.integers(arms)]
    return policy


def coalitions(weights):
    """(m, N) every coalition of single agents, as how many of each row take part."""
    return np.array(list(product(*(range(weight + 1) for weight in weights)))[1:])


def test_average_fair_share_is_that_of_all_coalitions():
    rng = np.random.default_rng(1)
    for _ in range(500):
        group = random_group(rng, 4, 3, weights=True)
        policy = random_policy(rng, len(group.arms))
        taking = coalitions(group.weights)
        agree = np.array([group.favourites[some > 0].all(axis=0).any() for some in taking])
        alpha = (group.total_weight * (taking @ group.decision_shares(policy)) / taking.sum(axis=1) ** 2)[agree].min()
        verdict = iso.axioms.check(group, policy, "afs")
        assert verdict.bound == pytest.approx(alpha, abs=1e-12)
        assert verdict.holds is bool(alpha >= 1 - 1e-9)
        assert verdict.holds or verdict.witness.has < verdict.witness.due


def test_supporters_with_the_smallest_shares_decide():
    group = iso.Instance.from_approvals(["a", "ab", "b", "b"])
    verdict = iso.axioms.check(group, [0.2, 0.8], "afs")
    assert not verdict.holds
    assert verdict.bound == pytest.approx(0.8)
    assert verdict.witness.agents == ("Agent 1",)


def test_unanimous_fair_share_counts_everyone_with_the_same_favourites():
    rng = np.random.default_rng(4)
    for _ in range(60):
        group = random_group(rng, weights=True)
        policy, sets = random_policy(rng, len(group.arms)), [tuple(row) for row in group.favourites.tolist()]
        alike = np.array([group.weights[[other == own for other in sets]].sum() for own in sets])
        verdict = iso.axioms.check(group, policy, "ufs")
        bound = (group.decision_shares(policy) * group.total_weight / alike).min()
        assert verdict.bound == pytest.approx(bound, abs=1e-12)
        assert verdict.holds is bool(bound >= 1 - 1e-9)


def test_group_fair_share_is_that_of_all_coalitions():
    rng = np.random.default_rng(2)
    for _ in range(60):
        group = random_group(rng)
        policy = random_policy(rng, len(group.arms))
        worst = min(
            policy[group.favourites[list(some)].any(axis=0)].sum() - len(some) / len(group.agents)
            for size in range(1, len(group.agents) + 1)
            for some in combinations(range(len(group.agents)), size)
        )
        assert iso.axioms.check(group, policy, "gfs").holds is bool(worst >= -1e-9)


def largest_gain(rows, policy):
    """The largest total gain that harms nobody, by HiGHS."""
    n, k = rows.shape
    cost = np.r_[np.zeros(k), -np.ones(n)]
    above = np.hstack([-rows, np.eye(n)])
    found = linprog(cost, above, -(rows @ policy), [np.r_[np.ones(k), np.zeros(n)]], [1])
    return -found.fun


def test_efficiency_is_that_of_a_linear_program():
    rng = np.random.default_rng(3)
    for _ in range(300):
        rows = rng.choice([0, 0.3, 0.6, 1.0], (rng.integers(1, 7), rng.integers(2, 5)))
        rows[np.arange(len(rows)), rng.integers(rows.shape[1], size=len(rows))] = 1.0
        policy = random_policy(rng, rows.shape[1])
        found, gain = decide_efficiency(rows, policy), largest_gain(rows, policy)
        assert found.holds is bool(gain <= 1e-9)
        if found.holds:
            assert (found.weights >= 1 - 1e-12).all()
            assert (found.weights @ rows).max() - found.weights @ rows @ policy <= 1e-9
        else:
            gains = rows @ found.better - rows @ policy
            assert gains.min() >= -1e-12
            assert gains.max() >= 1e-9


def test_who_has_her_best_already_does_not_hide_inefficiency():
    verdict = iso.axioms.check(iso.Instance.from_approvals(["a", "ab"]), [0.75, 0.25], "efficient")
    assert not verdict.holds
    assert not verdict.witness.for_all
    assert list(verdict.witness.gains) == ["Agent 1"]


ARROWS = [
    ("cfs", "gfs"),
    ("gfs", "ufs"),
    ("ufs", "ifs"),
    ("afs", "ufs"),
    ("cfs", "efficient"),
    ("efficient", "ex-post"),
]
SEPARATIONS = [
    ("ifs", "ufs", ["a", "a"], [0.5, 0.5]),
    ("ufs", "gfs", ["a", "ab"], [0.5, 0, 0.5]),
    ("gfs", "afs", ["a", "ab"], [0.5, 0.5]),
    ("afs", "gfs", ["a", "a", "b", "ab", "ab"], [0.7, 0.2, 0.1]),
    ("afs", "cfs", ["a", "b", "abc"], [1 / 3, 1 / 3, 1 / 3]),
    ("cfs", "afs", ["ab", "ac", "bc"], [1 / 6, 1 / 6, 2 / 3]),
]


def test_axioms_imply_each_other_as_they_should():
    rng = np.random.default_rng(4)
    for _ in range(60):
        group = random_group(rng, 4, 3)
        policy = rng.choice([0, 1, 2, 3], len(group.arms)) + 1e-300
        policy = policy / policy.sum()
        found = {
            name: iso.axioms.check(group, policy, name).holds
            for name in ("ifs", "ufs", "gfs", "afs", "cfs", "efficient", "ex-post")
        }
        for stronger, weaker in ARROWS:
            assert not found[stronger] or found[weaker], (group.favourites, policy, stronger, weaker)


@pytest.mark.parametrize(("holds", "fails", "sets", "policy"), SEPARATIONS)
def test_and_no_other_arrow_holds(holds, fails, sets, policy):
    arms = ["a", "b", "c"][: len(policy)]
    group = iso.Instance.from_approvals(sets, arms=arms)
    assert iso.axioms.check(group, policy, holds).holds
    assert not iso.axioms.check(group, policy, fails).holds


def test_a_verdict_has_no_truth_value_and_wrong_questions_get_a_sentence():
    group = iso.Instance.from_approvals(["a", "ab"])
    with pytest.raises(TypeError, match=r"ask for \.holds"):
        bool(iso.axioms.check(group, [1, 0], "ifs"))
    with pytest.raises(iso.InputError, match="a policy cannot be strategyproof, a rule can: check"):
        iso.axioms.check(group, [1, 0], "strategyproof")
    with pytest.raises(iso.UnknownNameError, match="did you mean 'afs'"):
        iso.axioms.check(group, [1, 0], "avs")
    with pytest.raises(iso.InputError, match="check_all: missing"):
        iso.axioms.check_all(group)


@pytest.mark.parametrize("means", [[[1.0]], [[0.5, 0.5]], [[0, 0], [0, 0]], [[1, 0], [0, 0]]])
def test_the_smallest_groups_answer(means):
    group = iso.Instance(means, weights=[10**6] * len(means))
    for rule in ("procedural", "cut", "utilitarian"):
        for verdict in iso.axioms.check_all(group, rule, time_limit=5).values():
            assert verdict.sentence.endswith(".")
