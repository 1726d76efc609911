"""A reflection keeps lengths, turns its normal round, and done twice does nothing."""

import numpy as np

from isegoria.testing.kernels import reflected


def test_a_reflection_is_one():
    rng = np.random.default_rng(0)
    rows, v = rng.normal(size=(4, 6)), rng.normal(size=6)
    mirrored = reflected(rows, v)
    np.testing.assert_allclose(mirrored @ mirrored.T, rows @ rows.T, atol=1e-13)
    np.testing.assert_allclose(reflected(mirrored, v), rows, atol=1e-13)
    np.testing.assert_allclose(reflected(v[None, :], v), -v[None, :], atol=1e-13)


def test_no_normal_no_reflection():
    rows = np.arange(6.0).reshape(2, 3)
    assert (reflected(rows, np.zeros(3)) == rows).all()
