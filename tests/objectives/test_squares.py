"""The least utility of dense tables, asked by public names alone: what it costs beside the linear program by itself."""

import time

import numpy as np
import pytest
from scipy.optimize import linprog

import isegoria as iso


def program(means):
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


def spent(work):
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("shape", [(250, 250), (120, 450)])
def test_a_dense_table_costs_no_more_than_three_times_the_program_itself(shape):
    """It took six to twenty times as long: games of a few arms at a time, each from the beginning."""
    means = np.random.default_rng(1).random(shape)
    found = iso.solve(iso.Instance(means), "egalitarian")
    assert found.value == pytest.approx(-program(means).fun, abs=1e-7)
    assert spent(lambda: iso.solve(iso.Instance(means), "egalitarian")) <= 3 * spent(lambda: program(means))
