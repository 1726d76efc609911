"""What a policy falls short of: the regrets of a learned policy in other objectives than equal voice."""

from __future__ import annotations

import numpy as np

from isegoria.instance import Instance
from isegoria.objectives import OBJECTIVES, solve

OTHER_REGRETS = ("utilitarian", "nash", "egalitarian", "gini")
"""The objectives in which `simulate` also counts regret; the Nash product in logarithms, since it underflows."""


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

    def __call__(self, policy) -> np.ndarray:
        """(4,) the shortfall of `policy`, at least 0, in the order of `OTHER_REGRETS`."""
        policy = np.asarray(policy, dtype=float)
        reached = [self._scale(name, OBJECTIVES[name].evaluate(self.instance, policy)) for name in OTHER_REGRETS]
        best, reached = np.array(self._best), np.array(reached)
        short = reached < best  # nowhere when every mean is 0: then all policies are as good, and both logarithms -inf
        return np.subtract(best, reached, out=np.zeros(len(best)), where=short)

    @staticmethod
    def _scale(name: str, value: float) -> float:
        if name != "nash":
            return float(value)
        return float(np.log(value)) if value > 0 else -np.inf
