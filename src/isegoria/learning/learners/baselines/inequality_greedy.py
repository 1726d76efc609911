"""The inequality-minimising policy of the empirical means, with exploration that fades."""

from __future__ import annotations

import numpy as np

from isegoria.learning.base.learner import Learner
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.state_view import StateView
from isegoria.learning.learners.baselines.ucb import solve_for_means
from isegoria.learning.learners.procedural_learner import require_gamma
from isegoria.profiles.names import NamesLike
from isegoria.utils.seeds import Seed


class InequalityGreedyLearner(Learner):
    """Learner that plays the most equal policy for the empirical means and explores with probability `t^-(1-gamma)`.

    Exploration is uniform over all arms. Optimism does not apply, because raising a mean may raise or lower inequality.
    Exploration as in Algorithm 1 makes the means, and so the policy, converge. Nothing is guaranteed about the rate or
    about voice: with many arms, the most equal policy often gives everyone equally little. A pair without a reward
    counts as 1/2.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    gamma : float
        The exploration parameter, strictly between 0 and 1.
    seed : optional
        The seed of the learner's own draws.
    agents, arms : sequence of str, optional
        Names; numbered by default.
    weights : sequence of int, optional
        The agents' weights; all 1 by default.

    Examples
    --------
    >>> learner = InequalityGreedyLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(300):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.policy.round(3).tolist()
    [0.429, 0.571]
    """

    # As in every learner: first the registry entry, then an explicit signature for editors.
    id = "inequality-greedy"
    label = "IM-greedy"
    summary = "the least inequality of the means, exploring all arms at a falling rate"
    citation = "the paper's inequality-minimising objective with the exploration of Algorithm 1"
    settings = ("gamma",)

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        gamma: float = 0.7,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        self.gamma = require_gamma(gamma)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        means = self._tally.means[list(arms)][:, self._present].T
        means = np.where(means < 0.0, 0.5, means)
        return solve_for_means(means, self._weights, "inequality", arms, len(self._arms))

    def plan_exploration(self, state: StateView, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return self.rounds ** (self.gamma - 1.0), arms
