"""Kernels for many arms: against those for few, by optimality conditions, and in any order of arms and agents."""

import numpy as np
import pytest
from scipy import sparse

import isegoria as iso
from isegoria.solvers import method_limits
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.row_generation import solve_by_rows
from isegoria.solvers.maximin.welfare_functions import GiniWelfare, MinimumWelfare
from isegoria.solvers.nash.interior_point import interior_point
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.sparse_log_sum import solve_sparse_rows
from isegoria.solvers.nash.sparse_newton import sparse_newton
from isegoria.solvers.nash.sparse_rows import SparseRows, fixed_arms
from isegoria.solvers.result import Selection
from isegoria.solvers.rows.csr_rows import to_csr_rows
from isegoria.solvers.ties.least_norm import least_norm
from isegoria.solvers.variance.high_dimensional import minimise_variance_high_dimensional
from isegoria.solvers.variance.least_variance import minimise_variance
from isegoria.solvers.variance.moments import StreamingVariance
from isegoria.solvers.variance.primal_active_set import Variance
from oracles.hostile_instances import make_wide
from oracles.solution_checks import build_instance


def random_sparse_table(seed: int, rows: int, arms: int, filled: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    means = np.where(rng.random((rows, arms)) < filled, rng.choice([0.2, 0.4, 0.7, 1.0], (rows, arms)), 0.0)
    means[np.arange(rows), rng.integers(arms, size=rows)] = 1.0
    return means


def to_sparse_rows(means: np.ndarray) -> SparseRows:
    rows = to_csr_rows(sparse.csr_array(means))
    return SparseRows(rows.starts, rows.items, rows.entries, rows.arms)


def test_passes_over_lists_are_the_products_of_the_table():
    means, rng = random_sparse_table(0, 40, 25, 0.2), np.random.default_rng(1)
    rows, weights, policy = to_sparse_rows(means), rng.random(40), rng.dirichlet(np.ones(25))
    values, slopes = rows.slopes(weights, policy)
    assert values == pytest.approx(means @ policy)
    assert slopes == pytest.approx((weights / (means @ policy)) @ means)
    assert rows.totals(weights) == pytest.approx(weights @ means)
    assert rows.diagonal(weights) == pytest.approx(weights @ means**2)
    some = np.array([3, 7, 20])
    hessian = means.T @ (weights[:, None] * means)
    assert rows.curvature(weights, some) == pytest.approx(hessian[np.ix_(some, some)])
    assert rows.on(some).values(policy[some]) == pytest.approx(means[:, some] @ policy[some])
    ridge, target = rng.random(25), rng.standard_normal(25)
    found, turns = rows.conjugate_gradients(weights, ridge, target, 1e-12, 500)
    assert turns < 500
    assert found == pytest.approx(np.linalg.solve(hessian + np.diag(ridge), target), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("method", [sparse_newton, interior_point])
def test_both_methods_reach_the_optimum(method):
    for seed in range(5):
        means = random_sparse_table(seed, 60, 30, 0.15)
        policy = method(to_sparse_rows(means), np.full(60, 1 / 60), np.full(30, 1 / 30))
        assert policy.sum() == pytest.approx(1)
        assert ((1 / 60 / (means @ policy)) @ means).max() - 1 <= 1e-11


@pytest.mark.parametrize("shape", [(50, 90), (200, 150), (20, 300)])
def test_many_arms_have_the_optimum_of_few(shape):
    for seed in range(4):
        means, weights = random_sparse_table(seed, *shape, 0.05), np.random.default_rng(seed).integers(1, 9, shape[0])
        for tie_break in ("centre", "vertex"):
            found = solve_sparse_rows(
                to_csr_rows(sparse.csr_array(means)), weights, Selection(tie_break, np.zeros(means.shape[1]))
            )
            known = maximise(means, weights.astype(float), tie_break)
            assert found.gap <= 1e-12
            assert found.value == pytest.approx(known.value, abs=1e-13)
            assert found.policy == pytest.approx(known.policy, abs=1e-10)


def test_arms_are_fixed_by_the_values_where_peeling_says_so():
    for seed in range(20):
        means = random_sparse_table(seed, 12, 10, 0.15)
        fixed = fixed_arms(to_sparse_rows(means))
        _, singular, directions = np.linalg.svd(means)
        null = directions[int((singular > 1e-9).sum()) :]
        assert not np.abs(null[:, fixed]).max(initial=0.0) > 1e-9


@pytest.mark.parametrize("shape", [(30, 90), (120, 80), (90, 90), (8, 200)])
@pytest.mark.parametrize("kind", ["sparse", "uniform", "low rank", "levels"])
def test_the_least_variance_is_that_of_the_active_set(shape, kind):
    rng = np.random.default_rng(7)
    means = {
        "sparse": random_sparse_table(3, *shape, 0.1),
        "uniform": rng.random(shape),
        "low rank": rng.random((shape[0], 3)) @ rng.random((3, shape[1])) / 3,
        "levels": rng.integers(0, 3, shape) / 2,
    }[kind]
    weights, direction = rng.integers(1, 5, shape[0]), means.sum(axis=0)
    for tie_break in ("centre", "vertex", "utilitarian"):
        found = minimise_variance_high_dimensional(StreamingVariance(means, weights), Selection(tie_break, direction))
        known = minimise_variance(Variance(means, weights), Selection(tie_break, direction))
        assert found.gap <= 1e-12
        assert found.value == pytest.approx(known.value, abs=1e-14)
        if min(found.margin, known.margin) > 1e-8 and tie_break != "vertex":  # which corner is not said
            assert found.policy == pytest.approx(known.policy, abs=1e-9)


def test_twins_among_many_arms_play_alike_to_the_last_digits():
    """Two arms that are alike, or all but alike, leave a direction without curvature, where rounding would steer."""
    rng = np.random.default_rng(0)
    for apart in (0.0, 1e-11, 1e-9):
        means = rng.random((50, 3)) @ rng.random((3, 90)) / 3
        plain = minimise_variance_high_dimensional(StreamingVariance(means), Selection("centre", np.zeros(90)))
        arm = int(plain.policy.argmax())
        twins = np.column_stack([means, means[:, arm] + apart * rng.standard_normal(50)])
        turned = rng.permutation(91)
        found = minimise_variance_high_dimensional(StreamingVariance(twins), Selection("centre", np.zeros(91)))
        other = minimise_variance_high_dimensional(
            StreamingVariance(twins[:, turned]), Selection("centre", np.zeros(91))
        )
        assert found.margin > 1e-8 or apart
        if found.margin > 1e-8:
            assert np.abs(found.policy[turned] - other.policy).max() <= 1e-12
            assert found.policy[arm] == pytest.approx(found.policy[90], abs=1e-12 + 1e3 * apart)


@pytest.mark.parametrize("number", [37, 576, 764, 928])
def test_wide_instances_once_moved_by_rounding_stay_where_they_are(number):
    """Where twins, or arms that give next to nothing to anybody, leave the least norm to decide.

    If few distinct arms are left, they are solved exactly: next to nothing is more than nothing, without a margin.
    """
    means, weights = make_wide(number)
    rng = np.random.default_rng(number)
    columns, rows = rng.permutation(means.shape[1]), rng.permutation(len(means))
    found = iso.solve(build_instance(means, weights), "inequality")
    other = iso.solve(build_instance(np.ascontiguousarray(means[rows][:, columns]), weights[rows]), "inequality")
    few = len(build_instance(means, weights).distinct.arms) <= method_limits.VARIANCE_ARMS
    assert found.tie_margin > 1e-8 or (few and found.tie_margin == found.value == 0)
    assert np.abs(found.policy[columns] - other.policy).max() <= 1e-9


def test_moments_are_those_of_the_compiled_rows():
    means, weights = random_sparse_table(5, 30, 12, 0.3), np.random.default_rng(5).integers(1, 5, 30)
    policy, exact = np.random.default_rng(6).dirichlet(np.ones(12)), Variance(means, weights)
    for rows in (means, sparse.csr_array(means)):
        moments = StreamingVariance(rows, weights)
        assert moments.evaluate(policy)[0] == pytest.approx(exact.evaluate(policy)[0], abs=1e-15)
        assert moments.evaluate(policy)[2] == pytest.approx(exact.evaluate(policy)[2], abs=1e-14)
        assert moments.matrix() == pytest.approx(exact.matrix(), abs=1e-14)
        assert moments.values(policy[None]) == pytest.approx(exact.values(policy[None]), abs=1e-15)


def test_the_least_norm_keeps_the_values_and_no_other_point_is_shorter():
    rng = np.random.default_rng(2)
    for _ in range(20):
        rows, inside = rng.standard_normal((4, 30)), rng.dirichlet(np.ones(30))
        found = least_norm(rows, rows @ inside, np.ones(30)).point
        assert rows @ found == pytest.approx(rows @ inside, abs=1e-12)
        assert found.sum() == pytest.approx(1, abs=1e-12)
        assert found.min() >= 0
        null = np.linalg.svd(np.vstack([rows, np.ones(30)]))[2][5:]
        for direction in (inside - found, *null, *-null):  # to other points that keep them, as far as they may go
            falling = direction < -1e-15
            reach = min(1.0, (found[falling] / -direction[falling]).min(initial=1.0))
            assert np.linalg.norm(found + reach * direction) >= np.linalg.norm(found) - 1e-9


def test_values_that_no_policy_has_are_found_out():
    assert least_norm(np.array([[1.0, 2.0]]), np.array([3.0]), np.ones(2)) is None


HALVES = np.concatenate([[0.0], 1.0 - 0.5 ** np.arange(1, 65)])


@pytest.mark.parametrize("shape", [(300, 20), (40, 120), (150, 70)])
@pytest.mark.parametrize("rule", ["least", "gini"])
def test_agents_and_arms_that_matter_have_the_welfare_of_all(shape, rule):
    for seed in range(3):
        means, weights = random_sparse_table(seed, *shape, 0.4), np.random.default_rng(seed).integers(1, 4, shape[0])
        welfare = MinimumWelfare() if rule == "least" else GiniWelfare(weights, HALVES)
        whole, _ = play(welfare(means))
        for rows in (means, sparse.csr_array(means)):
            found = solve_by_rows(welfare, rows, Selection("centre", np.zeros(shape[1])))
            assert found.gap <= 1e-12
            assert found.value == pytest.approx(whole.value, abs=1e-12)
            assert welfare(means).value(found.policy) == pytest.approx(found.value, abs=1e-14)


def test_a_game_of_ties_is_nudged_apart_and_still_proved():
    rng = np.random.default_rng(3)
    means = (rng.random((200, 60)) < 0.08).astype(float)
    means[np.arange(200), rng.integers(60, size=200)] = 1.0
    found = solve_by_rows(GiniWelfare(np.ones(200, dtype=np.int64), HALVES), means, Selection("centre", np.zeros(60)))
    assert found.gap <= 5e-11


def test_arms_that_rounding_holds_at_nothing_do_not_stop_the_choice():
    """Both agents are content with 163 arms: the search once ended at one, in one order of them."""
    means, weights = make_wide(1348)
    columns = np.random.default_rng([5, 1348]).permutation(means.shape[1])
    for order in (np.arange(means.shape[1]), columns):
        for rows in ([0, 1], [1, 0]):
            told = np.ascontiguousarray(means[rows][:, order])
            found = iso.solve(build_instance(told, weights[rows]), "egalitarian")
            liked = (told == 1).all(axis=0)
            assert found.tie_margin > 1e-8
            assert found.policy == pytest.approx(liked / liked.sum(), abs=1e-12)


def test_few_agents_and_thousands_of_arms():
    """Two agents each like some arm of three thousand best: a dense Newton step over all arms would take a minute."""
    means = np.random.default_rng(1).random((2, 3000))
    found = iso.solve(iso.Instance(means), "nash")
    utilities = means @ found.policy
    assert found.gap <= 1e-9
    assert (means / utilities[:, None]).mean(axis=0).max() <= 1 + 1e-9  # no arm improves the product
