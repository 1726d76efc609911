"""The choice among tied optima, from any of them: a corner where many arms are empty is no place to get stuck."""

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.ties.face import pick
from isegoria.solvers.variance.primal_active_set import Variance
from oracles.hostile_instances import make_hostile


def tied_rows(rng):
    """Few rows and many arms: clones and complements of a few columns, or clones and midpoints of three."""
    n, k = int(rng.integers(1, 12)), int(rng.integers(2, 25))
    if rng.random() < 0.5:
        base = (rng.random((n, max(1, k // 3))) < 0.5) * 1.0
        rows = base[:, rng.integers(0, base.shape[1], k)]
        other = rng.random(k) < 0.4
        rows[:, other] = 1 - rows[:, other]
        return rows
    rows = rng.random((n, 3))[:, rng.integers(0, 3, k)]
    ends = rng.integers(0, k, (2, k - k // 2))
    rows[:, k // 2 :] = (rows[:, ends[0]] + rows[:, ends[1]]) / 2
    return rows


def assert_least_norm(policy, start, equalities):
    """p is the least norm point exactly when p·q ≥ p·p for every q of the face: one linear program."""
    assert policy.min() >= 0
    np.testing.assert_allclose(equalities @ policy, equalities @ start, atol=1e-11)
    least = linprog(policy, A_eq=equalities, b_eq=equalities @ policy, method="highs")
    assert least.fun >= policy @ policy - 1e-7


@pytest.mark.parametrize("seed", range(20))
def test_the_least_norm_is_reached_from_every_corner(seed):
    rng = np.random.default_rng([seed, 7])
    for _ in range(10):
        rows = tied_rows(rng)
        arms = rows.shape[1]
        equalities = np.vstack([rows, np.ones(arms)])
        for arm in range(0, arms, 4):
            policy, margin = pick(equalities.T @ equalities, np.eye(arms)[arm], np.zeros(arms))
            assert margin > 0
            assert_least_norm(policy, np.eye(arms)[arm], equalities)


@pytest.mark.parametrize("number", [3550, 3850, 9670])
def test_the_least_norm_is_reached_from_a_hostile_corner(number):
    """Corners of equal utilities for all, at which an active set that takes steps of length 0 goes round in circles."""
    means, weights = make_hostile(number)
    variance = Variance(np.ascontiguousarray(means), weights)
    (corner, *_), slack, _ = variance.minimise(1e-13)
    policy, _ = pick(variance.matrix() + 1, corner, slack)
    assert_least_norm(policy, corner, np.vstack([means - means[0], np.ones(len(corner))]))


def test_a_curvature_just_below_a_tie_is_no_curvature_and_is_the_margin():
    policy, margin = pick(np.diag([3e-13, 0.0]) + 1, [1.0, 0.0], [0.0, 0.0])
    assert policy == pytest.approx([0.5, 0.5], abs=1e-12)
    assert margin == pytest.approx(3e-13, rel=1e-2)


def test_the_most_useful_optima_share_evenly_and_the_next_best_arm_is_the_margin():
    """Arms 0 and 1 are alike and the most useful; arm 2 is alike too, and worth 0.25 less."""
    policy, margin = pick(np.ones((3, 3)), [0, 0, 1], np.zeros(3), "utilitarian", [0.75, 0.75, 0.5])
    assert policy == pytest.approx([0.5, 0.5, 0.0], abs=1e-15)
    assert margin == pytest.approx(0.25)
