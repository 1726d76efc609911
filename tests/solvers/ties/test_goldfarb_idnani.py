"""The nearest point of a polytope: no other is nearer, and where there is none, a mixture of cuts proves it."""

import numpy as np
import pytest

from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.ties.goldfarb_idnani import Projection


@pytest.mark.parametrize("seed", range(30))
def test_no_point_of_the_polytope_is_nearer(seed):
    rng = np.random.default_rng(seed)
    rows, target = rng.random((6, 5)), 2 * rng.random(5)
    (corner, value, _, _), _ = play(RowCuts(rows))
    level = value * rng.random()
    nearest = Projection(5, RowCuts(rows), level).nearest(target)
    assert nearest.min() >= -1e-14
    assert nearest.sum() == pytest.approx(1, abs=1e-14)
    assert (rows @ nearest).min() >= level - 1e-14
    others = 0.5 * rng.dirichlet(np.full(5, 0.5), 300) + 0.5 * corner  # half of them inside
    inside = others[(rows @ others.T).min(axis=0) >= level]
    assert (inside @ (target - nearest) <= nearest @ (target - nearest) + 1e-12).all()


def test_an_empty_polytope_comes_with_a_mixture_of_cuts_that_proves_it():
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    polytope = Projection(2, RowCuts(rows), 0.6)
    polytope.nearest(np.zeros(2))
    assert polytope.empty
    assert polytope.mixture().max() == pytest.approx(0.5)


def test_cuts_of_a_separation_oracle_are_kept():
    fair = FairPolytope(np.eye(3, dtype=bool), np.array([0.2, 0.3, 0.5]))
    assert Projection(3, separate=fair.separate).nearest(np.zeros(3)) == pytest.approx([0.2, 0.3, 0.5], abs=1e-13)


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[1, 0], [0, 1]], 0.5),
        ([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]], 0.5),
        ([[1, 0.5], [0, 0.6]], 6 / 11),
        ([[0.3, 0.3], [0.3, 0.3]], 0.3),
    ],
)
def test_games_of_known_value(rows, value):
    (policy, found, _, _), mixture = play(RowCuts(np.array(rows, dtype=float)))
    assert found == pytest.approx(value, abs=1e-15)
    assert mixture.max() == pytest.approx(value, abs=1e-15)
    assert policy.sum() == pytest.approx(1, abs=1e-15)
