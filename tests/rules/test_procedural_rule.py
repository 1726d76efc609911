"""Procedural: the paper's examples, any number of arms, and favourite sets that are all that counts."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.rules import TIE_BREAKS


@pytest.mark.parametrize(
    ("means", "policy"),
    [
        ([[1, 0], [1, 0], [0, 1]], [2 / 3, 1 / 3]),
        ([[1, 0.99], [0, 1]], [1 / 2, 1 / 2]),
        ([[0.4, 1], [1, 0.6]], [1 / 2, 1 / 2]),
        ([[1, 1], [1, 0]], [1, 0]),
        ([[0.5, 0.5, 0.5]], [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_small_groups(means, policy):
    assert iso.solve(iso.Instance(means)).policy == pytest.approx(policy, abs=1e-12)


@pytest.mark.parametrize("arms", [1, 7, 64, 65, 130])
def test_any_number_of_arms(arms):
    rng = np.random.default_rng(arms)
    instance = iso.Instance(rng.integers(0, 4, (60, arms)) / 3, weights=rng.integers(1, 9, 60))
    solution = iso.solve(instance)
    shares = instance.decision_shares(solution.policy)
    slopes = instance.weights / shares @ instance.favourites / instance.total_weight
    assert slopes.max() - 1 <= 1e-9
    welfare = instance.nash_welfare(solution.policy, payoff="shares")
    assert solution.value == pytest.approx(welfare.geometric_mean, rel=1e-12)


def test_only_favourite_sets_count():
    rng = np.random.default_rng(5)
    means = rng.integers(0, 3, (40, 6)) / 2
    other = np.where(means == means.max(axis=1, keepdims=True), 0.9, 0.1)
    assert iso.solve(iso.Instance(means)).policy.tolist() == iso.solve(iso.Instance(other)).policy.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_the_witness_of_the_returned_policy_is_exact(seed):
    """Each agent hands its share 1/W to its own favourites, and the policy is what they add up to."""
    rng = np.random.default_rng(seed)
    instance = iso.Instance(rng.integers(0, 3, (50, 5)) / 2)
    policy = iso.solve(instance).policy
    handed = instance.favourites * policy / (instance.favourites @ policy)[:, None] / instance.total_weight
    np.testing.assert_allclose(handed.sum(axis=0), policy, atol=1e-12)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_one_voice_among_as_many_as_numbers_can_tell_is_kept(tie_break):
    solution = iso.solve(iso.Instance([[1, 0, 0], [0, 1, 1]], weights=[2**53 - 2, 2]), "procedural", tie_break)
    assert solution.policy[1:].sum() == pytest.approx(2 / 2**53, rel=1e-6)
