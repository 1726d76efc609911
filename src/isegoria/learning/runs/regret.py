"""What a policy is worth on the truth: its three scores, and its regrets in other objectives than equal voice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.learning.runs.welfares import welfares
from isegoria.objectives.inequality import spread
from isegoria.rules import Objective, solve
from isegoria.solvers.flow.dinic import procedural_scores
from isegoria.voice import flows

OTHER_REGRETS = ("utilitarian", "nash", "egalitarian", "gini")
"""The welfares in which `simulate` also counts regret; the Nash product in logarithms, since it underflows."""
REGRETS = ("procedural", "inequality", *OTHER_REGRETS)
"""Every regret of a trace: voices not carried, 1 − PF(P); inequality above the least, D(P) − D*; and the welfares."""


class Judge:
    """Judges the policies of a run: their three scores, as `isegoria.score` has them, what they fall short of in each
    of `REGRETS`, and whether they are unfair (1 or 0).

    The regret of a run is the sum of the shortfalls over its rounds, taken at the learned policy P^t of each round. For
    the Nash product it is the difference of the mean log utilities, infinite when the policy leaves someone with
    nothing who could have something. With objectives of one's `own`, what a policy falls short of their best comes
    after the others. D(P) is taken as pᵀGp with the matrix G of the instance, so that it costs K² and not NK.

    >>> judge = Judge(Instance([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    >>> judge([0.5, 0.5])[:3].round(3).tolist()
    [0.833, 1.0, 0.75]
    >>> dict(zip(REGRETS, judge([0.5, 0.5])[3:].round(3).tolist()))["utilitarian"]
    0.167
    """

    def __init__(self, instance: Instance, own: Sequence[Objective] = ()):
        self.instance = instance
        self._own = [(one, solve(instance, one).value, 1 if one.better == "largest" else -1) for one in own]
        best = {name: solve(instance, name).value for name in ("inequality", *OTHER_REGRETS)}
        self._most, self._least = best["utilitarian"], best["inequality"]
        self._best = np.array([_scaled(name, best[name]) for name in OTHER_REGRETS])
        self._given = np.ascontiguousarray(instance.means.T), instance.weights.astype(float), spread(instance)

    def __call__(self, policy: Sequence[float] | np.ndarray) -> np.ndarray:
        """(3 + 6 + own + 1,) the scores procedural, equality and utilitarian, the shortfalls, whether it is unfair."""
        return self.of_all(np.asarray(policy, dtype=float)[None])[0]

    def of_all(self, policies: np.ndarray) -> np.ndarray:
        """(P, 3 + 6 + own + 1) the same for each of `policies` (P, K), points of the simplex."""
        policies = np.ascontiguousarray(policies, dtype=float)
        utility, inequality, nash, least, gini = welfares(*self._given, policies).T
        voice = np.asarray(procedural_scores(*flows(self.instance), policies))
        equality = np.minimum(1.0, 1.0 - (inequality - self._least))
        most = np.minimum(1.0, utility / self._most) if self._most > 0 else np.ones_like(utility)
        reached = np.column_stack([utility, nash, least, gini])
        short = reached < self._best  # nowhere when every mean is 0: all policies are as good, both logarithms -inf
        shortfalls = np.subtract(self._best, reached, out=np.zeros_like(reached), where=short)
        own = [[max(0.0, sign * (best - one.evaluate(self.instance, p))) for one, best, sign in self._own]
               for p in policies]  # fmt: skip
        return np.column_stack([
            voice, equality, most, np.maximum(0.0, 1.0 - voice), np.maximum(0.0, 1.0 - equality), shortfalls,
            np.reshape(own, (len(policies), len(self._own))), voice < 1 - tolerances.FAIR,
        ])  # fmt: skip


def _scaled(name: str, value: float) -> float:
    """The Nash product is judged in logarithms, since it underflows."""
    if name != "nash":
        return float(value)
    return float(np.log(value)) if value > 0 else -np.inf
