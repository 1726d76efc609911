"""The inequality-minimising policy of the means as they are known, with exploration that fades."""

from __future__ import annotations

import numpy as np

from isegoria.instance.names import GivenNames
from isegoria.learning.learners.optimistic import optimal_policy
from isegoria.learning.learners.procedural import checked_gamma
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.seeds import Seed


class InequalityLearner(Learner):
    """Plays the least unequal policy for the empirical means, and explores all arms with probability t^-(1-gamma).

    Optimism has no place here: raising a mean may raise or lower inequality. Exploration as in Algorithm 1 makes the
    means, and with them the policy, right in the end. Nothing is guaranteed about its pace, nor about voice: with many
    arms the least unequal policy often gives everyone equally little. A pair without a reward counts as 1/2.

    >>> learner = InequalityLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(300):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.policy.round(3).tolist()
    [0.429, 0.571]
    """

    # like every learner it begins with its row of the table, and names all its parameters for editors
    id = "inequality"
    label = "IM-greedy"
    summary = "the least inequality of the means, exploring all arms at a falling rate"
    citation = "the paper's inequality-minimising objective with the exploration of Algorithm 1"
    settings = ("gamma",)

    def __init__(self, n_agents: int, n_arms: int, gamma: float = 0.7, seed: Seed = None,
                 agents: GivenNames = None, arms: GivenNames = None, weights: GivenWeights = None):  # fmt: skip
        self.gamma = checked_gamma(gamma)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        means = self._tally.means[list(arms)][:, self._present].T
        means = np.where(means < 0.0, 0.5, means)
        return optimal_policy(means, self._weights, "inequality", arms, len(self._arms))

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return self.rounds ** (self.gamma - 1.0), arms
