"""A crowd varies as its rows do, whichever way it is looked at."""

import numpy as np
import pytest

from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.result import Selection
from isegoria.solvers.variance.covariance import minimise_variance_by_covariance
from isegoria.solvers.variance.least_variance import minimise_fair_variance, minimise_variance
from isegoria.solvers.variance.primal_active_set import Variance


@pytest.mark.parametrize("kind", ["uniform", "low rank", "weighted", "levels"])
@pytest.mark.parametrize("tie_break", ["centre", "utilitarian"])
def test_the_quadratic_has_the_optimum_of_the_rows(kind, tie_break, monkeypatch):
    monkeypatch.setattr("isegoria.solvers.variance.covariance.CHUNK_ROWS", 70)  # several blocks, the last one short
    rng = np.random.default_rng(3)
    rows = {
        "uniform": rng.random((400, 6)),
        "low rank": rng.random((400, 2)) @ rng.random((2, 6)) / 2,
        "weighted": rng.random((400, 6)),
        "levels": rng.integers(0, 3, (400, 6)) / 2,
    }[kind]
    weights = rng.integers(1, 9, 400) if kind == "weighted" else None
    direction = rows.mean(axis=0)
    found = minimise_variance_by_covariance(rows, weights, Selection(tie_break, direction))
    known = minimise_variance(Variance(rows, weights), Selection(tie_break, direction))
    assert found.gap <= 1e-12
    assert found.value == pytest.approx(known.value, abs=1e-14)
    assert found.policy == pytest.approx(known.policy, abs=1e-9)


def test_among_the_fair():
    rng = np.random.default_rng(4)
    rows = rng.random((300, 4))
    sets = rows >= rows.max(axis=1, keepdims=True)
    fair, direction = FairPolytope(np.eye(4, dtype=bool), sets.mean(axis=0)), rows.mean(axis=0)
    found = minimise_variance_by_covariance(rows, None, Selection("centre", direction), fair)
    known = minimise_fair_variance(Variance(rows, None), Selection("centre", direction), fair)
    assert found.gap <= 1e-12
    assert found.policy == pytest.approx(known.policy, abs=1e-9)
