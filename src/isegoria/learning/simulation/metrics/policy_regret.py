"""Values of a policy on the true means: its three scores, and its regrets in other objectives than equal voice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.learning.simulation.metrics.welfares import welfares
from isegoria.profiles import Instance
from isegoria.rules import RULES, Objective, solve
from isegoria.rules.builtin.inequality import inequality_matrix
from isegoria.rules.inputs import flow_network
from isegoria.solvers.flow.push_relabel import procedural_scores
from isegoria.utils import tolerances

WELFARE_REGRETS = ("utilitarian", "nash", "egalitarian", "gini")
"""The welfares in which `simulate` also counts regret; the Nash product in logarithms, since it underflows."""
REGRET_NAMES = ("procedural", "inequality", *WELFARE_REGRETS, "nash-mean", "pareto")
"""Every regret of a trace: voices not carried, 1 − PF(P); inequality above the least, D(P) − D*; the welfares; the
geometric mean of utilities (Zhang, Vuong and Luo 2024); and the Pareto gap (Drugan and Nowé 2013, Xu and Klabjan 2023).
"""


class PolicyEvaluator:
    """Evaluator of the policies of a run on the true means of `instance`.

    It computes the three scores (as `isegoria.score` does), the shortfall in each of `REGRET_NAMES`, and whether a
    policy is unfair (1 or 0). The regret of a run is the sum of the shortfalls over its rounds, at the learned policy
    P^t of each round.

    - The shortfall of the Nash product is the difference of the mean log utilities. It is infinite if the policy leaves
      an agent with nothing who could have something. That of "nash-mean" is the difference of the geometric means.
    - For "pareto" an arm falls short by the least amount that, added to all its means, leaves no arm better for
      everyone. A policy falls short by the mean over its arms.
    - The shortfalls of additional objectives, `own`, come after the others.

    D(P) is computed as pᵀGp with the matrix G of the instance, which costs K² instead of NK.

    >>> judge = PolicyEvaluator(Instance([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    >>> judge([0.5, 0.5])[:3].round(3).tolist()
    [0.833, 1.0, 0.75]
    >>> dict(zip(REGRET_NAMES, judge([0.5, 0.5])[3:].round(3).tolist()))["utilitarian"]
    0.167
    """

    def __init__(self, instance: Instance, own: Sequence[Objective] = ()):
        self.instance = instance
        self._own = [(one, solve(instance, one).value, 1 if one.sense == "maximise" else -1) for one in own]
        best = {name: solve(instance, RULES[name]).value for name in ("inequality", *WELFARE_REGRETS)}
        self._most, self._least = best["utilitarian"], best["inequality"]
        self._best = np.array([_to_regret_scale(name, best[name]) for name in WELFARE_REGRETS])
        self._arm_gaps = measure_pareto_gaps(instance.means)
        self._given = (
            np.ascontiguousarray(instance.means.T),
            instance.weights.astype(float),
            inequality_matrix(instance),
        )

    def __call__(self, policy: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return (3 + 8 + own + 1,) values: the procedural, equality and utilitarian scores, shortfalls, unfairness."""
        return self.of_all(np.asarray(policy, dtype=float)[None])[0]

    def of_all(self, policies: np.ndarray) -> np.ndarray:
        """Return the same values, (P, 3 + 8 + own + 1), for each of `policies` (P, K), points of the simplex."""
        policies = np.ascontiguousarray(policies, dtype=float)
        utility, inequality, nash, least, gini = welfares(*self._given, policies).T
        voice = np.asarray(procedural_scores(*flow_network(self.instance), policies))
        equality = np.minimum(1.0, 1.0 - (inequality - self._least))
        most = np.minimum(1.0, utility / self._most) if self._most > 0 else np.ones_like(utility)
        reached = np.column_stack([utility, nash, least, gini])
        short = reached < self._best  # nowhere when every mean is 0: all policies are as good, both logarithms -inf
        shortfalls = np.subtract(self._best, reached, out=np.zeros_like(reached), where=short)
        own = [
            [max(0.0, sign * (best - one.evaluate(self.instance, p))) for one, best, sign in self._own]
            for p in policies
        ]
        return np.column_stack(
            [
                voice,
                equality,
                most,
                np.maximum(0.0, 1.0 - voice),
                np.maximum(0.0, 1.0 - equality),
                shortfalls,
                np.maximum(0.0, np.exp(self._best[WELFARE_REGRETS.index("nash")]) - np.exp(nash)),
                policies @ self._arm_gaps,
                np.reshape(own, (len(policies), len(self._own))),
                voice < 1 - tolerances.FAIRNESS_GAP,
            ]
        )


def measure_pareto_gaps(means: np.ndarray) -> np.ndarray:
    """Return (K,) the Pareto suboptimality gap of each arm: max over arms j of min over agents of μ_ij − μ_ik.

    >>> measure_pareto_gaps(np.array([[0.9, 0.5, 0.1], [0.2, 0.1, 0.8]])).round(3).tolist()
    [0.0, 0.1, 0.0]
    """
    gaps = np.zeros(means.shape[1])
    for arm in range(means.shape[1]):
        np.maximum(gaps, (means[:, [arm]] - means).min(axis=0), out=gaps)
    return gaps


def _to_regret_scale(name: str, value: float) -> float:
    """Return the value to compare; the Nash product is compared in logarithms, since it underflows."""
    if name != "nash":
        return float(value)
    return float(np.log(value)) if value > 0 else -np.inf
