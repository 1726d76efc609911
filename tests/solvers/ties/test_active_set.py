"""Points held by equalities and by the simplex, against the conditions of optimality solved with SciPy."""

import numpy as np
import pytest
from scipy.optimize import nnls

from isegoria.solvers.ties.active_set import equalities
from isegoria.solvers.ties.goldfarb_idnani import Projection


@pytest.mark.parametrize("seed", range(30))
def test_what_holds_the_nearest_point_is_the_normals_that_are_active(seed):
    """x − target = Σ λ_j n_j, any λ for equalities, λ ≥ 0 for arms that play 0."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    normals, inside, target = rng.normal(size=(k // 3, k)), rng.dirichlet(np.ones(k)), rng.normal(size=k) / 3
    x = Projection(k, equal=np.column_stack([normals, normals @ inside])).nearest(target)
    np.testing.assert_allclose(normals @ x, normals @ inside, atol=1e-13)
    assert x.sum() == pytest.approx(1, abs=1e-14)
    assert x.min() >= -1e-14
    both = np.vstack([normals, np.ones(k)])
    held = np.vstack([both, -both, np.eye(k)[x <= 1e-12]])
    assert nnls(held.T, x - target)[1] <= 1e-9


def test_arms_that_are_not_tied_play_nothing_and_directions_are_kept():
    tied = np.array([True, False, True])
    rows = equalities(np.array([[1.0, -1.0]]), tied, np.array([0.75, 0.0, 0.25]))
    assert rows.tolist() == [[0, 1, 0, 0], [1, 0, -1, 0.5]]
