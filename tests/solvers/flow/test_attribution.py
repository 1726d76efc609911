"""The fairest attribution: within the shares and the policy, as much as a flow can carry, alike for equals."""

import numpy as np
import pytest

from isegoria.solvers.flow.attribution import fair_flow
from isegoria.solvers.flow.push_relabel import procedural_score


@pytest.mark.parametrize("seed", range(25))
def test_a_maximum_flow_with_the_fairest_ratios(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(1, 8)), int(rng.integers(1, 7))
    rows = rng.random((m, k)) < 0.5
    rows[np.arange(m), rng.integers(0, k, m)] = True
    shares, policy = rng.dirichlet(np.ones(m)), rng.dirichlet(np.full(k, 0.7))
    found, y, types, arms, closed = fair_flow(rows, shares, policy)
    assert (y[~rows] == 0).all()
    assert (y >= 0).all()
    assert (y.sum(axis=0) <= policy + 1e-11).all()
    assert y.sum() == pytest.approx(procedural_score(rows, shares, policy), abs=1e-10)
    if not closed:
        np.testing.assert_allclose(y.sum(axis=1), found * shares, atol=1e-11)
    assert (found[types] < 1).all()
    assert (arms == rows[types].any(axis=0)).all()
