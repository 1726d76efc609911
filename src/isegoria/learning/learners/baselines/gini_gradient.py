"""Online gradient descent with exploration for the Gini index (Busa-Fekete, Szörényi, Weng and Mannor, 2017)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isegoria.learning.base.learner import Learner
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.state_view import StateView
from isegoria.learning.base.validation import require_fraction
from isegoria.profiles.names import NamesLike
from isegoria.utils.seeds import Seed


class GiniGradientLearner(Learner):
    """Learner that takes projected gradient steps on the Gini index of the estimated costs 1 - mean (MO-OGDE).

    After each reward, with `η_t = √2 / (1 - 1/√K) · √(ln(2/δ) / t)`, p moves to the point nearest to
    `p - η_t ∇ G_w(costs · p)` among the policies that give every arm at least `min(η_t, 1)/K`. The Gini weights are
    `w_i = 2^-(i-1)`, largest cost first. If every reward comes before the next round, the guarantee is a regret of
    `Õ(T^(-1/2))` per round in Gini index, with probability 1 - δ. Equal voice is not guaranteed.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    delta : float
        δ, the probability that the guarantee fails.
    seed : optional
        The seed of the learner's own draws.
    agents, arms : sequence of str, optional
        Names; numbered by default.
    weights : sequence of int, optional
        The agents' weights; all 1 by default.

    Examples
    --------
    >>> learner = GiniGradientLearner(2, 2, seed=7)
    >>> for _ in range(3000):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.1, 0.9]][ticket.arm])
    >>> learner.policy.round(1).tolist()
    [0.5, 0.5]
    """

    # As in every learner: first the registry entry, then an explicit signature for editors.
    id = "gini-gradient"
    label = "MO-OGDE"
    summary = "projected gradient steps on the Gini index, with forced exploration"
    citation = "Busa-Fekete et al. (2017), Multi-objective bandits: optimizing the generalized Gini index"
    settings = ("delta",)

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        delta: float = 0.05,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        self.delta = require_fraction("delta", delta, "the probability that the guarantee fails")
        self._point = np.zeros(0)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        if len(arms) == len(self._point):
            return self._point
        policy = np.zeros_like(self._point)
        policy[list(arms)] = self._point[list(arms)] / self._point[list(arms)].sum()
        return policy

    def observe(self, arm: int, rows: np.ndarray, rewards: np.ndarray) -> None:
        if min(self._asked) == 0:
            return
        step = _step_size(len(self._arms), self.rounds, self.delta)
        costs = 1.0 - np.where(self._tally.means < 0.0, 0.5, self._tally.means).T[self._present]
        slope = gini_gradient(costs, self._point, self._weights)
        self._point = project_to_simplex(self._point - step * slope, min(step, 1.0) / len(self._arms))

    def on_roster_change(self) -> None:
        if len(self._point) != len(self._arms):
            self._point = np.full(len(self._arms), 1.0 / len(self._arms))

    def extra_state(self) -> dict[str, Any]:
        return {"point": self._point.tolist()}

    def restore_extra(self, state: dict[str, Any]) -> None:
        self._point = np.array(state["point"], dtype=float)


def _step_size(n_arms: int, t: int, delta: float) -> float:
    """Return the step size η_t; with a single arm it does not matter and is 1."""
    return 1.0 if n_arms == 1 else math.sqrt(2.0 * math.log(2.0 / delta) / t) / (1.0 - 1.0 / math.sqrt(n_arms))


def gini_gradient(costs: np.ndarray, policy: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the gradient (K,) at `policy` of Σ_i 2^-(i-1) c_(i), the largest expected cost c = costs @ policy first.

    An agent of weight w takes w consecutive ranks. Agents with equal expected costs are ordered by their rows, so that
    the order of agents does not matter.

    >>> gini_gradient(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([0.5, 0.5]), np.array([1, 1])).tolist()
    [1.0, 0.25]
    >>> gini_gradient(np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([0.5, 0.5]), np.array([2, 1])).tolist()
    [1.5, 0.125]
    """
    expected = (costs * policy).sum(axis=1)
    order = np.lexsort((weights, *costs.T, expected))[::-1]
    held = weights[order].astype(float)
    places = 0.5 ** (np.cumsum(held) - held) * (2.0 - 2.0 * 0.5**held)
    return np.add.reduce(costs[order] * places[:, None], axis=0)


def project_to_simplex(point: np.ndarray, least: float) -> np.ndarray:
    """Return the policy nearest to `point` (Euclidean) that gives every arm at least `least`.

    >>> project_to_simplex(np.array([0.9, 0.4, -1.0]), 0.1).round(3).tolist()
    [0.7, 0.2, 0.1]
    """
    rest = 1.0 - least * len(point)
    falling = np.sort(point - least)[::-1]
    excess = (np.cumsum(falling) - rest) / np.arange(1, len(point) + 1)
    shift = excess[np.flatnonzero(falling - excess > 0)[-1]] if rest > 0 else falling[0]
    policy = least + np.maximum(point - least - shift, 0.0)
    return policy / policy.sum()
