"""The smallest eigenvalue is estimated from above, closely where it stands alone, and wherever its vector points."""

import numpy as np
import pytest

from isegoria.testing.kernel_bindings import least


@pytest.mark.parametrize("seed", range(20))
def test_near_and_not_below(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
    matrix = turn @ np.diag(np.append(10.0 ** rng.uniform(-1, 1, n - 1), 10.0 ** rng.uniform(-9, -3))) @ turn.T
    smallest = np.linalg.eigvalsh(matrix)[0]
    found = least(np.linalg.cholesky(matrix))
    assert smallest * (1 - 1e-4) <= found <= 1.1 * smallest


@pytest.mark.parametrize("place", range(7))
def test_a_vector_along_any_axis_is_found(place):
    lengths = np.ones(7)
    lengths[place] = 1e-3
    assert least(np.diag(lengths)) == pytest.approx(1e-6, rel=1e-6)
