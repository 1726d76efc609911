"""Newton's method: at its end every arm is idle or tight, and the gap is what NumPy says it is."""

import numpy as np
import pytest

from isegoria.solvers.nash.log_sum import maximise


@pytest.mark.parametrize("seed", range(40))
def test_the_optimality_conditions_hold(seed):
    rng = np.random.default_rng(seed)
    m, K = int(rng.integers(1, 60)), int(rng.integers(2, 12))
    rows = rng.random((m, K)) ** 3
    w = rng.dirichlet(np.ones(m))
    x, value, gap, _ = maximise(rows, w)
    slope = (w / (rows @ x)) @ rows
    assert x.sum() == pytest.approx(1, abs=1e-15)
    assert gap <= 1e-9
    assert gap == pytest.approx(max(slope.max() - 1, 0), abs=1e-13)
    assert np.minimum(x, np.abs(1 - slope)).max() <= 1e-9
    assert value == pytest.approx(np.exp(w @ np.log(rows @ x)), rel=1e-13)
