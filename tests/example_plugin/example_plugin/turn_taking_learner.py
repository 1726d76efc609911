"""A learner: every agent has an equal turn, and spends it on its empirically best arms."""

import numpy as np

from isegoria.learning.base.learner import Learner


class TurnTakingLearner(Learner):
    """Equal turns for all: the policy is the mean over agents of their empirically best available arms."""

    id, label, summary, citation = "turns", "Turns", "every agent has an equal turn", "folklore"

    def _policy(self, arms):
        means = self._tally.means[list(arms)][:, self._present]
        best = means == means.max(axis=0)
        policy = np.zeros(len(self._arms))
        policy[list(arms)] = (best / best.sum(axis=0)).mean(axis=1)
        return policy
