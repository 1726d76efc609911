"""Gini welfares in which nearly all ranks matter: one program, a smooth search and an exact corner, by their proofs."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.solvers.maximin.augmented_lagrangian import solve_augmented_lagrangian
from isegoria.solvers.maximin.exact_vertex import find_exact_vertex
from isegoria.solvers.maximin.matrix_game import solve_whole_game
from isegoria.solvers.maximin.permutahedron import hull_excess
from isegoria.solvers.maximin.transport_program import solve_by_transports
from isegoria.solvers.maximin.welfare_functions import GiniWelfare
from isegoria.solvers.result import Selection


def linear_weights(total: int) -> np.ndarray:
    """The sums of weights that fall linearly, of `total` agents."""
    weights = np.arange(total, 0, -1.0)
    return np.concatenate([[0.0], np.cumsum(weights / weights.sum())])


def random_games():
    rng = np.random.default_rng(4)
    for shape in ((30, 12), (25, 40)):
        counts = rng.integers(1, 4, shape[0])
        yield GiniWelfare(counts, linear_weights(int(counts.sum()))), rng.random(shape)


@pytest.mark.parametrize(
    "method", [solve_by_transports, lambda welfare, rows: solve_augmented_lagrangian(welfare, rows, 1e-12)]
)
def test_both_methods_prove_the_welfare_of_the_whole_game(method):
    for welfare, rows in random_games():
        known, found = (
            solve_whole_game(welfare, rows, Selection("centre", np.zeros(rows.shape[1]))),
            method(welfare, rows),
        )
        assert found.value == pytest.approx(known.value, abs=1e-10)
        assert found.bound == pytest.approx(known.value, abs=1e-10)
        assert found.value == pytest.approx(welfare.value(rows @ found.policy), abs=1e-15)
        assert found.bound >= (found.mixture @ rows).max()
        assert hull_excess(found.mixture, welfare.weights, welfare.prefix) <= 1e-12


def test_the_corner_is_the_only_optimum_and_is_exact():
    for welfare, rows in random_games():
        known, near = (
            solve_whole_game(welfare, rows, Selection("centre", np.zeros(rows.shape[1]))),
            solve_by_transports(welfare, rows),
        )
        blurred = near._replace(policy=near.policy * (1 + 1e-6 * np.sin(np.arange(rows.shape[1]))))
        found = find_exact_vertex(welfare, rows, blurred)
        assert found.gap <= 1e-14
        assert found.margin > 1e-8
        assert found.policy == pytest.approx(known.policy, abs=1e-7)


def test_where_there_are_more_optima_than_one_the_corner_says_so():
    rows = np.random.default_rng(1).random((12, 6))
    twins = np.column_stack([rows, rows[:, :3]])
    welfare = GiniWelfare(np.ones(12, dtype=np.int64), linear_weights(12))
    found = find_exact_vertex(welfare, twins, solve_by_transports(welfare, twins))
    assert found is None or found.margin == 0


@pytest.mark.parametrize("shape", [(60, 300), (90, 130), (45, 900)])
def test_more_arms_than_agents_are_certified_with_linear_weights(shape):
    """Dense tables of these shapes were refused as not certified once."""
    means = np.random.default_rng(0).random(shape)
    columns = np.random.default_rng(1).permutation(shape[1])
    weights = np.diff(linear_weights(shape[0]))
    one, two = (iso.solve(iso.Instance(told), "gini", gini_weights=weights) for told in (means, means[:, columns]))
    assert one.gap <= 1e-10
    assert one.value == pytest.approx(two.value, abs=1e-12)
    if one.tie_margin > 1e-8:
        assert np.abs(one.policy[columns] - two.policy).max() <= 1e-9
