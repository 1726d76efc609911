"""The largest Nash product among the fair: fair, and no fair policy has a steeper slope."""

import numpy as np
import pytest

from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.flow.push_relabel import procedural_score
from isegoria.solvers.nash.fair_nash import solve_nash_within
from isegoria.solvers.result import Selection


@pytest.mark.parametrize("seed", range(10))
def test_fair_and_best_among_the_fair(seed):
    rng = np.random.default_rng(seed)
    sets = rng.random((5, 4)) < 0.5
    sets[np.arange(5), rng.integers(0, 4, 5)] = True
    fair = FairPolytope(sets, rng.dirichlet(np.ones(5)))
    rows, shares = rng.random((6, 4)) + 0.01, np.full(6, 1 / 6)
    found = solve_nash_within(rows, shares, fair, Selection("centre", rows.mean(axis=0)))
    assert procedural_score(sets, fair.shares, found.policy) >= 1 - 1e-9
    slope = (shares / (rows @ found.policy)) @ rows
    assert fair.support(slope) - 1 <= found.gap + 1e-12 <= 1e-9
    assert found.value == pytest.approx(np.exp(shares @ np.log(rows @ found.policy)))
