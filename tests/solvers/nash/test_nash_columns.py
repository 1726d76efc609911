"""The gradient and the Hessian of Σ w log Ap against a few lines of NumPy, in doubles and in pairs."""

import numpy as np
import pytest

from isegoria.solvers.nash.decision_shares import policy_of_codes, policy_of_rows
from isegoria.testing.kernel_bindings import derivatives


@pytest.mark.parametrize("m", [1, 3, 4, 63, 64, 65, 700])
@pytest.mark.parametrize("in_pairs", [False, True])
def test_the_derivatives_are_numpys(m, in_pairs):
    rng = np.random.default_rng(m)
    A, w, x = rng.random((5, m)), rng.dirichlet(np.ones(m)), rng.dirichlet(np.ones(5))
    x[2] = 0
    gap, d, s, H = derivatives(A, w, x, in_pairs)
    if in_pairs:
        assert (np.abs(d[:, 1]) <= np.spacing(d[:, 0]) / 2).all()
    d, s, H = d[..., 0], s[..., 0], H[..., 0]
    values = x @ A
    np.testing.assert_allclose(d, values, rtol=1e-14)
    np.testing.assert_allclose(s, A @ (w / values), rtol=1e-13)
    np.testing.assert_allclose(H, (A * (w / values**2)) @ A.T, rtol=1e-13)
    assert gap == pytest.approx((A @ (w / values)).max() - 1, abs=1e-13)


def test_pairs_see_differences_that_doubles_do_not():
    w = np.full(8, 1 / 8)
    x = np.array([0.5, 0.5])
    A = np.ones((2, 8))
    A[1] -= 1e-20 * 0  # equal columns: a gap of exactly 0 in pairs
    assert derivatives(A, w, x, True)[0] == 0
    _, d, _, _ = derivatives(np.vstack([A[0], A[0] * 2.0**-60]), w, np.array([1.0, 1.0]), True)
    assert d[:, 1].tolist() == [2.0**-60] * 8


def test_lists_of_arms_are_the_same_table():
    rng = np.random.default_rng(3)
    rows = rng.random((900, 40)) < 0.06  # mostly 0: kept as lists when given as codes
    rows = rows[rows.any(axis=1)]
    codes = (rows @ (1 << np.arange(40, dtype=np.uint64))).astype(np.uint64)
    codes, first, counts = np.unique(codes, return_index=True, return_counts=True)
    assert len(codes) * 40 > 4096
    listed, dense = policy_of_codes(codes, counts, 40), policy_of_rows(rows[first], counts)
    np.testing.assert_allclose(listed.policy, dense.policy, atol=1e-12)
