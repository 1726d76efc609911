"""Matrix games: the value is the dual bound, and SciPy's."""

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play


@pytest.mark.parametrize("seed", range(30))
def test_policy_and_mixture_meet(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 15)), int(rng.integers(1, 8))
    rows = np.round(rng.random((n, k)), int(rng.integers(1, 9)))
    answer, mixture = play(RowCuts(rows))
    assert answer.value == pytest.approx((rows @ answer.policy).min(), abs=1e-15)
    assert mixture.max() - answer.value <= 1e-13
    assert answer.gap == pytest.approx(max(mixture.max() - answer.value, 0), abs=1e-15)
    lp = linprog(
        np.append(np.zeros(k), -1),
        A_ub=np.hstack([-rows, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[*np.ones(k), 0]],
        b_eq=[1],
        bounds=[(0, None)] * k + [(None, None)],
        method="highs",
    )
    assert answer.value == pytest.approx(-lp.fun, abs=1e-7)
