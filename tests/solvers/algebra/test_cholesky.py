"""Factors and solutions against NumPy's, in doubles and in pairs."""

import numpy as np
import pytest

from isegoria.testing.kernel_bindings import solve_cholesky


@pytest.mark.parametrize("n", [1, 2, 3, 8, 20])
@pytest.mark.parametrize("in_pairs", [False, True])
def test_the_solution_is_numpys(n, in_pairs):
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n + 2, n))
    matrix, b = root.T @ root, rng.normal(size=n)
    np.testing.assert_allclose(solve_cholesky(matrix, b, in_pairs=in_pairs), np.linalg.solve(matrix, b), rtol=1e-9)


def test_pairs_solve_what_doubles_cannot():
    n = 10
    hilbert = 1 / (1 + np.add.outer(np.arange(n), np.arange(n)))  # of condition 1e13
    x = np.ones(n)
    b = np.array([float(sum(row)) for row in hilbert])
    off = np.abs(hilbert @ solve_cholesky(hilbert, b, in_pairs=True) - b).max()
    assert off <= 1e-15
    assert np.abs(solve_cholesky(hilbert, hilbert @ x, in_pairs=True) - x).max() < 1e-2


def test_a_lost_pivot_is_lifted_or_its_coordinate_left_alone():
    singular = np.ones((2, 2))
    assert solve_cholesky(singular, [1.0, 1.0]).tolist() == [1.0, 0.0]
    lifted = solve_cholesky(singular, [1.0, 1.0], absolute=1e-12)
    np.testing.assert_allclose(singular @ lifted, [1.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(singular @ solve_cholesky(singular, [1.0, 1.0], relative=1e-12), [1.0, 1.0], atol=1e-9)
