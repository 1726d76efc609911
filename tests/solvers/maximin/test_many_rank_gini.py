"""Gini welfares in which nearly all ranks matter: the hull of orders, and the optimum against the simplex."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from isegoria.solvers.maximin.augmented_lagrangian import solve_augmented_lagrangian
from isegoria.solvers.maximin.many_rank_gini import solve_many_ranks
from isegoria.solvers.maximin.matrix_game import solve_whole_game
from isegoria.solvers.maximin.permutahedron import hull_excess, hull_margin, project_on_permutahedron
from isegoria.solvers.maximin.welfare_functions import GiniWelfare
from isegoria.solvers.result import Selection


def linear_weights(agents: int) -> np.ndarray:
    falling = np.arange(agents, 0, -1.0)
    return np.concatenate([[0.0], np.cumsum(falling)]) / falling.sum()


def test_the_nearest_point_is_in_the_hull_and_no_corner_is_ahead_of_it():
    rng = np.random.default_rng(1)
    for _ in range(30):
        weights = np.sort(rng.random(4))[::-1]
        prefix, target = np.concatenate([[0.0], np.cumsum(weights)]), rng.normal(size=4)
        found = project_on_permutahedron(target, np.ones(4, dtype=np.int64), prefix)[0]
        assert hull_excess(found, np.ones(4, dtype=np.int64), prefix) <= 1e-14
        for corner in itertools.permutations(weights):
            assert (target - found) @ (np.array(corner) - found) <= 1e-12


def test_a_row_of_many_agents_is_as_many_rows():
    rng, counts = np.random.default_rng(2), np.array([3, 1, 2])
    prefix, target = linear_weights(6), rng.normal(size=3) / 10
    merged = project_on_permutahedron(target, counts, prefix)[0]
    each = project_on_permutahedron(np.repeat(target, counts), np.ones(6, dtype=np.int64), prefix)[0]
    assert np.repeat(merged, counts) == pytest.approx(each, abs=1e-15)


def test_what_is_outside_the_hull_is_told_by_how_much_it_misses_the_welfare():
    rng, prefix, ones = np.random.default_rng(3), linear_weights(5), np.ones(5, dtype=np.int64)
    welfare = GiniWelfare(ones, prefix)
    for _ in range(200):
        mixture, utilities = rng.dirichlet(np.ones(5)), rng.random(5)
        assert welfare.value(utilities) <= mixture @ utilities + hull_excess(mixture, ones, prefix) + 1e-15
    assert hull_margin(welfare.given(np.arange(5.0)), ones, prefix) == pytest.approx(0, abs=1e-15)
    assert hull_margin(np.full(5, 0.2), ones, prefix) > 0.05


@pytest.mark.parametrize("kind", ["uniform", "levels", "twins", "weighted", "many arms"])
def test_the_smooth_search_has_the_optimum_of_the_simplex(kind):
    rng = np.random.default_rng(4)
    rows = {
        "uniform": rng.random((150, 6)),
        "levels": rng.integers(0, 3, (150, 6)) / 2,
        "twins": np.repeat(rng.random((150, 3)), 2, axis=1),
        "weighted": rng.random((60, 5)),
        "many arms": np.where(rng.random((90, 700)) < 1 / np.arange(1, 701), rng.random((90, 700)), 0.0),
    }[kind]
    counts = rng.integers(1, 6, len(rows)) if kind == "weighted" else np.ones(len(rows), dtype=np.int64)
    welfare = GiniWelfare(counts, linear_weights(int(counts.sum())))
    found = solve_augmented_lagrangian(welfare, sparse.csr_array(rows) if kind == "many arms" else rows, 1e-11)
    assert 0 <= found.bound - found.value <= 1e-11
    assert welfare.value(rows @ found.policy) == pytest.approx(found.value, abs=1e-15)
    assert (found.mixture @ rows).max() <= found.bound + 1e-15
    if kind != "many arms":
        known = solve_whole_game(welfare, rows, Selection("centre", np.zeros(rows.shape[1])))
        assert found.value == pytest.approx(known.value, abs=2e-11)


@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
def test_ties_are_broken_by_the_same_rule(tie_break, monkeypatch):
    monkeypatch.setattr("isegoria.solvers.method_limits.MAX_SIMPLEX_ENTRIES", 0)
    rng = np.random.default_rng(5)
    rows = np.repeat(rng.random((200, 3)), 2, axis=1)
    rows[:, 5] = 0.0  # the third arm has no twin
    welfare, direction = GiniWelfare(np.ones(200, dtype=np.int64), linear_weights(200)), rows.mean(axis=0)
    found = solve_many_ranks(welfare, rows, Selection(tie_break, direction))
    known = solve_whole_game(welfare, rows, Selection(tie_break, direction))
    assert found.gap <= 1e-12
    assert found.policy == pytest.approx(known.policy, abs=1e-9)
