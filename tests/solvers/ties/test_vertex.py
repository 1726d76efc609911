"""Corners by pivots: the lexicographically largest one, beside linear programs that ask for one arm after the other."""

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.ties.selection import first_vertex
from isegoria.solvers.ties.vertex import corner

LOOSE = 1e-9


def lexicographic_by_lp(equal, bounds, cuts=None, least=None):
    """The oracle: HiGHS makes each arm as large as it can be, with those before it kept."""
    arms = equal.shape[1]
    limits, found = [(0.0, None)] * arms, np.zeros(arms)
    for k in range(arms):
        held = None if cuts is None else -np.asarray(cuts)
        level = None if cuts is None else LOOSE / 100 - np.asarray(least)
        solved = linprog(-np.eye(arms)[k], A_ub=held, b_ub=level, A_eq=equal, b_eq=bounds, bounds=limits)
        assert solved.status == 0
        found[k] = solved.x[k]
        limits[k] = (max(found[k] - LOOSE, 0.0), found[k] + LOOSE)
    return found


def random_polytopes(count):
    """(equal, point): some equations, and a policy that meets them, with some arms at 0."""
    for seed in range(count):
        rng = np.random.default_rng([71, seed])
        arms = int(rng.integers(2, 11))
        rows = int(rng.integers(0, arms))
        equal = rng.integers(0, 4, (rows, arms)) / 3 if seed % 2 else rng.random((rows, arms))
        point = rng.dirichlet(np.ones(arms)) * (rng.random(arms) < 0.7)
        point[0] += point.sum() == 0
        yield np.vstack([equal, np.ones(arms)]), point / point.sum()


def test_each_arm_gets_as_much_as_those_before_it_leave():
    for equal, point in random_polytopes(20):
        found, margin, _ = corner(np.column_stack([equal, equal @ point]), point, len(point))
        assert margin > 0
        np.testing.assert_allclose(found, lexicographic_by_lp(equal, equal @ point), atol=1e-6)
        np.testing.assert_allclose(equal @ found, equal @ point, atol=1e-14)


def test_what_is_played_at_a_corner_is_independent_and_more_than_dust():
    for equal, point in random_polytopes(200):
        found, _, _ = corner(np.column_stack([equal, equal @ point]), point, len(point))
        played = np.flatnonzero(found)
        assert np.linalg.matrix_rank(equal[:, played], tol=1e-9) == len(played)
        assert found[played].min() >= 1e-12


def test_where_the_walk_begins_does_not_matter():
    for equal, point in random_polytopes(30):
        bounds = equal @ point
        first, _, _ = corner(np.column_stack([equal, bounds]), point, len(point))
        aim = np.random.default_rng(len(point)).random(len(point))
        other = linprog(aim, A_eq=equal, b_eq=bounds, bounds=(0, None)).x
        again, margin, _ = corner(np.column_stack([equal, bounds]), np.maximum(other, 0.0), len(point))
        if margin > 1e-8:
            np.testing.assert_allclose(again, first, atol=1e-9)


def test_cuts_that_are_asked_for_hold_the_corner():
    for seed in range(12):
        rng = np.random.default_rng([72, seed])
        rows = rng.integers(0, 4, (int(rng.integers(1, 8)), int(rng.integers(2, 8)))) / 3
        arms = rows.shape[1]
        point = np.full(arms, 1 / arms)
        least = rows @ point - 0.1

        def lowest(policy, rows=rows, least=least):
            i = int((rows @ policy - least).argmin())
            return (rows[i], least[i]) if rows[i] @ policy < least[i] else None

        found, margin = first_vertex(point, np.empty((0, arms + 1)), lowest)
        assert margin > 0
        assert (rows @ found - least).min() > -1e-12
        np.testing.assert_allclose(found, lexicographic_by_lp(np.ones((1, arms)), [1.0], rows, least), atol=1e-6)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_an_equation_counts_alike_in_any_unit(unit):
    held = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.5, 0.5]])
    held[1] *= unit
    assert corner(held, np.array([0.25, 0.25, 0.5]), 3)[0].tolist() == [0.5, 0.5, 0.0]


def test_equations_that_contradict_the_point_leave_it_as_it_was():
    held = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 5.0]])
    found, margin, _ = corner(held, np.array([0.5, 0.5]), 2)
    assert (found.tolist(), margin) == ([0.5, 0.5], 0.0)
