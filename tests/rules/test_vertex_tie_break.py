"""`tie_break="vertex"` is a corner of the optima, the same for a table in memory and a table that is scanned."""

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy.optimize import linprog

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from oracles.solution_checks import build_instance

CLEAR = 1e-8


def star_ratings(seed, few=False):
    """A small table of steps, or of two decimals, often with more arms than agents."""
    rng = np.random.default_rng([41, seed])
    agents = int(rng.integers(2, 7))
    arms = int(rng.integers(2, 8)) if few else int(rng.integers(agents + 1, 14))
    return rng.integers(0, 6, (agents, arms)) / 5 if seed % 2 else np.round(rng.random((agents, arms)), 2)


def test_a_vertex_of_inequality_is_a_corner_where_arms_outnumber_agents():
    tables = [star_ratings(seed) for seed in range(400)]
    tables.append(np.array([[41, 69, 58, 40, 67, 63], [58, 61, 79, 21, 8, 49], [5, 29, 69, 20, 58, 69]]) / 100)
    for means in tables:
        solution = iso.solve(iso.Instance(means), "inequality", tie_break="vertex")
        played = np.flatnonzero(solution.policy)
        apart = np.vstack([means[:, played] - means.mean(axis=0)[played], np.ones(len(played))])
        assert np.linalg.matrix_rank(apart, tol=1e-10) == len(played)
        assert solution.policy[played].min() > 1e-12


@pytest.mark.parametrize("objective", ["procedural", "nash"])
def test_a_vertex_is_a_corner_however_far_apart_the_weights_are(objective):
    for weights in ([10**12, 1, 1], [1, 10**12, 1], [1, 1, 10**12], [10**12, 10**6, 1]):
        solution = iso.solve(iso.Instance(np.triu(np.ones((3, 7))), weights=weights), objective, tie_break="vertex")
        assert solution.policy.tolist() == [0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("objective", RULE_GROUPS["paper"])
def test_where_nobody_wants_anything_the_vertex_is_the_first_arm(objective):
    solution = iso.solve(iso.Instance(np.zeros((3, 4))), objective, tie_break="vertex")
    assert solution.policy.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("objective", ["egalitarian", "gini"])
def test_vertex_merges_equal_tight_agents(objective):
    """Every agent ranks three arms: six distinct rows, so 1,200 tight agents take no more memory than six."""
    rankings = np.array(list(itertools.permutations([1.0, 0.5, 0.0])))
    few = iso.Instance(rankings, weights=[200] * 6)
    many = iso.Instance(np.tile(rankings, (200, 1)))
    tracemalloc.start()
    try:
        found = iso.solve(many, objective, tie_break="vertex")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**20
    assert found.policy == pytest.approx(iso.solve(few, objective, tie_break="vertex").policy, abs=1e-15)


def lexicographic_corner(instance, kept, utilities, exactly):
    """The oracle: each arm as large as it can be, by linear programs over a policy and the flow that makes it fair.

    What the rows of `kept` give, `utilities`, stays `exactly` so, or at least so."""
    rows, weights, _ = instance.favourite_types
    links = np.argwhere(rows)
    arms, width = len(instance.arms), len(instance.arms) + len(links)
    flow, sent = np.zeros((arms, width)), np.zeros((len(rows), width))
    flow[:, :arms] = -np.eye(arms)
    for j, (i, k) in enumerate(links):
        flow[k, arms + j] = sent[i, arms + j] = 1.0
    equal, bounds = np.vstack([flow, sent]), np.append(np.zeros(arms), weights / weights.sum())
    means = np.pad(kept, ((0, 0), (0, len(links))))
    cuts, least = -means, 1e-11 - utilities
    if exactly:
        cuts, least = np.vstack([cuts, means]), np.append(least, utilities + 1e-11)
    limits, found = [(0.0, None)] * width, np.zeros(arms)
    for k in range(arms):
        solved = linprog(-np.eye(width)[k], A_ub=cuts, b_ub=least, A_eq=equal, b_eq=bounds, bounds=limits)
        assert solved.status == 0
        found[k] = solved.x[k]
        limits[k] = (max(found[k] - 1e-9, 0.0), found[k] + 1e-9)
    return found


@pytest.mark.parametrize("objective", ["inequality", "egalitarian", "nash"])
def test_within_the_fair_a_vertex_is_the_largest_corner_of_all_optima(objective):
    compared = 0
    for seed in range(12):
        means = np.round(star_ratings(seed, few=True))
        instance = iso.Instance(means)
        solution = iso.solve(instance, objective, tie_break="vertex", within="fair")
        assert not ((solution.policy > 0) & (solution.policy < 1e-12)).any()
        kept = means - means.mean(axis=0) if objective == "inequality" else means  # alike up to a common shift
        utilities, exactly = kept @ solution.policy, True
        if objective == "egalitarian":
            utilities, exactly = np.full(len(means), solution.value), False
        if solution.tie_margin > CLEAR:
            compared += 1
            np.testing.assert_allclose(
                solution.policy, lexicographic_corner(instance, kept, utilities, exactly), atol=1e-6
            )
    assert compared > 5


@pytest.mark.parametrize("objective", ["inequality", "egalitarian", "nash", "gini"])
def test_within_the_fair_a_vertex_of_many_arms_leaves_no_dust(objective):
    means = np.round(np.random.default_rng(0).random((3, 80)))
    policy = iso.solve(iso.Instance(means), objective, tie_break="vertex", within="fair").policy
    played = policy[policy > 0]
    assert len(played) <= 8
    assert played.min() > 1e-9


@pytest.mark.parametrize("objective", ["inequality", "egalitarian", "nash", "gini"])
def test_a_scan_and_an_instance_have_one_vertex(objective):
    compared = 0
    for seed in range(40):
        means = star_ratings(seed) if seed < 30 else np.round(np.random.default_rng(seed).random((2500, 12)), 1)
        instance = build_instance(means, np.ones(len(means), dtype=np.int64))
        ours = iso.solve(instance, objective, tie_break="vertex")
        theirs = iso.solve(iso.scan(instance), objective, tie_break="vertex")
        if min(ours.tie_margin, theirs.tie_margin) > CLEAR:
            compared += 1
            np.testing.assert_allclose(ours.policy, theirs.policy, atol=1e-9)
    assert compared > 20
