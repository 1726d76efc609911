"""The quadratic subproblem against an independent solver: scipy's non-negative least squares."""

import numpy as np
import pytest
from scipy.optimize import nnls

from isegoria.testing.kernel_bindings import minimise


@pytest.mark.parametrize("seed", range(30))
def test_it_is_non_negative_least_squares(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    matrix, target = rng.standard_normal((n + 5, n)), rng.standard_normal(n + 5)
    x, proved = minimise(matrix.T @ matrix, matrix.T @ target)
    assert proved
    assert x.min() >= 0
    np.testing.assert_allclose(x, nnls(matrix, target)[0], atol=1e-8)


@pytest.mark.parametrize("seed", range(30))
def test_a_matrix_that_is_all_but_singular_is_no_trouble(seed):
    """The Hessian of a Nash product whose arms are mixtures of fewer, with weights over six decades."""
    rng = np.random.default_rng([seed, 1])
    for _ in range(10):
        rows = rng.random((40, 9)) @ rng.dirichlet(np.full(9, 0.5), 20).T
        weights = 10.0 ** rng.uniform(-6, 0, 40)
        policy = rng.dirichlet(np.full(20, 0.3))
        shares = weights / weights.sum() / (rows @ policy)
        slope, hessian = shares @ rows, (rows.T * shares / (rows @ policy)) @ rows
        matrix, target = hessian + 1e-13 * np.diag(np.diag(hessian)), 2 * slope - 1
        x, proved = minimise(matrix, target)
        assert proved
        assert x.min() >= 0
        assert (matrix @ x - target).min() >= -1e-13
        assert abs(x @ (matrix @ x - target)) <= 1e-10
