"""The highest lowest cut: certified, chosen among ties, and among the fair."""

import numpy as np
import pytest

from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.flow.push_relabel import procedural_score
from isegoria.solvers.maximin.dispatch import solve_maximin
from isegoria.solvers.maximin.welfare_functions import MinimumWelfare
from isegoria.solvers.result import Selection


@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
def test_certified_and_chosen(tie_break):
    rows = np.array([[0.5, 0.5, 0.1, 0.5], [0.5, 0.5, 0.9, 0.6]])
    answer = solve_maximin(MinimumWelfare(), rows, Selection(tie_break, rows.mean(axis=0)))
    assert answer.value == pytest.approx(0.5, abs=1e-12)
    assert answer.gap <= 1e-12
    expected = {"centre": [1 / 3, 1 / 3, 0, 1 / 3], "utilitarian": [0, 0, 0, 1]}
    if tie_break in expected:
        np.testing.assert_allclose(answer.policy, expected[tie_break], atol=1e-9)
    else:
        assert answer.policy.max() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_among_the_fair(seed):
    rng = np.random.default_rng(seed)
    sets = rng.random((4, 4)) < 0.6
    sets[np.arange(4), rng.integers(0, 4, 4)] = True
    fair, rows = FairPolytope(sets, rng.dirichlet(np.ones(4))), rng.random((5, 4))
    answer = solve_maximin(MinimumWelfare(), rows, Selection("centre", rows.mean(axis=0)), fair)
    assert answer.gap <= 1e-12
    assert procedural_score(sets, fair.shares, answer.policy) >= 1 - 1e-9
    corners = np.array([fair.corner(rng.normal(size=4)) for _ in range(200)])
    mixed = rng.dirichlet(np.full(200, 0.05), 500) @ corners
    assert (rows @ mixed.T).min(axis=0).max() <= answer.value + 1e-12
