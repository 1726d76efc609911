"""The fair policies as a set: corners, support and separation agree with the flow."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.fair_set.polytope import FairPolytope, MinimumScorePolytope
from isegoria.solvers.flow.push_relabel import procedural_score


@pytest.mark.parametrize("seed", range(20))
def test_corners_are_fair_and_best_and_cuts_cut(seed):
    rng = np.random.default_rng(seed)
    sets = rng.random((5, 4)) < 0.5
    sets[np.arange(5), rng.integers(0, 4, 5)] = True
    fair, slope = FairPolytope(sets, rng.dirichlet(np.ones(5))), rng.normal(size=4)
    corner = fair.corner(slope)
    assert procedural_score(sets, fair.shares, corner) == pytest.approx(1, abs=1e-12)
    assert slope @ corner == pytest.approx(fair.support(slope), abs=1e-12)
    assert fair.separate(corner) is None
    p = rng.dirichlet(np.ones(4))
    cut = fair.separate(p)
    assert (cut is None) == (procedural_score(sets, fair.shares, p) >= 1 - 1e-12)
    if cut is not None:
        assert cut[0] @ p < cut[1] <= cut[0] @ corner + 1e-12
    every = np.array(list(product([False, True], repeat=4)))  # all cuts: B gets what those ask who want nothing else
    asked = np.array([fair.shares @ ~(sets & ~arms).any(axis=1) for arms in every])
    for level in (0.0, 0.4, 1.0):
        heard = MinimumScorePolytope(sets, fair.shares, level).corner(slope)
        program = linprog(-slope, A_ub=-1.0 * every, b_ub=1 - level - asked, A_eq=np.ones((1, 4)), b_eq=1)
        assert slope @ heard == pytest.approx(-program.fun, abs=1e-9)
        assert procedural_score(sets, fair.shares, heard) >= level - 1e-12
    assert MinimumScorePolytope(sets, fair.shares, 0.0).corner(slope)[slope.argmax()] == 1
