"""Twice the variance of utilities: its value, its slopes and its minimum against NumPy."""

from fractions import Fraction

import numpy as np
import pytest

from isegoria.solvers.variance.primal_active_set import Variance


@pytest.mark.parametrize("seed", range(25))
def test_values_slopes_and_the_optimality_conditions(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 40)), int(rng.integers(1, 9))
    rows, weights = rng.random((n, k)), rng.integers(1, 4, n)
    variance = Variance(rows, weights)
    G = 2 * np.atleast_2d(np.cov(rows.T, fweights=weights))
    np.testing.assert_allclose(variance.matrix(), G, atol=1e-14)
    root = variance.square_root()
    np.testing.assert_allclose(root.T @ root, G, atol=1e-14)
    p = rng.dirichlet(np.ones(k))
    value, gap, slopes = variance.evaluate(p)
    assert value == pytest.approx(p @ G @ p, rel=1e-11)
    np.testing.assert_allclose(slopes, 2 * G @ p, atol=1e-13)
    assert gap == pytest.approx(p @ slopes - slopes.min(), abs=1e-14)
    np.testing.assert_allclose(variance.values(np.vstack([p, p])), value, rtol=1e-15)
    found, reduced, curvature = variance.minimise(1e-13)
    slope = 2 * G @ found.policy
    np.testing.assert_allclose(reduced, slope - found.policy @ slope, atol=1e-13)
    assert reduced.min() >= -1e-12  # no arm is lower than the policy's mean slope,
    assert np.abs(reduced[found.policy > 0]).max() <= 1e-12  # and those in play are at it
    tied = reduced <= 1e-13
    smallest = np.linalg.eigvalsh((G + 1)[np.ix_(tied, tied)])[0]
    assert curvature >= smallest * (1 - 1e-6)


def test_a_single_agent_differs_from_no_one():
    variance = Variance(np.array([[0.2, 0.9]]))
    assert variance.evaluate(np.array([0.5, 0.5]))[0] == 0


@pytest.mark.parametrize("scale", [1e-3, 1e-9, 1e-13])
@pytest.mark.parametrize("heaviest", [1, 10**6])
def test_agents_who_hardly_differ_are_told_apart(scale, heaviest):
    """In doubles what they have in common would drown what they differ by."""
    rng = np.random.default_rng(3)
    rows, weights = 0.7 + scale * rng.random((9, 4)), rng.integers(1, heaviest + 1, 9)
    p = rng.dirichlet(np.ones(4))
    value, _, slopes = Variance(rows, weights).evaluate(p)
    table = [[Fraction(x) for x in row] for row in rows.tolist()]
    counts, policy = weights.tolist(), [Fraction(x) for x in p.tolist()]
    total = sum(counts)
    utility = [sum(x * y for x, y in zip(row, policy, strict=True)) for row in table]
    mean = sum(w * u for w, u in zip(counts, utility, strict=True)) / total
    apart = [w * (u - mean) for w, u in zip(counts, utility, strict=True)]
    exact = Fraction(2, total - 1) * sum(a * (u - mean) for a, u in zip(apart, utility, strict=True))
    assert value == pytest.approx(float(exact), rel=1e-9)
    for k in range(4):
        slope = Fraction(4, total - 1) * sum(a * row[k] for a, row in zip(apart, table, strict=True))
        assert slopes[k] == pytest.approx(float(slope), rel=1e-8, abs=1e-22)


@pytest.mark.parametrize("shape", [(40, 12), (90, 90), (300, 110)])
def test_arms_found_all_at_once_are_those_found_one_by_one(shape):
    """The least p·Gp is also the least z·Gz/2 − Σz over z ≥ 0, in proportion."""
    rows = np.random.default_rng(shape[1]).random(shape)
    found, reduced, curvature = Variance(rows).minimise(1e-13, patient=False)
    assert found.gap <= 1e-15
    assert curvature > 1e-4
    alone = Variance(rows[:, found.policy > 0].copy()).minimise(1e-13)[0]
    np.testing.assert_allclose(alone.policy, found.policy[found.policy > 0], atol=1e-12)
    assert reduced[found.policy == 0].min(initial=1.0) > 0


@pytest.mark.parametrize(
    "rows", [np.full((9, 4), 0.3), np.tile(np.random.default_rng(0).random((9, 2)), 2), np.eye(3, 5)]
)
def test_arms_that_can_be_exchanged_are_no_unique_optimum(rows):
    variance = Variance(np.ascontiguousarray(rows))
    found = variance.minimise(1e-13, patient=False)
    assert found is None or found[2] <= 1e-13
    assert variance.minimise(1e-13)[0].gap <= 1e-15
