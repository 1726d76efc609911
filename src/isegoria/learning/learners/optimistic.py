"""Optimism in the face of uncertainty: upper bounds of the means go into an objective as if they were the truth."""

from __future__ import annotations

import math

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.instance.names import GivenNames
from isegoria.learning.protocol.checks import whole
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.rules import solve


def optimal_policy(
    means: np.ndarray, weights: np.ndarray, objective: str, arms: tuple[int, ...], n_arms: int
) -> np.ndarray:
    """(K,) the policy that `objective` prefers for `means` (n, |arms|) and `weights` (n,), zero outside `arms`.

    Rows are solved in sorted order, so that not even rounding depends on the order of the agents. Near ties are
    expected of estimates, so nothing warns of them.
    """
    policy = np.zeros(n_arms)
    order = np.lexsort((weights, *means.T))
    voices = None if (weights == 1).all() else weights[order]
    instance = Instance(means[order], weights=voices, tie_tolerance=tolerances.NEAR_TIE)
    policy[list(arms)] = solve(instance, objective, "centre").policy
    return policy


class OptimisticLearner(Learner):
    """The template: a subclass names its `objective`, and may write its own `_bonus`.

    The upper bound is min(1, mean + √(2 ln(NKt) / n_ik)), the radius of Algorithm 1; without an observation it is 1.
    """

    objective = ""

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        counts = self._tally.counts[list(arms)][:, self._present].T
        seen = counts > 0
        means = np.where(seen, self._tally.means[list(arms)][:, self._present].T, 1.0)
        upper = np.minimum(1.0, means + np.where(seen, self._bonus(means, np.maximum(counts, 1)), 0.0))
        return optimal_policy(upper, self._weights, self.objective, arms, len(self._arms))

    def _bonus(self, means: np.ndarray, counts: np.ndarray) -> np.ndarray:
        return np.sqrt(2.0 * math.log(len(self._agents) * len(self._arms) * self.rounds) / counts)


class OptimisticUtilitarianLearner(OptimisticLearner):
    """Plays the arm with the largest total upper bound: UCB1 on the agents' total reward.

    Total utility is learned with logarithmic regret; equal voice is not sought, and agents outside the majority may
    never see a favourite.

    >>> OptimisticUtilitarianLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "utilitarian"
    label = "UT-UCB"
    summary = "upper bounds into the total utility"
    citation = "Auer, Cesa-Bianchi and Fischer (2002), Finite-time analysis of the multiarmed bandit problem"
    objective = "utilitarian"


class OptimisticEgalitarianLearner(OptimisticLearner):
    """Maximises the least upper bound on an agent's utility.

    The policy tends to the egalitarian one as bounds shrink; arms outside its support are explored only while their
    bounds are wide, and nothing is guaranteed about voice.

    >>> OptimisticEgalitarianLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "egalitarian"
    label = "EG-UCB"
    summary = "upper bounds into the least utility"
    citation = "the template of optimism with the paper's egalitarian objective"
    objective = "egalitarian"


class OptimisticGiniLearner(OptimisticLearner):
    """Maximises the Gini welfare of the upper bounds, with the paper's weights 2^-(i-1).

    The policy tends to the Gini-optimal one as bounds shrink; nothing is guaranteed about voice.

    >>> OptimisticGiniLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "gini"
    label = "GGI-UCB"
    summary = "upper bounds into the generalised Gini welfare"
    citation = "the template of optimism with the paper's generalised Gini objective"
    objective = "gini"


class NashLearner(OptimisticLearner):
    """Maximises the Nash welfare of upper bounds, as Jones, Nguyen and Nguyen publish it.

    The upper bound is min(1, mean + √(12 (1 - mean) L / n) + 12 L / n) with L = ln(NKT) for a `horizon` of T rounds.
    Guaranteed is a regret of Õ(√(NKT) + NK) in Nash welfare of utilities. Not guaranteed: equal voice; the Nash policy
    may leave an agent without any of its favourites.

    >>> NashLearner(3, 2, horizon=1000, seed=1).ask().arm
    0
    """

    id = "nash"
    label = "NSW-UCB"
    summary = "upper bounds that adapt to the mean into the Nash welfare"
    citation = "Jones, Nguyen and Nguyen (2023), An efficient algorithm for fair multi-agent multi-armed bandit"
    objective = "nash"
    settings = ("horizon",)
    factor = 12.0

    def __init__(self, n_agents: int, n_arms: int, horizon: int = 100_000, seed: int | None = None,
                 agents: GivenNames = None, arms: GivenNames = None, weights: GivenWeights = None):  # fmt: skip
        self.horizon = whole(horizon, "horizon")
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    def _bonus(self, means: np.ndarray, counts: np.ndarray) -> np.ndarray:
        share = self.factor * math.log(len(self._agents) * len(self._arms) * self.horizon) / counts
        return np.sqrt((1.0 - means) * share) + share
