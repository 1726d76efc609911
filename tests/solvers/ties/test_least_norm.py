"""The dual method of the least norm against projections, and what it says where there is no point."""

import numpy as np
import pytest

from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.least_norm import DualProjection, least_norm


def random_polytope(seed, arms):
    """Cuts of a polytope inside the simplex that all hold at one policy, some of them with equality."""
    rng = np.random.default_rng([51, seed])
    inside = rng.exponential(size=arms) * (rng.random(arms) < 0.5) + 1e-3
    inside /= inside.sum()
    normals = rng.random((int(rng.integers(1, 12)), arms))
    if seed % 2:  # dependent rows: one is the mean of two others
        normals = np.vstack([normals, normals[:2].mean(axis=0)])
    slack = 0.05 * rng.random(len(normals)) * (rng.random(len(normals)) < 0.5)
    return [(normal, float(bound)) for normal, bound in zip(normals, normals @ inside - slack, strict=True)], inside


@pytest.mark.parametrize("seed", range(60))
def test_dual_projection_agrees_with_active_set(seed):
    rng = np.random.default_rng([52, seed])
    arms = int(rng.integers(2, 120))
    given, _ = random_polytope(seed, arms)
    copies = rng.integers(1, 5, arms).astype(float) if seed % 3 == 0 else None
    target = np.zeros(arms) if seed % 2 else rng.normal(size=arms)
    few, many = (kind(arms, given=given, copies=copies) for kind in (Projection, DualProjection))
    assert many.nearest(target) == pytest.approx(few.nearest(target), abs=1e-9)
    assert not many.empty
    assert many.margin > 0


def test_separated_cuts_and_equations_hold():
    arms = 90
    given, inside = random_polytope(7, arms)
    equal = np.append(given[0][0], given[0][0] @ inside)[None, :]

    def separate(point):
        missed = [bound - normal @ point for normal, bound in given]
        return given[int(np.argmax(missed))] if max(missed) > 1e-13 else None

    point = DualProjection(arms, equal=equal, separate=separate).nearest(np.zeros(arms))
    assert equal[0, :-1] @ point == pytest.approx(equal[0, -1], abs=1e-12)
    assert min(normal @ point - bound for normal, bound in given) >= -1e-12
    assert np.linalg.norm(point) <= np.linalg.norm(inside)


def test_empty_polytopes_are_recognised():
    assert least_norm(np.array([[1.0, 0.5, 0.0]]), np.array([1.5]), np.ones(3), equal=0) is None
    empty = DualProjection(3, given=[(np.array([1.0, 0.5, 0.0]), 1.5)])
    empty.nearest(np.zeros(3))
    assert empty.empty
    assert empty.margin == 0
