"""Equal arms are one arm with a count: they share evenly at the centre, and the first has all at a vertex."""

import time
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from oracles.cvxpy_rules import least_norm_optimum
from oracles.solution_checks import build_instance

TIE_BREAKS = ["centre", "vertex", "utilitarian"]
SEARCHES = ["procedural", "nash", "inequality", "egalitarian", "gini"]


def with_clones(seed, agents=6, kinds=5):
    """(means, member): a table of steps in which each kind of arm comes 4 to 8 times; the kind of each arm."""
    rng = np.random.default_rng([81, seed])
    member = rng.permutation(np.repeat(np.arange(kinds), rng.integers(4, 9, kinds)))
    return (rng.integers(0, 6, (agents, kinds)) / 5)[:, member], member


def party_lists(arms, parties=10):
    party = np.arange(arms) % parties
    return (party[:, None] == party).astype(float)


@pytest.mark.parametrize("within", [None, "fair"])
@pytest.mark.parametrize("objective", RULE_GROUPS["paper"])
def test_clones_share_evenly_at_the_centre(objective, within):
    for seed in range(6):
        means, member = with_clones(seed)
        for given in (means, csr_array(means)):
            policy = iso.solve(iso.Instance(given), objective, tie_break="centre", within=within).policy
            for kind in range(member.max() + 1):
                assert np.ptp(policy[member == kind]) <= 1e-12


@pytest.mark.parametrize("objective", ["inequality", "egalitarian", "nash"])
def test_the_centre_of_clones_has_the_least_norm_of_all_optima(objective):
    """Beside a quadratic program over all arms, each by itself: counts are right only if nothing is shorter."""
    for seed in range(5):
        means, _ = with_clones(seed, agents=3)
        solution = iso.solve(iso.Instance(means), objective, tie_break="centre")
        shortest = least_norm_optimum(objective, means, solution)
        assert np.linalg.norm(solution.policy) <= np.linalg.norm(shortest) + 1e-6


@pytest.mark.parametrize("within", [None, "fair"])
@pytest.mark.parametrize("objective", SEARCHES)
def test_a_vertex_plays_the_first_of_its_clones(objective, within):
    for seed in range(6):
        means, member = with_clones(seed)
        solution = iso.solve(iso.Instance(means), objective, tie_break="vertex", within=within)
        if solution.tie_margin > 0:
            first = [int(np.flatnonzero(member == kind)[0]) for kind in range(member.max() + 1)]
            assert set(np.flatnonzero(solution.policy)) <= set(first)


@pytest.mark.parametrize("objective", SEARCHES)
@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_thousands_of_clones_cost_what_their_kinds_do(objective, tie_break):
    """Measured by memory and not by a clock: a square table of all arms, of 72 MB, is formed nowhere."""
    instance = iso.Instance(party_lists(3_000)[:10], weights=[300] * 10)
    tracemalloc.start()
    policy = iso.solve(instance, objective, tie_break=tie_break).policy
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    played = policy[policy > 0]
    assert len(played) == (10 if tie_break == "vertex" else 3_000)
    np.testing.assert_allclose(played, 1 / len(played), rtol=1e-9)
    assert peak < 20e6


def test_arms_alike_in_favourites_but_not_in_means_stay_apart_by_utility():
    """Everybody's favourites come twice, and of each two one gives more to all others."""
    rng = np.random.default_rng(5)
    means = 0.5 * rng.random((40, 70))
    means[np.arange(40), np.arange(40) % 35] = means[np.arange(40), np.arange(40) % 35 + 35] = 1.0
    instance = iso.Instance(means)
    even = iso.solve(instance, "procedural").policy
    np.testing.assert_allclose(even[:35], even[35:], atol=1e-12)
    best = iso.solve(instance, "procedural", tie_break="utilitarian").policy
    better = np.where(means.mean(axis=0)[:35] >= means.mean(axis=0)[35:], np.arange(35), np.arange(35) + 35)
    np.testing.assert_allclose(best[better], (even[:35] + even[35:]), atol=1e-12)
    assert best.sum() == pytest.approx(best[better].sum())


def test_weights_of_twelve_decades_over_clones_are_certified():
    """6 agents, 65 arms of which 34 differ, weights from 6 to 5e11: it was given up, and the means were blamed."""
    rng = np.random.default_rng([7, 149])
    agents = int(rng.integers(2, 7))
    means, weights = rng.random((agents, 65)) < 0.3, np.ceil(10 ** rng.uniform(0, 12, agents)).astype(np.int64)
    assert iso.solve(build_instance(means.astype(float), weights), "procedural").gap <= 1e-9
    for seed in range(8):
        rng = np.random.default_rng([82, seed])
        means = rng.integers(0, 6, (int(rng.integers(5, 60)), int(rng.integers(65, 101)))) / 5
        weights = np.ceil(10 ** (12 * rng.random(len(means)))).astype(np.int64)
        assert iso.solve(build_instance(means, weights), "procedural").gap <= 1e-9


def test_a_proof_that_fails_names_what_may_cause_it():
    from isegoria.rules.solution import Solution, require_certificate

    for objective, words in (("procedural", "Weights"), ("egalitarian", "Means that"), ("nash", "Means or weights")):
        with pytest.raises(iso.CertificationError, match=words):
            require_certificate(Solution(np.ones(1), objective, 1.0, 1.0), 1e-9)


@pytest.mark.parametrize("objective", SEARCHES)
def test_a_heavy_agent_and_many_clones_are_solved_for_the_largest_utility(objective):
    """2 × 300 of 0 and 1, weights 10¹² and 1: half a minute, once, for projections of clones."""
    means = (np.arange(2)[:, None] == np.arange(300) % 2).astype(float)
    solution = iso.solve(iso.Instance(means, weights=[10**12, 1]), objective, tie_break="utilitarian")
    for parity in (0, 1):
        assert np.ptp(solution.policy[parity::2]) <= 1e-12


def test_a_heavy_agent_beside_a_light_one_costs_no_more_than_two_of_one_weight():
    """The same table, in processor time: it was eight thousand times as long, for projections of clones."""
    means, spent = (np.arange(2)[:, None] == np.arange(300) % 2).astype(float), []
    for heaviest in (1, 10**12):
        instance, times = iso.Instance(means, weights=[heaviest, 1]), []
        for _ in range(3):
            start = time.process_time()
            iso.solve(instance, "egalitarian", tie_break="utilitarian")
            times.append(time.process_time() - start)
        spent.append(min(times))
    assert spent[1] <= 100 * spent[0]


@pytest.mark.parametrize("objective", SEARCHES)
def test_the_policy_of_clones_is_told_as_one_of_all_arms(objective):
    means, _ = with_clones(3)
    solution = iso.solve(iso.Instance(means), objective)
    assert solution.policy.shape == (means.shape[1],)
    assert not solution.policy.flags.writeable
    value = iso.RULES[objective].evaluate(iso.Instance(means), solution.policy)
    assert value == pytest.approx(solution.value, abs=1e-12)
