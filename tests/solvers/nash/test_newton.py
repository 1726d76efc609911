"""Newton's method: at its end every arm is idle or tight, whatever the start."""

import numpy as np
import pytest

from isegoria.solvers.nash.newton import optimum


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("warm_up", [0, 4])
def test_the_optimality_conditions_hold(seed, warm_up):
    rng = np.random.default_rng(seed)
    m, K = int(rng.integers(1, 60)), int(rng.integers(2, 12))
    A = rng.random((K, m)) ** 3
    A /= A.max(axis=0)
    w = rng.dirichlet(np.ones(m))
    x, gap = optimum(A, w, warm_up)
    slope = A @ (w / (x @ A))
    assert x.sum() == pytest.approx(1, abs=1e-13)
    assert gap <= 1e-9
    assert gap == pytest.approx(slope.max() - 1, abs=1e-13)
    assert np.minimum(x, np.abs(1 - slope)).max() <= 1e-9
