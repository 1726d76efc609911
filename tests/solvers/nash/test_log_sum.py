"""Nash products on the simplex: certified on hostile rows, and the chosen optimum is the one that was asked for."""

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.nash.decision_shares import policy_of_codes, policy_of_rows, procedural_policy
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.subsampled_newton import maximise_rows
from isegoria.solvers.ties.face import pick


def hostile_rows(rng):
    """Rows and weights: entries over 14 decades, weights over 6, clones, near ties and rows of zeros."""
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
    if rng.random() < 0.3:
        rows[rng.integers(n)] = 0
    rows = rows if rows.any() else np.ones((1, k))
    return rows, np.floor(10.0 ** rng.uniform(0, rng.choice([0, 6]), len(rows)))


def gap_of(rows, weights, policy):
    counted = rows.any(axis=1)
    rows, weights = rows[counted], weights[counted]
    return (weights / weights.sum() / (rows @ policy) @ rows).max() - 1


@pytest.mark.parametrize("seed", range(20))
def test_hostile_rows_are_certified_and_blind_to_the_order_of_arms(seed):
    rng = np.random.default_rng([seed, 1])
    for _ in range(20):
        rows, weights = hostile_rows(rng)
        policy, value, gap, margin = maximise(rows, weights)
        assert policy.min() >= 0
        assert abs(policy.sum() - 1) <= 1e-15
        assert gap_of(rows, weights, policy) <= 1e-9
        assert abs(gap - gap_of(rows, weights, policy)) <= 1e-12
        counted = rows.any(axis=1)
        logs = weights[counted] @ np.log(rows[counted] @ policy) / weights[counted].sum()
        assert value == pytest.approx(np.exp(logs), rel=1e-11)
        arms = rng.permutation(rows.shape[1])
        again, same, _, _ = maximise(np.ascontiguousarray(rows[:, arms]), weights)
        assert same == pytest.approx(value, rel=1e-9)
        if margin > 1e-8:
            np.testing.assert_allclose(again, policy[arms], atol=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_a_table_read_in_place_gives_the_same_answer(seed):
    rng = np.random.default_rng([seed, 2])
    rows, weights = hostile_rows(rng)
    rows, weights = np.repeat(rows, 60, axis=0), np.repeat(weights, 60).astype(np.int64)
    order = rng.permutation(len(rows))
    rows, weights = np.ascontiguousarray(rows[order]), np.ascontiguousarray(weights[order])
    policy, value, _, margin = maximise(rows, weights.astype(float))
    streamed, same, gap, _ = maximise_rows(rows, weights)
    assert gap_of(rows, weights, streamed) <= 1e-9
    assert abs(gap - gap_of(rows, weights, streamed)) <= 1e-11
    assert same == pytest.approx(value, rel=1e-9)
    if margin > 1e-5:
        np.testing.assert_allclose(streamed, policy, atol=1e-7)


@pytest.mark.parametrize("seed", [4382, 7723, 7814, 11712, 12102, 12288])
def test_arms_that_are_mixtures_of_fewer_are_certified(seed):
    """Twenty corners of the procedurally fair policies as arms: a Hessian of low rank, weights over six decades."""
    rng = np.random.default_rng([seed, 6])
    n, k = int(rng.integers(20, 60)), int(rng.integers(5, 18))
    rows = rng.random((n, k)) if seed % 2 else rng.integers(0, 6, (n, k)) / 5
    weights = np.ceil(10.0 ** rng.uniform(0, 6, n))
    favourites = rng.random((n, k)) < 0.3
    favourites[np.arange(n), rng.integers(k, size=n)] = True
    chosen = [np.where(favourites, rng.random(k), -1).argmax(axis=1) for _ in range(20)]
    corners = np.array([np.bincount(arms, weights, k) for arms in chosen]) / weights.sum()
    mixtures = np.ascontiguousarray(rows @ corners.T)
    policy, _, gap, _ = maximise(mixtures, weights)
    assert gap <= 1e-9
    assert gap_of(mixtures, weights, policy) <= 1e-9


def test_values_near_the_smallest_double_are_no_trouble():
    rows = np.array([[1e-310, 0.0], [0.0, 3e-320], [1.0, 1.0]])
    for policy, value, gap, _ in (maximise(rows, np.ones(3)), maximise_rows(rows)):
        assert gap <= 1e-9
        assert policy == pytest.approx([0.5, 0.5])
        assert np.log(value) == pytest.approx((np.log(0.5e-310) + np.log(1.5e-320)) / 3, rel=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_the_policy_is_the_same_bits_in_any_order_of_agents(seed):
    rng = np.random.default_rng([seed, 3])
    favourites = rng.random((int(rng.integers(1, 80)), int(rng.integers(1, 100)))) < 0.3
    favourites[:, 0] |= ~favourites.any(axis=1)
    first = procedural_policy(favourites).policy
    again = procedural_policy(favourites[rng.permutation(len(favourites))]).policy
    doubled = procedural_policy(favourites, np.full(len(favourites), 2)).policy
    assert first.tolist() == again.tolist() == doubled.tolist()
    warm, _, gap, _ = procedural_policy(favourites, start=first)
    assert gap <= 1e-9
    np.testing.assert_allclose(warm, first, atol=1e-9)


def test_codes_and_rows_tell_the_same_sets():
    codes = np.array([1, 3, 6], dtype=np.uint64)
    rows = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
    weights = np.array([1, 2, 3])
    assert policy_of_codes(codes, weights, 3)[0].tolist() == policy_of_rows(rows, weights)[0].tolist()


@pytest.mark.parametrize("seed", range(40))
def test_each_tie_break_finds_its_point_of_the_face(seed):
    """Against a linear program for the largest total, and the optimality of a projection for the least norm."""
    rng = np.random.default_rng([seed, 4])
    n, k = int(rng.integers(1, 6)), int(rng.integers(4, 10))
    rows = (rng.random((n, k)) < 0.5) * 1.0
    rows[:, 0] = np.maximum(rows[:, 0], 1 - rows.any(axis=1))
    towards, weights = rng.random(k), np.ones(n)
    found = {rule: maximise(rows, weights, rule, towards) for rule in ("centre", "vertex", "utilitarian")}
    shares = rows @ found["centre"][0]
    for policy, _, gap, _ in found.values():
        assert gap <= 1e-9
        np.testing.assert_allclose(rows @ policy, shares, atol=1e-9)
    equalities = np.vstack([rows, np.ones(k)])
    best = linprog(-towards, A_eq=equalities, b_eq=np.append(shares, 1), method="highs")
    assert towards @ found["utilitarian"][0] == pytest.approx(-best.fun, abs=1e-7)
    centre = found["centre"][0]  # p is the least norm point exactly when p·q ≥ p·p for every q of the face
    nearest = linprog(centre, A_eq=equalities, b_eq=np.append(shares, 1), method="highs")
    assert nearest.fun >= centre @ centre - 1e-7
    support = found["vertex"][0] > 1e-9
    assert np.linalg.matrix_rank(equalities[:, support]) == support.sum()


def test_a_tie_wider_than_rounding_is_told_as_the_margin():
    H = np.diag([1.0, 3e-13]) + 0.0
    _, margin = pick(H, [0.5, 0.5], [0.0, 0.0])
    assert margin == pytest.approx(3e-13)
    _, clear = pick(np.diag([1.0, 0.25]), [0.5, 0.5], [0.0, 0.0])
    assert clear == 0.25


@pytest.mark.parametrize("arms", [30, 64])
def test_sets_kept_as_lists_and_as_tables_give_the_same_policy(arms):
    rng = np.random.default_rng([arms, 5])
    rows = rng.random((900, arms)) < 0.08
    rows[np.arange(900), rng.integers(arms, size=900)] = True
    rows = np.unique(rows, axis=0)
    codes = (rows.astype(np.uint64) << np.arange(arms, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    weights = rng.integers(1, 100, len(rows))
    listed, value, gap, margin = policy_of_codes(codes, weights, arms)
    dense, same, _, other = policy_of_rows(rows, weights)
    assert gap_of(rows * 1.0, weights, listed) <= 1e-9
    assert gap <= 1e-9
    np.testing.assert_allclose(listed, dense, atol=1e-9)
    assert (margin, value) == (pytest.approx(other), pytest.approx(same))


def test_the_largest_total_cannot_be_chosen_without_a_direction():
    sets, weights = np.array([1, 2], dtype=np.uint64), np.array([1, 1])
    for attempt in (
        lambda: maximise(np.eye(2), np.ones(2), "utilitarian"),
        lambda: policy_of_codes(sets, weights, 2, "utilitarian"),
        lambda: policy_of_rows(np.eye(2, dtype=bool), weights, "utilitarian"),
    ):
        with pytest.raises(TypeError, match="needs the direction"):
            attempt()
