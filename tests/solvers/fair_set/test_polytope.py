"""The fair policies as a set: corners, support and separation agree with the flow."""

import numpy as np
import pytest

from isegoria.solvers.fair_set.polytope import Fair, Heard, best_policy
from isegoria.solvers.flow.dinic import procedural_score


@pytest.mark.parametrize("seed", range(20))
def test_corners_are_fair_and_best_and_cuts_cut(seed):
    rng = np.random.default_rng(seed)
    sets = rng.random((5, 4)) < 0.5
    sets[np.arange(5), rng.integers(0, 4, 5)] = True
    fair, slope = Fair(sets, rng.dirichlet(np.ones(5))), rng.normal(size=4)
    corner = fair.corner(slope)
    assert procedural_score(sets, fair.shares, corner) == pytest.approx(1, abs=1e-12)
    assert slope @ corner == pytest.approx(fair.support(slope), abs=1e-12)
    assert fair.separate(corner) is None
    p = rng.dirichlet(np.ones(4))
    cut = fair.separate(p)
    assert (cut is None) == (procedural_score(sets, fair.shares, p) >= 1 - 1e-12)
    if cut is not None:
        assert cut[0] @ p < cut[1] <= cut[0] @ corner + 1e-12
    for level in (0.0, 0.4, 1.0):
        heard = Heard(sets, fair.shares, level).corner(slope)
        assert (heard == best_policy(slope, sets, fair.shares, level)).all()
        assert procedural_score(sets, fair.shares, heard) >= level - 1e-12
    assert Heard(sets, fair.shares, 0.0).corner(slope)[slope.argmax()] == 1
