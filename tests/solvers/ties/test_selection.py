"""A point of a polytope: nearest to 0, a corner, or best in a direction, against linear programs."""

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.result import Selection
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import first_vertex_of_cuts, maximise_on_polytope, select_from_polytope


@pytest.mark.parametrize("seed", range(10))
def test_each_tie_break(seed):
    rng = np.random.default_rng(seed)
    rows, direction = rng.random((4, 5)), rng.random(5)
    level = play(RowCuts(rows))[0].value * 0.8

    def build(given):
        return Projection(5, RowCuts(rows), level, given=given)

    def program(objective):
        return linprog(objective, A_ub=-rows, b_ub=np.full(4, -level), A_eq=[np.ones(5)], b_eq=[1], method="highs").fun

    top = -program(-direction)
    assert maximise_on_polytope(build([]), direction) == pytest.approx(top, abs=1e-8)
    centre, utilitarian = (
        select_from_polytope(build, Selection(rule, direction))[0] for rule in ("centre", "utilitarian")
    )
    vertex = first_vertex_of_cuts(RowCuts(rows), level, np.maximum(centre, 0.0), rows[:0], rows[:0])[0]
    assert program(centre) >= centre @ centre - 1e-8
    assert direction @ utilitarian == pytest.approx(top, abs=1e-8)
    assert vertex[0] == pytest.approx(-program(-np.eye(5)[0]), abs=1e-8)
    active = (vertex < 1e-9).sum() + (rows @ vertex < level + 1e-9).sum()
    assert active >= 4
