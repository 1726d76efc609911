"""The point that some equalities hold, against NumPy's least squares."""

import numpy as np
import pytest

from isegoria.solvers.ties.active_set import held


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_point_and_its_multipliers(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    q = int(rng.integers(1, k))
    normals, target = rng.normal(size=(q, k)), rng.normal(size=k)
    bounds = normals @ rng.normal(size=k)
    x, multipliers = held(normals, bounds, target)
    np.testing.assert_allclose(normals @ x, bounds, atol=1e-13 * np.linalg.cond(normals))
    right = np.linalg.lstsq(normals @ normals.T, bounds - normals @ target, rcond=None)[0]
    np.testing.assert_allclose(x, target + normals.T @ right, atol=1e-9)
    np.testing.assert_allclose(normals.T @ multipliers, x - target, atol=1e-9)
