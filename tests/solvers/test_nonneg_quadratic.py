"""The quadratic subproblem against an independent solver: scipy's non-negative least squares."""

import numpy as np
import pytest
from scipy.optimize import nnls

from isegoria.solvers.nonneg_quadratic import minimise


@pytest.mark.parametrize("seed", range(30))
def test_it_is_non_negative_least_squares(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    matrix, target = rng.standard_normal((n + 5, n)), rng.standard_normal(n + 5)
    x, proved = minimise(matrix.T @ matrix, matrix.T @ target)
    assert proved
    assert x.min() >= 0
    np.testing.assert_allclose(x, nnls(matrix, target)[0], atol=1e-8)
