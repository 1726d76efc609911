"""A table that is read where it lies has the optimum of the one that is copied."""

import numpy as np
import pytest

from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.subsampled_newton import maximise_rows


@pytest.mark.parametrize("K", [2, 5, 17])
def test_the_answer_of_the_copied_table(K):
    rng = np.random.default_rng(K)
    rows = rng.random((5000, K)) ** 2
    rows[7] = 0
    rows[11] *= 1e-150
    weights = rng.integers(1, 5, len(rows))
    here, there = maximise_rows(rows, weights), maximise(rows, weights.astype(float))
    assert here.value == pytest.approx(there.value, rel=1e-12)
    np.testing.assert_allclose(here.policy, there.policy, atol=1e-7)
    counted = np.arange(len(rows)) != 7
    slopes = weights[counted] / (rows[counted] @ here.policy) @ rows[counted] / weights[counted].sum()
    assert slopes.max() - 1 == pytest.approx(here.gap, abs=1e-12)
