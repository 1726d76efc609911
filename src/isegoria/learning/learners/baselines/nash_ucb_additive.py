"""The UCB learner of Hossain, Micha and Shah (2021): an exploration bonus is added to the Nash welfare."""

from __future__ import annotations

import math

import numpy as np

from isegoria.errors import unknown_name_error
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.state_view import StateView
from isegoria.learning.base.validation import require_scale
from isegoria.learning.learners.baselines.explore_exploit import HOSSAIN_2021_CITATION
from isegoria.learning.learners.baselines.gini_gradient import project_to_simplex
from isegoria.learning.learners.row_hashes import row_hashes
from isegoria.profiles import Instance
from isegoria.profiles.names import NamesLike
from isegoria.rules import solve
from isegoria.utils import tolerances
from isegoria.utils.seeds import Seed

BONUS_CHOICES = ("agents", "covering")
MAX_ASCENT_STEPS = 200
STATIONARITY_TOLERANCE = 1e-10
"""How much a step may still bring, to first order, at a policy that is called a local optimum."""


class NashUCBAdditiveLearner(Learner):
    """Baseline learner that maximises `NSW(p, μ̂) + α_t Σ_k p_k √(ln(NKt) / n_k)`, the Nash product plus a bonus.

    For the global optimum, expected regret in the Nash product is `Õ(min(NK, √N K^{3/2}) √T)` with either `bonus`. The
    sum is not log-concave, and no fast method to find that optimum is known. The policy here is the best of the local
    optima reached from the certified Nash policy of the means, the best single arm and the previous policy. A pair
    without a reward counts as 1/2. Equal voice is not guaranteed.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    bonus : str
        The paper's `α_t`: "agents" for N, or "covering" for `√(12 NK ln(NKt))`.
    scale : float
        A positive factor of `α_t`, as in the authors' experiments.
    seed : optional
        The seed of the learner's own draws.
    agents, arms : sequence of str, optional
        Names; numbered by default.
    weights : sequence of int, optional
        The agents' weights; all 1 by default.

    Examples
    --------
    >>> NashUCBAdditiveLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "nash-ucb-additive"
    label = "NSW+UCB"
    summary = "a baseline: a bonus for rarely pulled arms on top of the Nash product of the means"
    citation = HOSSAIN_2021_CITATION
    settings = ("bonus", "scale")

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        bonus: str = "agents",
        scale: float = 1.0,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        if bonus not in BONUS_CHOICES:
            raise unknown_name_error("bonus", bonus, BONUS_CHOICES)
        self.bonus, self.scale = bonus, require_scale(scale)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    @property
    def alpha(self) -> float:
        """The bonus `α_t` of the round that is being decided."""
        n, k = len(self._agents), len(self._arms)
        return self.scale * (n if self.bonus == "agents" else math.sqrt(12 * n * k * math.log(n * k * self.rounds)))

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
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
    """Return the best of the local optima (K,) of Π (means p)^weights + bonus · p that a few starts lead to.

    The starts are the Nash policy of the means, the best single arm and the `last` policy.

    >>> best_local_optimum(np.eye(2), np.ones(2), np.zeros(2), np.ones(2) / 2).round(6).tolist()
    [0.5, 0.5]
    >>> best_local_optimum(np.eye(2), np.ones(2), np.array([0.0, 2.0]), np.ones(2) / 2).tolist()
    [0.0, 1.0]
    """
    instance = Instance(means, weights=weights.astype(np.int64), tie_tolerance=tolerances.NEAR_TIE)
    alone = np.array([_objective_value(means, weights, bonus, arm) for arm in np.eye(len(bonus))])
    starts = [solve(instance, "nash").policy, np.eye(len(bonus))[int(alone.argmax())]]
    if last.sum() > 0:
        starts.append(last / last.sum())
    found = [_ascend(means, weights, bonus, start) for start in starts]
    return max(found, key=lambda policy: _objective_value(means, weights, bonus, policy))


def _ascend(means: np.ndarray, weights: np.ndarray, bonus: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """Return a local optimum by projected gradient ascent with backtracking (steps are halved until they improve)."""
    step, value = 1.0, _objective_value(means, weights, bonus, policy)
    for _ in range(MAX_ASCENT_STEPS):
        slope = _gradient(means, weights, bonus, policy)
        if slope.max() - slope @ policy <= STATIONARITY_TOLERANCE:
            break
        while step > STATIONARITY_TOLERANCE:
            there = project_to_simplex(policy + step * slope, 0.0)
            reached = _objective_value(means, weights, bonus, there)
            if reached >= value + 0.1 * slope @ (there - policy) and reached > value:
                break
            step /= 2
        else:
            break
        policy, value, step = there, reached, 4 * step
    return policy


def _objective_value(means: np.ndarray, weights: np.ndarray, bonus: np.ndarray, policy: np.ndarray) -> float:
    return float(np.prod((means @ policy) ** weights) + bonus @ policy)


def _gradient(means: np.ndarray, weights: np.ndarray, bonus: np.ndarray, policy: np.ndarray) -> np.ndarray:
    utilities = np.maximum(means @ policy, tolerances.NEVER_CHOSEN)
    product = float(np.prod(utilities**weights))
    return product * ((weights / utilities) @ means) + bonus
