"""The UCB of Hossain, Micha and Shah (2021): a bonus for what was seldom pulled is added to the Nash welfare."""

from __future__ import annotations

import math

import numpy as np

from isegoria import tolerances
from isegoria.errors import unknown
from isegoria.instance import Instance
from isegoria.instance.names import GivenNames
from isegoria.learning.learners.explore_exploit import CITATION
from isegoria.learning.learners.gini_gradient import nearest
from isegoria.learning.learners.row_hashes import row_hashes
from isegoria.learning.protocol.checks import checked_scale
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.objectives import solve
from isegoria.seeds import Seed

BONUSES = ("agents", "covering")
MOST_STEPS = 200
SETTLED = 1e-10
"""How much a step may still bring, to first order, at a policy that is called a local optimum."""


class NashAdditiveLearner(Learner):
    """A baseline: maximises NSW(p, μ̂) + α_t Σ_k p_k √(ln(NKt) / n_k), the product of the utilities with a bonus on it.

    `bonus` chooses α_t of the paper: "agents" is N, "covering" √(12 NK ln(NKt)); `scale` multiplies it, as the authors'
    own experiments do. With either, expected regret in the Nash product is Õ(min(NK, √N K^{3/2}) √T) for the global
    optimum. A product with something added is not log-concave, and nobody knows how to find that optimum quickly: the
    policy here is the best of the local optima reached from the certified Nash policy of the means, the best single arm
    and the policy before. A pair without a reward counts as 1/2. Not guaranteed: equal voice.

    >>> NashAdditiveLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "nash-ucb-additive"
    label = "NSW+UCB"
    summary = "a baseline: a bonus for rarely pulled arms on top of the Nash product of the means"
    citation = CITATION
    settings = ("bonus", "scale")

    def __init__(self, n_agents: int, n_arms: int, bonus: str = "agents", scale: float = 1.0, seed: Seed = None,
                 agents: GivenNames = None, arms: GivenNames = None, weights: GivenWeights = None):  # fmt: skip
        if bonus not in BONUSES:
            raise unknown("bonus", bonus, BONUSES)
        self.bonus, self.scale = bonus, checked_scale(scale)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    @property
    def alpha(self) -> float:
        """α_t of the round that is being decided."""
        n, k = len(self._agents), len(self._arms)
        return self.scale * (n if self.bonus == "agents" else math.sqrt(12 * n * k * math.log(n * k * self.rounds)))

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        columns = list(arms)
        means = self._tally.means[columns][:, self._present]
        means = np.where(means < 0.0, 0.5, means)
        places = np.arange(len(columns)), np.arange(means.shape[1])
        order = np.argsort(row_hashes(np.ascontiguousarray(means), *places, self._weights), kind="stable")
        pulls = np.array(self._asked, dtype=float)[columns]
        log_term = math.log(len(self._agents) * len(self._arms) * self.rounds)
        rows, weights = np.ascontiguousarray(means.T[order]), self._weights[order].astype(float)
        policy = np.zeros(len(self._arms))
        policy[columns] = best_local_optimum(rows, weights, self.alpha * np.sqrt(log_term / pulls), self._last[columns])
        return policy


def best_local_optimum(means: np.ndarray, weights: np.ndarray, bonus: np.ndarray, last: np.ndarray) -> np.ndarray:
    """(K,) the best of the local optima of Π (means p)^weights + bonus · p that a few starts lead to.

    The starts are the Nash policy of the means, the best single arm, and the `last` policy.

    >>> best_local_optimum(np.eye(2), np.ones(2), np.zeros(2), np.ones(2) / 2).round(6).tolist()
    [0.5, 0.5]
    >>> best_local_optimum(np.eye(2), np.ones(2), np.array([0.0, 2.0]), np.ones(2) / 2).tolist()
    [0.0, 1.0]
    """
    instance = Instance(means, weights=weights.astype(np.int64), tie_tolerance=tolerances.NEAR_TIE)
    alone = np.array([_value(means, weights, bonus, arm) for arm in np.eye(len(bonus))])
    starts = [solve(instance, "nash").policy, np.eye(len(bonus))[int(alone.argmax())]]
    if last.sum() > 0:
        starts.append(last / last.sum())
    found = [_climb(means, weights, bonus, start) for start in starts]
    return max(found, key=lambda policy: _value(means, weights, bonus, policy))


def _climb(means: np.ndarray, weights: np.ndarray, bonus: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """A local optimum, by projected gradients whose steps are halved until they bring something."""
    step, value = 1.0, _value(means, weights, bonus, policy)
    for _ in range(MOST_STEPS):
        slope = _slope(means, weights, bonus, policy)
        if slope.max() - slope @ policy <= SETTLED:
            break
        while step > SETTLED:
            there = nearest(policy + step * slope, 0.0)
            reached = _value(means, weights, bonus, there)
            if reached >= value + 0.1 * slope @ (there - policy) and reached > value:
                break
            step /= 2
        else:
            break
        policy, value, step = there, reached, 4 * step
    return policy


def _value(means: np.ndarray, weights: np.ndarray, bonus: np.ndarray, policy: np.ndarray) -> float:
    return float(np.prod((means @ policy) ** weights) + bonus @ policy)


def _slope(means: np.ndarray, weights: np.ndarray, bonus: np.ndarray, policy: np.ndarray) -> np.ndarray:
    utilities = np.maximum(means @ policy, tolerances.NEVER)
    product = float(np.prod(utilities**weights))
    return product * ((weights / utilities) @ means) + bonus
