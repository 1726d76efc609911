"""What a policy is worth on the truth: its three scores, and its regrets in other objectives than equal voice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.inequality import spread
from isegoria.rules import OBJECTIVES, Objective, solve
from isegoria.scores import score

OTHER_REGRETS = ("utilitarian", "nash", "egalitarian", "gini")
"""The welfares in which `simulate` also counts regret; the Nash product in logarithms, since it underflows."""
REGRETS = ("procedural", "inequality", *OTHER_REGRETS)
"""Every regret of a trace: voices not carried, 1 − PF(P); inequality above the least, D(P) − D*; and the welfares."""


class Shortfall:
    """How far below the best of an instance a policy is, in each of `OTHER_REGRETS`.

    The regret of a run is the sum of these over its rounds, taken at the learned policy P^t of each round. For the Nash
    product it is the difference of the mean log utilities, infinite when the policy leaves someone with nothing
    who could have something.

    >>> shortfall = Shortfall(Instance([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    >>> dict(zip(OTHER_REGRETS, shortfall([0.5, 0.5]).round(3).tolist()))["utilitarian"]
    0.167
    """

    def __init__(self, instance: Instance):
        self.instance = instance
        self._best = [self._scale(name, solve(instance, name).value) for name in OTHER_REGRETS]

    def __call__(self, policy: Sequence[float] | np.ndarray) -> np.ndarray:
        """(4,) the shortfall of `policy`, at least 0, in the order of `OTHER_REGRETS`."""
        p = np.asarray(policy, dtype=float)
        values = [self._scale(name, OBJECTIVES[name].evaluate(self.instance, p)) for name in OTHER_REGRETS]
        best, reached = np.array(self._best), np.array(values)
        short = reached < best  # nowhere when every mean is 0: then all policies are as good, and both logarithms -inf
        return np.subtract(best, reached, out=np.zeros(len(best)), where=short)

    @staticmethod
    def _scale(name: str, value: float) -> float:
        if name != "nash":
            return float(value)
        return float(np.log(value)) if value > 0 else -np.inf


class Judge:
    """Judges the policies of a run: their three scores, as `isegoria.score` has them, what they fall short of in each
    of `REGRETS`, and whether they are unfair (1 or 0).

    With objectives of one's `own`, what a policy falls short of their best comes after the others.

    D(P) is taken as pᵀGp with the matrix G of the instance, so that it costs K² and not NK.

    >>> judge = Judge(Instance([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    >>> judge([0.5, 0.5])[:3].round(3).tolist()
    [0.833, 1.0, 0.75]
    """

    def __init__(self, instance: Instance, own: Sequence[Objective] = ()):
        self.instance = instance
        self._shortfall = Shortfall(instance)
        self._own = [(one, solve(instance, one).value, 1 if one.better == "largest" else -1) for one in own]
        self._spread, self._least = spread(instance), solve(instance, "inequality").value

    def __call__(self, policy: Sequence[float] | np.ndarray) -> np.ndarray:
        """(3 + 6 + own + 1,) the scores procedural, equality and utilitarian, the shortfalls, whether it is unfair."""
        p = np.asarray(policy, dtype=float)
        scores = score(self.instance, p)
        equality = min(1.0, 1.0 - float(p @ self._spread @ p - self._least))
        voice, unfair = 1.0 - scores.procedural, float(scores.procedural < 1 - tolerances.FAIR)
        judged = [scores.procedural, equality, scores.utilitarian, max(0.0, voice), max(0.0, 1.0 - equality)]
        own = [max(0.0, sign * (best - one.evaluate(self.instance, p))) for one, best, sign in self._own]
        return np.concatenate([judged, self._shortfall(p), own, [unfair]])
