"""The null space against NumPy's singular value decomposition."""

import numpy as np
import pytest

from isegoria.solvers.kernels_for_tests import null_basis


@pytest.mark.parametrize("seed", range(20))
def test_an_orthonormal_basis_of_what_does_not_bend(seed):
    rng = np.random.default_rng(seed)
    n, rank = int(rng.integers(1, 9)), int(rng.integers(0, 9))
    root = rng.normal(size=(min(rank, n), n))
    basis, margin = null_basis(root.T @ root)
    assert basis.shape == (n, n - len(root))
    np.testing.assert_allclose(basis.T @ basis, np.eye(n - len(root)), atol=1e-14)
    np.testing.assert_allclose(root @ basis, 0, atol=1e-10)
    assert margin > (np.linalg.eigvalsh(root @ root.T)[0] / 100 if len(root) else 1)


def test_a_pivot_just_below_a_tie_is_a_direction_and_the_margin():
    basis, margin = null_basis(np.diag([1.0, 3e-13]))
    assert basis.ravel().tolist() == [0.0, 1.0]
    assert margin == pytest.approx(3e-13)
