"""The policy of favourite sets is the one of their 0 and 1 rows, and a witness of fairness comes with it."""

import numpy as np
import pytest

from isegoria.solvers.nash.decision_shares import policy_of_codes, procedural_policy
from isegoria.solvers.nash.log_sum import maximise


@pytest.mark.parametrize("seed", range(15))
def test_the_answer_of_the_rows(seed):
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(1, 2**7, 12)).astype(np.uint64)
    counts = rng.integers(1, 9, len(codes))
    rows = (codes[:, None] >> np.arange(7, dtype=np.uint64) & np.uint64(1)).astype(float)
    found, general = policy_of_codes(codes, counts, 7), maximise(rows, counts.astype(float))
    assert found.value == pytest.approx(general.value, rel=1e-13)
    np.testing.assert_allclose(found.policy, general.policy, atol=1e-9)
    shares = counts / counts.sum()
    claims = shares[:, None] * rows * found.policy / (rows @ found.policy)[:, None]
    np.testing.assert_allclose(claims.sum(axis=0), found.policy, atol=1e-12)  # all voices fit: equal voice


def test_more_arms_than_bits():
    rng = np.random.default_rng(0)
    favourites = rng.random((30, 70)) < 0.1
    favourites[:, 0] |= ~favourites.any(axis=1)
    found = procedural_policy(favourites)
    slopes = (favourites / (favourites @ found.policy)[:, None]).mean(axis=0)
    assert slopes.max() - 1 == pytest.approx(found.gap, abs=1e-12)
    assert found.gap <= 1e-9
