"""Singular values and directions by rotating rows, against the library's decomposition."""

import numpy as np
import pytest

from isegoria.solvers.algebra.jacobi import centred_columns, row_directions


@pytest.mark.parametrize("seed", range(200))
def test_rotated_rows_are_the_singular_directions(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random(rng.integers(1, 12, 2)) * 10.0 ** rng.uniform(-6, 0)
    if seed % 3 == 0:
        matrix[-1] = matrix[0]  # rows that depend on others
    matrix -= matrix.mean(axis=1, keepdims=True)
    values, vectors = row_directions(matrix)
    known = np.linalg.svd(matrix, compute_uv=False)
    assert values[: known.size] == pytest.approx(known, abs=1e-14)
    assert (np.diff(values) <= 1e-14).all()
    real = vectors[values > 1e-12]
    assert real @ real.T == pytest.approx(np.eye(len(real)), abs=1e-13)
    assert matrix @ real.T @ real == pytest.approx(matrix, abs=1e-12)


def test_only_tied_columns_are_centred():
    found = centred_columns(np.array([[1.0, 5.0, 3.0]]), np.array([True, False, True]))
    assert found.tolist() == [[-1.0, 1.0]]
