"""The lowest cut: the least utility, and the Gini welfare by a sort."""

import numpy as np
import pytest

from isegoria.solvers.maximin.cuts import RankedCuts, RowCuts


@pytest.mark.parametrize("seed", range(20))
def test_the_value_and_a_cut_that_bounds_it_everywhere(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 40)), int(rng.integers(1, 7))
    rows, weights = rng.random((n, k)), rng.integers(1, 4, n)
    gini = np.sort(rng.random(weights.sum()))[::-1]
    prefix = np.concatenate([[0.0], np.cumsum(gini)])
    p, q = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k))
    each = np.sort(np.repeat(rows @ p, weights))
    for cuts, value in ((RowCuts(rows), (rows @ p).min()), (RankedCuts(rows, weights, prefix), gini @ each)):
        found, cut = cuts.cut(p)
        assert found == pytest.approx(cuts.value(p), abs=1e-15) == pytest.approx(value, abs=1e-12)
        assert cut @ p == pytest.approx(found, abs=1e-12)
        assert cut @ q >= cuts.value(q) - 1e-12


def test_traced_cuts_say_what_is_in_them():
    rows = np.array([[0.2, 0.6], [0.5, 0.1], [0.9, 0.8]])
    policy, prefix = np.array([0.5, 0.5]), np.array([0.0, 0.75, 1.0])
    for cuts, mixture in (
        (RowCuts(rows, traced=True), [0, 1, 0]),
        (RankedCuts(rows, np.ones(3, dtype=np.int64), prefix, traced=True), [0.25, 0.75, 0]),
    ):
        value, cut = cuts.cut(policy)
        assert cut[2:].tolist() == mixture
        assert cut[:2] == pytest.approx(cut[2:] @ rows)
        assert value == pytest.approx(cut[:2] @ policy)
