"""Where each voice went: the fairest flow against successive linear programs, the coalition against all coalitions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import isegoria as iso
from isegoria.analysis.attribution import compute_attribution, compute_proportionality, find_neglected_coalition
from oracles.hostile_instances import make_hostile
from oracles.solution_checks import build_instance


def sampled(seed, most_agents=8, most_arms=5):
    """A small instance with tied favourites and weights, and a policy: of any numbers, of sixths, or a fair one."""
    rng = np.random.default_rng(seed)
    n, k = rng.integers(1, most_agents + 1), rng.integers(1, most_arms + 1)
    means = rng.random((n, k)) < rng.uniform(0.2, 0.8)
    instance = iso.Instance(means.astype(float), weights=rng.integers(1, 4, n))
    sixths = np.bincount(rng.integers(k, size=6), minlength=k) / 6
    favourites = instance.favourites / instance.favourites.sum(axis=1, keepdims=True)
    fair = instance.weights @ favourites / instance.total_weight
    return instance, [rng.dirichlet(np.ones(k)), sixths, fair][seed % 3]


def lexicographic_ratios(instance, policy):
    """The max–min ratios by linear programs: raise the least, find who cannot have more, fix them, and again."""
    owner, arm = np.nonzero(instance.favourites)
    n, k = instance.favourites.shape
    shares = instance.weights / instance.total_weight
    rows = (owner == np.arange(n)[:, None]).astype(float)
    columns = (arm == np.arange(k)[:, None]).astype(float)
    slack, fixed = 1e-11, np.full(n, np.nan)
    while np.isnan(fixed).any():
        free = np.isnan(fixed)
        floor = np.where(free, 0, fixed * shares - slack)
        lhs = np.block([[columns, np.zeros((k, 1))], [rows, np.zeros((n, 1))], [-rows, (free * shares)[:, None]]])
        cost = np.append(np.zeros(len(owner)), -1)
        bounds = [(0, None)] * len(owner) + [(0, 1)]
        least = -linprog(cost, lhs, np.concatenate([policy, shares, -floor]), bounds=bounds).fun
        floor = np.where(free, least * shares - slack, floor)
        for i in np.flatnonzero(free):
            rhs = np.concatenate([policy, shares, -floor])
            most = -linprog(-rows[i], np.vstack([columns, rows, -rows]), rhs).fun
            if most <= least * shares[i] + 1e-8:
                fixed[i] = least
    return fixed


@pytest.mark.parametrize("seed", range(30))
def test_ratios_are_those_of_successive_linear_programs(seed):
    instance, policy = sampled(seed, most_agents=6)
    assert compute_attribution(instance, policy).ratios == pytest.approx(
        lexicographic_ratios(instance, policy), abs=1e-6
    )


@given(st.integers(0, 10**6))
def test_an_attribution_is_a_maximum_flow(seed):
    instance, policy = sampled(seed)
    told = compute_attribution(instance, policy)
    shares = instance.weights / instance.total_weight
    assert not told.y[~instance.favourites].any()
    assert (told.y >= 0).all()
    assert told.y.sum(axis=1) == pytest.approx(told.ratios * shares, abs=1e-12)
    assert (told.y.sum(axis=0) <= policy + 1e-12).all()
    assert told.total == pytest.approx(iso.score(instance, policy).procedural, abs=1e-12)
    assert told.ratios @ shares == pytest.approx(told.total, abs=1e-12)


@given(st.integers(0, 10**6))
def test_fair_means_that_everyone_carries_a_whole_share_and_together_they_carry_all(seed):
    instance, policy = sampled(seed)
    told = compute_attribution(instance, policy)
    if iso.score(instance, policy).procedural >= 1 - 1e-9:
        assert told.y.sum(axis=1) == pytest.approx(instance.weights / instance.total_weight, abs=1e-9)
        assert told.y.sum(axis=0) == pytest.approx(policy, abs=1e-9)
        assert find_neglected_coalition(instance, policy) is None
        assert compute_proportionality(instance, policy).proportional
    else:
        assert told.ratios.min() < 1


@given(st.integers(0, 10**6))
def test_the_neglected_coalition_is_the_smallest_of_the_worst_treated(seed):
    instance, policy = sampled(seed)
    n = len(instance.weights)
    owed = {}
    for chosen in product([False, True], repeat=n):
        members = np.array(chosen)
        wanted = instance.favourites[members].any(axis=0)
        owed[chosen] = instance.weights[members].sum() / instance.total_weight - policy[wanted].sum()
    most = max(owed.values())
    group = find_neglected_coalition(instance, policy)
    assert most == pytest.approx(1 - iso.score(instance, policy).procedural, abs=1e-12)
    if group is None:
        assert most <= 1e-9
        return
    worst = [np.array(chosen) for chosen, lack in owed.items() if lack >= most - 1e-12]
    assert np.array_equal(group.members, np.logical_and.reduce(worst))
    assert group.shortfall == pytest.approx(most, abs=1e-12)
    assert np.array_equal(group.members, compute_attribution(instance, policy).ratios < 1)
    assert np.array_equal(group.wanted, instance.favourites[group.members].any(axis=0))
    assert group.agents == tuple(name for name, isin in zip(instance.agents, group.members, strict=True) if isin)


@given(st.integers(0, 10**6))
def test_relabelling_relabels_the_answer(seed):
    instance, policy = sampled(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(instance.weights)), rng.permutation(len(policy))
    told = compute_attribution(instance, policy)
    shuffled = iso.Instance(instance.means[rows], weights=instance.weights[rows])
    assert np.array_equal(
        compute_attribution(shuffled, policy).y, told.y[rows]
    )  # the order of agents: not even a rounding
    turned = iso.Instance(instance.means[:, columns], weights=instance.weights)
    assert compute_attribution(turned, policy[columns]).y == pytest.approx(told.y[:, columns], abs=1e-9)


@given(st.integers(0, 10**6))
def test_splitting_a_weighted_row_changes_nothing(seed):
    instance, policy = sampled(seed)
    expanded = iso.Instance(np.repeat(instance.means, instance.weights, axis=0))
    told, split = compute_attribution(instance, policy), compute_attribution(expanded, policy)
    start = np.append(0, np.cumsum(instance.weights)[:-1])
    assert np.add.reduceat(split.y, start, axis=0) == pytest.approx(told.y, abs=1e-12)
    assert split.ratios == pytest.approx(np.repeat(told.ratios, instance.weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_claims_are_the_nearest_to_the_policy(seed):
    """Of all y with these row sums that fit into the policy, ours has the least relative entropy (by Clarabel)."""
    cp = pytest.importorskip("cvxpy")
    instance, policy = sampled(3 * seed)  # policies of any numbers: every arm has some probability
    told = compute_attribution(instance, policy)
    owner, arm = np.nonzero(instance.favourites)
    mass = told.y.sum(axis=1)
    y = cp.Variable(len(owner), nonneg=True)
    limits = [(owner == np.arange(len(mass))[:, None]).astype(float) @ y == mass]
    limits += [(arm == np.arange(len(policy))[:, None]).astype(float) @ y <= policy]
    first_claims = instance.weights[owner] / instance.total_weight * policy[arm]
    cp.Problem(cp.Minimize(cp.sum(cp.rel_entr(y, first_claims))), limits).solve(solver="CLARABEL")
    assert told.y[owner, arm] == pytest.approx(y.value, abs=2e-4)


def test_the_nash_policy_is_told_in_closed_form():
    instance = iso.Instance([[1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 0, 1]], weights=[3, 1, 4, 1])
    policy = iso.solve(instance, "procedural").policy
    told = compute_attribution(instance, policy)
    assert told.closed_form
    d = instance.decision_shares(policy)
    expected = instance.favourites * policy * (instance.weights / (instance.total_weight * d))[:, None]
    assert told.y == pytest.approx(expected, abs=1e-15)


def test_equals_are_told_the_same():
    """The paper fills the shares one after the other, 1, 0.5, 1; equals get the same here: 0.75, 0.75, 1."""
    scores = iso.score(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5])
    assert scores.ratios.tolist() == [0.75, 0.75, 1]
    assert scores.attribution_matrix.sum() == pytest.approx(5 / 6, abs=1e-15)


def test_a_tie_lost_to_rounding_neglects_nobody():
    """Ten agents a tenth each, summed as 0.1 + 0.2 + 0.3 in the policy: only the truly neglected are named."""
    means = np.eye(4)[[0, 1, 1, 2, 2, 2, 3, 3, 3, 3]]
    group = find_neglected_coalition(iso.Instance(means), [0.1, 0.1 + 0.1, 0.1 + 0.2 - 0.05, 0.4 + 0.05])
    assert group.agents == ("Agent 4", "Agent 5", "Agent 6")


def test_a_proportional_part_counts_the_whole_group():
    numbers = compute_proportionality(iso.Instance([[1, 0.5], [0, 0], [0, 0.8]], weights=[2, 1, 1]), [0.9, 0.1])
    assert numbers.shares == pytest.approx([3.6, 4, 0.4])
    assert numbers.utilities == pytest.approx([4 * 0.95, 4, 4 * 0.1])
    assert not numbers.proportional


def test_a_million_agents_cost_their_few_types():
    rng = np.random.default_rng(0)
    means = np.eye(12)[rng.integers(12, size=10**6)]
    scores = iso.score(iso.Instance(means), rng.dirichlet(np.ones(12)))
    assert scores.attribution.total == pytest.approx(scores.procedural, abs=1e-12)
    assert len(scores.ratios) == 10**6


@pytest.mark.parametrize("first", range(0, 1000, 200))
def test_hostile_data_is_told_as_exactly(first):
    """Policies over 14 decades on hostile instances: the attribution, the score and the coalition agree to 1e-12."""
    for number in range(first, 10_000, 1000):
        instance, rng = build_instance(*make_hostile(number)), np.random.default_rng(number)
        for policy in (10 ** rng.uniform(-14, 0, len(instance.arms)), rng.dirichlet(np.ones(len(instance.arms)))):
            scores = iso.score(instance, instance.validate_policy(policy / policy.sum()))
            group, lack = find_neglected_coalition(instance, scores.policy), 1 - scores.procedural
            assert scores.attribution.total == pytest.approx(scores.procedural, abs=1e-12)
            assert (scores.attribution.by_type.sum(axis=0) <= scores.policy + 1e-12).all()
            assert (group is None) == (lack <= 1e-9)
            assert group is None or group.shortfall == pytest.approx(lack, abs=1e-12)


@pytest.mark.parametrize(
    ("means", "weights", "policy"),
    [
        ([[0.5, 1, 0], [0.5, 1, 1]], [10**6, 1], [1e-13, 0.9999999989999, 1e-9]),
        ([[1, 0, 1, 0], [1, 0.5, 1, 1], [0.5, 0.5, 1, 1]], [3, 1000, 1000], [0.5, 5e-14, 0.5, 5e-16]),
    ],
)
def test_an_arm_of_next_to_nothing_that_nobody_wants_does_not_upset_the_attribution(means, weights, policy):
    """Voices claim the arms they want, which fall short by what is on the other: no claims fit to the last digit."""
    instance = iso.Instance(means, weights=weights)
    policy = instance.validate_policy(np.array(policy) / np.sum(policy))
    told = compute_attribution(instance, policy)
    assert told.total == pytest.approx(iso.score(instance, policy).procedural, abs=1e-12)
    assert (told.y.sum(axis=0) <= policy + 1e-12).all()
    assert told.ratios == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_attributions_of_policies_over_many_decades_add_up(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        agents, arms = rng.integers(1, 6, 2)
        instance = iso.Instance(
            rng.choice([0, 0.5, 1], (agents, arms)), weights=(10 ** rng.uniform(0, 12, agents)).astype(int)
        )
        drawn = 10 ** (-16 * rng.random(arms) * (rng.random(arms) < 0.6))
        policy = instance.validate_policy(drawn / drawn.sum())
        told = compute_attribution(instance, policy)
        assert told.total == pytest.approx(iso.score(instance, policy).procedural, abs=1e-11)
        assert (told.y.sum(axis=0) <= policy + 2e-12).all()
        assert (told.y[~instance.favourites] == 0).all()
