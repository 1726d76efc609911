"""A noise: half of the rewards are the mean, the others 0 or 1."""

import numpy as np

from isegoria.learning.environments.environment import Environment


class CoinRewards(Environment):
    """The mean itself, or with chance 1/2 a coin of that mean."""

    id, summary = "coins", "the mean, or a coin of that mean"

    def draw(self, rng, arm, first, pulls):
        tossed = rng.random((pulls, self.n_agents, 2))
        coins = tossed[:, :, 0] < self.means[:, arm]
        return np.where(tossed[:, :, 1] < 0.5, self.means[:, arm], coins)
