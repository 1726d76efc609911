"""Inverses against NumPy's, with rows that must change places, and of matrices that have none."""

import numpy as np
import pytest

from isegoria.testing.kernel_bindings import inverse


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_the_inverse_is_numpys(n):
    matrix = np.random.default_rng(n).normal(size=(n, n))
    matrix[0, 0] = 0 if n > 1 else 2  # the first pivot is in another row
    np.testing.assert_allclose(inverse(matrix), np.linalg.inv(matrix), rtol=1e-9, atol=1e-12)


def test_every_order_of_the_rows_comes_back():
    order = np.random.default_rng(0).permutation(9)
    assert (inverse(np.eye(9)[order]) == np.eye(9)[order].T).all()


def test_what_has_no_inverse_says_so():
    assert inverse(np.zeros((2, 2))) is None
    assert inverse(np.array([[1.0, 2.0], [2.0, 4.0]])) is None
