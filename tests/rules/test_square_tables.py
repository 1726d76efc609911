"""The least utility of dense tables, asked by public names alone: what it costs beside the linear program by itself."""

import time

import numpy as np
import pytest
from scipy.optimize import linprog

import isegoria as iso


def solve_with_highs(means):
    """The plain linear program for the policy, by SciPy."""
    agents, arms = means.shape
    return linprog(
        np.append(np.zeros(arms), -1.0),
        A_ub=np.hstack([-means, np.ones((agents, 1))]),
        b_ub=np.zeros(agents),
        A_eq=np.append(np.ones(arms), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * arms + [(None, None)],
        method="highs-ds",
    )


def cpu_seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("shape", [(250, 250), (120, 450)])
def test_a_dense_table_costs_no_more_than_three_times_the_program_itself(shape):
    """It took six to twenty times as long: games of a few arms at a time, each from the beginning."""
    means = np.random.default_rng(1).random(shape)
    found = iso.solve(iso.Instance(means), "egalitarian")
    assert found.value == pytest.approx(-solve_with_highs(means).fun, abs=1e-7)
    assert cpu_seconds(lambda: iso.solve(iso.Instance(means), "egalitarian")) <= 3 * cpu_seconds(
        lambda: solve_with_highs(means)
    )


def solve_with_piqp(means):
    """The policy of the least variance by PIQP at 1e-12, called directly."""
    piqp = pytest.importorskip("piqp")
    arms = means.shape[1]
    centred = means - means.mean(axis=0)
    solver = piqp.DenseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = 1e-12
    nothing, most = np.zeros(arms), np.full(arms, 1e30)
    matrix = 4 / (len(means) - 1) * (centred.T @ centred)
    solver.setup(matrix, nothing, A=np.ones((1, arms)), b=np.ones(1), x_l=nothing, x_u=most)
    solver.solve()
    return solver.result.x


def test_the_least_inequality_of_a_square_costs_no_more_than_twice_a_quadratic_solver_by_itself():
    """It took three times as long: rows sorted and merged, arms taken one by one."""
    means = np.random.default_rng(2).random((400, 400))
    found = iso.solve(iso.Instance(means), "inequality")
    assert found.policy == pytest.approx(solve_with_piqp(means), abs=1e-6)
    ours = min(cpu_seconds(lambda: iso.solve(iso.Instance(means), "inequality")) for _ in range(3))
    assert ours <= 2 * min(cpu_seconds(lambda: solve_with_piqp(means)) for _ in range(3))
