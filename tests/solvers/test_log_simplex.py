"""Nash products on the simplex: certified on hostile rows, and the chosen optimum is the one that was asked for."""

import numpy as np
import pytest

from isegoria.solvers.decision_shares import procedural_policy
from isegoria.solvers.log_simplex import maximise


def hostile_rows(rng):
    """Rows scaled to maximum 1 and weights of sum 1: entries over 14 decades, weights over 6, clones and near ties."""
    n, k = int(rng.integers(1, 61)), int(rng.integers(1, 21))
    rows = [
        rng.random((n, k)),
        10.0 ** rng.uniform(-14, 0, (n, k)),
        (rng.random((n, k)) < rng.random()) * 1.0,
        rng.integers(0, 4, (n, k)) / 3,
        np.round(rng.random((n, k)), 1),
    ][rng.integers(5)]
    if rng.random() < 0.3:
        rows[:, rng.integers(k)] = rows[:, rng.integers(k)]
    if rng.random() < 0.3:
        near = 10.0 ** rng.integers(-13, -6) * rng.standard_normal(n)
        rows[:, rng.integers(k)] = np.clip(rows[:, rng.integers(k)] + near, 0, 1)
    rows = rows[rows.max(axis=1) > 0] if rows.any() else np.ones((1, k))
    weights = np.floor(10.0 ** rng.uniform(0, rng.choice([0, 6]), len(rows)))
    return np.ascontiguousarray(rows / rows.max(axis=1, keepdims=True)), weights / weights.sum()


def gap_of(rows, weights, policy):
    return (weights / (rows @ policy) @ rows).max() - 1


@pytest.mark.parametrize("seed", range(20))
def test_hostile_rows_are_certified_and_blind_to_the_order_of_arms(seed):
    rng = np.random.default_rng([seed, 1])
    for _ in range(20):
        rows, weights = hostile_rows(rng)
        policy, gap, margin = maximise(rows, weights)
        assert policy.min() >= 0
        assert abs(policy.sum() - 1) <= 1e-15
        assert gap_of(rows, weights, policy) <= 1e-9
        assert abs(gap - gap_of(rows, weights, policy)) <= 1e-12
        arms = rng.permutation(rows.shape[1])
        again, _, _ = maximise(np.ascontiguousarray(rows[:, arms]), weights)
        if margin > 1e-8:
            np.testing.assert_allclose(again, policy[arms], atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_policy_is_the_same_bits_in_any_order_of_agents(seed):
    rng = np.random.default_rng([seed, 2])
    favourites = rng.random((int(rng.integers(1, 80)), int(rng.integers(1, 100)))) < 0.3
    favourites[:, 0] |= ~favourites.any(axis=1)
    first, _, _ = procedural_policy(favourites)
    again, _, _ = procedural_policy(favourites[rng.permutation(len(favourites))])
    doubled, _, _ = procedural_policy(favourites, np.full(len(favourites), 2))
    assert first.tolist() == again.tolist() == doubled.tolist()
