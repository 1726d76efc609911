"""Exact points of the simplex: nothing below 0, and a sum that is 1 to the last place."""

from math import fsum

import numpy as np
import pytest

from isegoria.solvers.rows.simplex import inner, simplex_point


@pytest.mark.parametrize("seed", range(20))
def test_points_add_up_to_one_exactly(seed):
    rng = np.random.default_rng(seed)
    values = rng.dirichlet(np.full(int(rng.integers(1, 200)), 0.3)) * (1 + rng.normal() * 1e-9)
    values[values < 1e-6] = -1e-17
    point = simplex_point(values)
    assert point.min() >= 0
    assert abs(fsum(point.tolist()) - 1) <= 1.2e-16
    np.testing.assert_allclose(point, np.maximum(values, 0) / np.maximum(values, 0).sum(), rtol=1e-12, atol=1e-15)


def test_the_product_of_two_short_vectors():
    assert inner(np.array([0.25, 0.5]), np.array([1.0, 0.5])) == 0.5
