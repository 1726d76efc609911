"""A reflection keeps lengths, turns its normal round, and done twice does nothing."""

import numpy as np

from isegoria.testing.kernel_bindings import reflect_rows


def test_a_reflection_is_one():
    rng = np.random.default_rng(0)
    rows, v = rng.normal(size=(4, 6)), rng.normal(size=6)
    mirrored = reflect_rows(rows, v)
    np.testing.assert_allclose(mirrored @ mirrored.T, rows @ rows.T, atol=1e-13)
    np.testing.assert_allclose(reflect_rows(mirrored, v), rows, atol=1e-13)
    np.testing.assert_allclose(reflect_rows(v[None, :], v), -v[None, :], atol=1e-13)


def test_no_normal_no_reflection():
    rows = np.arange(6.0).reshape(2, 3)
    assert (reflect_rows(rows, np.zeros(3)) == rows).all()
