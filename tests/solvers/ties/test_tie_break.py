"""A tie-break is known by its name, and what it needs is asked for."""

import numpy as np
import pytest

from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.ties.tie_break import TieBreak, best_arms


def test_a_name_or_the_choice_itself():
    rows, weights = np.eye(2), np.ones(2)
    assert maximise(rows, weights, TieBreak.VERTEX).policy.tolist() == maximise(rows, weights, "vertex").policy.tolist()
    with pytest.raises(KeyError):
        maximise(rows, weights, "middle")
    with pytest.raises(TypeError, match="needs the direction"):
        maximise(rows, weights, TieBreak.UTILITARIAN)


def test_the_best_arms_share_or_the_first_takes_all():
    values = np.array([0.2, 0.7, 0.7 - 1e-13, 0.4])
    shared = best_arms(values, 1e-12)
    assert shared.policy.tolist() == [0, 0.5, 0.5, 0]
    assert shared.value == pytest.approx(values @ shared.policy, rel=1e-15)
    assert shared.gap == 0.7 - shared.value
    assert shared.margin == pytest.approx(0.3)
    assert best_arms(values, 1e-12, True).policy.tolist() == [0, 1, 0, 0]
    assert best_arms(np.array([0.3, 0.3]), 1e-12).margin == np.inf
