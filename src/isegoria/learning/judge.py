"""Scores and shortfalls of many policies on one instance: what is needed for all of them is computed once."""

from __future__ import annotations

import numpy as np

from isegoria.instance import Instance
from isegoria.learning.regret import Shortfall
from isegoria.objectives import solve
from isegoria.objectives.inequality import spread
from isegoria.scores import score


class Judge:
    """Judges the policies of a run: their three scores, as `isegoria.score` has them, and their `Shortfall`.

    D(P) is taken as pᵀGp with the matrix G of the instance, so that it costs K² and not NK.

    >>> judge = Judge(Instance([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    >>> judge([0.5, 0.5])[:3].round(3).tolist()
    [0.833, 1.0, 0.75]
    """

    def __init__(self, instance: Instance):
        self.instance = instance
        self._shortfall = Shortfall(instance)
        self._spread, self._least = spread(instance), solve(instance, "inequality").value

    def __call__(self, policy) -> np.ndarray:
        """(3 + 4,) the scores procedural, equality and utilitarian, then the shortfalls."""
        policy = np.asarray(policy, dtype=float)
        scores = score(self.instance, policy)
        equality = min(1.0, 1.0 - float(policy @ self._spread @ policy - self._least))
        return np.concatenate([[scores.procedural, equality, scores.utilitarian], self._shortfall(policy)])
