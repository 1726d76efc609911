"""The plain linear program for large sparse games: against the search for those who matter, and where all do."""

import numpy as np
import pytest
from scipy.sparse import csr_array, identity, vstack

import isegoria as iso
from isegoria.solvers import method_limits
from isegoria.solvers.maximin.linear_program import choose_lp_optimum, maximise_minimum
from isegoria.solvers.maximin.row_generation import solve_by_rows
from isegoria.solvers.maximin.welfare_functions import GiniWelfare, MinimumWelfare
from isegoria.solvers.result import Selection

HALVES = np.concatenate([[0.0], 1.0 - 0.5 ** np.arange(1, 65)])


def random_ballots(seed: int, agents: int, arms: int, bullets: float) -> csr_array:
    """Approval ballots of 3 to 8 names, and for some arms a ballot for that arm alone."""
    rng = np.random.default_rng(seed)
    table = np.zeros((agents, arms))
    for row in table:
        row[rng.choice(arms, rng.integers(3, 9), replace=False)] = 1.0
    alone = identity(arms, format="csr")[np.flatnonzero(rng.random(arms) < bullets)]
    return csr_array(vstack([csr_array(table), alone], format="csr"))


@pytest.mark.parametrize("bullets", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("tie_break", ["centre", "utilitarian"])
def test_the_program_has_the_optimum_of_those_who_matter(bullets, tie_break):
    for seed in range(2):
        table = random_ballots(seed, 150, 40, bullets)
        total, welfare = (
            np.asarray(table.sum(axis=0)).ravel(),
            GiniWelfare(np.ones(table.shape[0], dtype=np.int64), HALVES),
        )
        best = maximise_minimum(table)
        for rule in (MinimumWelfare(), welfare):
            found = choose_lp_optimum(rule, table, best, Selection(tie_break, total))
            if found is None:  # those who hold the least down are too few to be a mixture of orders
                assert rule is welfare
                continue
            known = solve_by_rows(rule, table, Selection(tie_break, total))
            assert found.gap <= 1e-12
            assert found.value == pytest.approx(known.value, abs=1e-12)
            assert rule.value(table @ found.policy) == pytest.approx(found.value, abs=1e-15)
            if min(found.margin, known.margin) > 1e-8:
                assert found.policy == pytest.approx(known.policy, abs=1e-9)


@pytest.mark.slow
def test_a_ballot_for_every_arm_alone_makes_all_arms_equal():
    table = random_ballots(1, 3000, 400, 1.0)
    assert table.shape[0] * table.shape[1] > method_limits.SPARSE_LP_MIN_SIZE
    for given in (table, table.toarray()):
        for objective, times in (("egalitarian", 1), ("gini", 2)):
            found = iso.solve(iso.Instance(given), objective)
            assert found.value == pytest.approx(times / 400, abs=1e-12)
            assert found.policy == pytest.approx(np.full(400, 1 / 400), abs=1e-12)
            assert found.tie_margin > 1e-8


def test_a_mixture_that_is_none_of_orders_is_left_to_others():
    """One agent alone holds the least down; for Gini the others matter too."""
    table = csr_array(np.array([[0.5, 0.5], [1.0, 0.75], [0.75, 1.0]]))
    best = maximise_minimum(table)
    assert choose_lp_optimum(MinimumWelfare(), table, best, Selection("centre", np.zeros(2))).value == 0.5
    assert (
        choose_lp_optimum(
            GiniWelfare(np.ones(3, dtype=np.int64), HALVES), table, best, Selection("centre", np.zeros(2))
        )
        is None
    )


def test_a_corner_that_is_one_of_several_is_not_called_clear():
    """The first agent holds the least down and likes both of the first arms as much; the other likes neither less."""
    several, single = csr_array(np.array([[0.5, 0.5], [1.0, 1.0]])), csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))
    for table, clear in ((several, False), (single, True)):
        found = choose_lp_optimum(MinimumWelfare(), table, maximise_minimum(table), Selection("vertex", np.zeros(2)))
        assert found.value == 0.5
        assert (found.margin > 0) is clear
