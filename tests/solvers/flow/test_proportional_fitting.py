"""Settled claims: every mass is spread, no arm is overspent, and claims on an arm are cut by one common factor."""

import numpy as np
import pytest

from isegoria.testing.kernel_bindings import fit_claims


@pytest.mark.parametrize("seed", range(25))
def test_the_optimality_conditions_of_the_nearest_claims(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(1, 7)), int(rng.integers(2, 6))
    rows = rng.random((m, k)) < 0.7
    rows[np.arange(m), rng.integers(0, k, m)] = True
    some = np.where(rows, rng.random((m, k)) + 0.05, 0)
    policy = some.sum(axis=0) + rng.random(k) * rng.integers(0, 2, k)
    some, policy = some / policy.sum(), policy / policy.sum()
    mass, tight = some.sum(axis=1), np.isclose(some.sum(axis=0), policy, rtol=1e-12)
    y, overspent = fit_claims(rows, mass, policy, tight & False)
    assert overspent <= 1e-12
    np.testing.assert_allclose(y.sum(axis=1), mass, rtol=1e-12)
    assert (y.sum(axis=0) <= policy + 1e-12).all()
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(rows, y / policy, np.nan)
        common = factor / np.nanmax(factor, axis=1, keepdims=True)  # e^v, up to the row's own factor
    uncut = y.sum(axis=0) < policy - 1e-9
    for row in common[:, uncut]:
        seen = row[~np.isnan(row)]
        np.testing.assert_allclose(seen, 1, atol=1e-6)  # arms that are not used up are not cut
