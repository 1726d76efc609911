"""A tie-break is known by its name, and what it needs is asked for."""

import numpy as np
import pytest

from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.ties.tie_break import TieBreak


def test_a_name_or_the_choice_itself():
    rows, weights = np.eye(2), np.ones(2)
    assert maximise(rows, weights, TieBreak.VERTEX).policy.tolist() == maximise(rows, weights, "vertex").policy.tolist()
    with pytest.raises(KeyError):
        maximise(rows, weights, "middle")
    with pytest.raises(TypeError, match="needs the direction"):
        maximise(rows, weights, TieBreak.UTILITARIAN)
