"""The three scores: the paper's example, their proofs, and that names and orders do not matter."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isegoria as iso
from isegoria.analysis.scores import score_batch


def instance_and_policy(seed):
    """A random instance with tied favourites and weights, and a policy on it."""
    rng = np.random.default_rng(seed)
    n, k = rng.integers(1, 12), rng.integers(1, 7)
    means = rng.integers(0, 4, (n, k)) / 3
    return iso.Instance(means, weights=rng.integers(1, 5, n)), rng.dirichlet(np.ones(k))


def triple(instance, policy):
    scores = iso.score(instance, policy)
    return scores.procedural, scores.equality, scores.utilitarian


def test_the_worked_example():
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    scores = iso.score(instance, [0.5, 0.5])
    assert scores.procedural == pytest.approx(5 / 6, abs=1e-15)
    assert scores.procedural_interval == pytest.approx((5 / 6, 5 / 6), abs=1e-15)
    assert iso.score(instance, [2 / 3, 1 / 3]).procedural == pytest.approx(1, abs=1e-15)


def test_a_group_that_wants_nothing_loses_nothing():
    group = iso.Instance([[0, 0], [0, 0]])
    scores = iso.score(group, [0.3, 0.7])
    assert scores.utilitarian == 1
    assert score_batch([group], [np.array([[0.3, 0.7]])]).tolist() == [[[1, 1, 1]]]
    assert scores.lower_bounds.tolist() == [1, 1, 1]
    assert scores.relative.tolist() == [1, 1, 1]


def test_small_rewards_score_as_large_ones():
    for seed in range(5):
        instance, policy = instance_and_policy(seed)
        small = iso.Instance(instance.means / 1000, weights=instance.weights)
        assert iso.score(small, policy).procedural == pytest.approx(iso.score(instance, policy).procedural, abs=1e-12)
        assert iso.score(small, policy).utilitarian == pytest.approx(iso.score(instance, policy).utilitarian, abs=1e-12)


def test_equality_is_one_at_the_least_inequality_and_less_elsewhere():
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    assert iso.score(instance, [0.5, 0.5]).equality == pytest.approx(1, abs=1e-12)
    assert iso.score(instance, [1, 0]).equality == pytest.approx(1 - 2 / 3, abs=1e-12)  # utilities 1, 1, 0


@given(st.integers(0, 10**6))
def test_a_table_of_scores_says_what_each_policy_s_scores_say(seed):
    instance, policy = instance_and_policy(seed)
    policies = np.vstack([policy, np.eye(len(policy))])
    each = [triple(instance, one) for one in policies]
    assert np.abs(score_batch([instance], [policies])[0] - each).max() <= 1e-11


@given(st.integers(0, 10**6))
def test_orders_do_not_matter(seed):
    instance, policy = instance_and_policy(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(instance.means.shape[0]), rng.permutation(len(policy))
    shuffled = iso.Instance(instance.means[rows][:, columns], weights=instance.weights[rows])
    assert triple(shuffled, policy[columns]) == pytest.approx(triple(instance, policy), abs=1e-11)


@given(st.integers(0, 10**6))
def test_a_row_of_weight_w_is_w_rows(seed):
    instance, policy = instance_and_policy(seed)
    expanded = iso.Instance(np.repeat(instance.means, instance.weights, axis=0))
    assert triple(expanded, policy) == pytest.approx(triple(instance, policy), abs=1e-11)


def test_scores_cannot_be_changed():
    scores = iso.score(iso.Instance([[1, 0]]), [1, 0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores.policy = None
    with pytest.raises(ValueError, match="read-only"):
        scores.policy[0] = 0.5


@pytest.mark.parametrize("policy", [[1], [0.5, 0.4], [0.5, 0.5, 0], [float("nan"), 1], [-0.5, 1.5]])
def test_what_is_not_a_policy_is_refused(policy):
    with pytest.raises(iso.InputError):
        iso.score(iso.Instance([[1, 0], [0, 1]]), policy)


def test_a_policy_for_other_arms_is_refused():
    with pytest.raises(iso.UnknownNameError, match="arm 'milk' is not known"):
        iso.score(iso.Instance([[1, 0], [0, 1]], arms=["tea", "coffee"]), {"milk": 1})


def test_equality_is_measured_by_the_least_inequality_that_is_possible():
    unequal = iso.Instance([[1.0, 0.9], [0.0, 0.1]])  # whatever is played, the first agent gets more
    assert iso.score(unequal, [0, 1]).equality == 1
    assert iso.score(unequal, [1, 0]).equality == pytest.approx(1 - (1 - 0.64), abs=1e-12)
