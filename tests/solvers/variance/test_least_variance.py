"""Among tied policies of least variance: the one of least norm, a corner, or the one of largest utility."""

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.fair_set.polytope import FairPolytope, MinimumScorePolytope
from isegoria.solvers.flow.push_relabel import procedural_score
from isegoria.solvers.result import Selection
from isegoria.solvers.variance.least_variance import (
    minimise_fair_variance,
    minimise_variance,
    minimise_variance_at_score,
)
from isegoria.solvers.variance.primal_active_set import Variance


@pytest.mark.parametrize("seed", range(12))
def test_each_tie_break_finds_its_point(seed):
    rng = np.random.default_rng(seed)
    rows = rng.random((4, 3)) @ rng.random((3, 6)) / 3  # of rank 3: many policies give everyone the same
    towards = rng.random(6)
    found = {
        rule: minimise_variance(Variance(rows), Selection(rule, towards))
        for rule in ("centre", "vertex", "utilitarian")
    }
    centred = rows - rows.mean(axis=0)
    best = found["centre"].policy @ centred.T @ centred @ found["centre"].policy
    for answer in found.values():
        assert answer.gap <= 1e-12
        assert answer.policy @ centred.T @ centred @ answer.policy == pytest.approx(best, abs=1e-12)
    equal = np.vstack([centred, np.ones(6)])
    bounds = np.append(centred @ found["centre"].policy, 1)
    top = linprog(-towards, A_eq=equal, b_eq=bounds, method="highs")
    if top.status == 0:
        assert towards @ found["utilitarian"].policy >= -top.fun - 1e-6
        centre = found["centre"].policy
        assert linprog(centre, A_eq=equal, b_eq=bounds, method="highs").fun >= centre @ centre - 1e-6


def test_among_the_fair_and_among_the_heard():
    rng = np.random.default_rng(1)
    sets = np.array([[True, True, False, False], [False, True, True, False], [False, False, True, True]])
    shares, rows = np.array([0.5, 0.3, 0.2]), rng.random((5, 4))
    variance, towards = Variance(rows), rows.mean(axis=0)
    fair = minimise_fair_variance(variance, Selection("centre", towards), FairPolytope(sets, shares))
    assert procedural_score(sets, shares, fair.policy) >= 1 - 1e-9
    assert fair.gap <= 1e-12
    half = minimise_variance_at_score(variance, towards, MinimumScorePolytope(sets, shares, 0.5))
    assert procedural_score(sets, shares, half.policy) >= 0.5 - 1e-9
    assert half.value <= fair.value + 1e-12
    assert minimise_variance(variance, Selection("centre", towards)).value <= half.value + 1e-12
