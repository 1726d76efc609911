"""A learner: every agent has an equal turn, and spends it on its empirically best arms."""

import numpy as np

from isegoria.learning.base.learner import Learner


class TurnTakingLearner(Learner):
    """Equal turns for all: the policy is the mean over agents of their empirically best available arms."""

    id, label, summary, citation = "turns", "Turns", "every agent has an equal turn", "folklore"

    def compute_policy(self, state, arms):
        means = state.means[:, list(arms)]
        best = means == means.max(axis=1, keepdims=True)
        policy = np.zeros(len(state.arms))
        policy[list(arms)] = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
        return policy
