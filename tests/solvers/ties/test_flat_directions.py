"""Equalities that keep every utility that matters, and only those."""

import numpy as np
import pytest

from isegoria.solvers.ties.flat_directions import fixed_directions


@pytest.mark.parametrize("shape", [(3, 6), (40, 6), (40, 45)])
def test_policies_that_meet_them_have_the_same_utilities(shape):
    rng = np.random.default_rng(shape[0])
    rows = rng.random((shape[0], 2)) @ rng.random((2, shape[1]))  # of rank 2: most directions are flat
    tied = np.ones(shape[1], dtype=bool)
    tied[1] = False
    policy = np.where(tied, 1 / tied.sum(), 0)
    equal, curvature = fixed_directions(rows, policy, tied)
    normals, bounds = equal[:, :-1], equal[:, -1]
    assert len(equal) == 1 + np.linalg.matrix_rank((rows - rows[:, tied].mean(axis=1, keepdims=True))[:, tied])
    np.testing.assert_allclose(normals @ policy, bounds, atol=1e-14)
    free = np.linalg.svd(np.vstack([normals, np.ones(shape[1])]))[2][len(equal) + 1 :]
    np.testing.assert_allclose(rows @ free.T, 0, atol=1e-10)
    assert curvature > 1e-9
