"""Two reference learners that ignore uncertainty: uniform play, and random dictatorship on empirical means."""

from __future__ import annotations

import numpy as np

from isegoria.learning.base.learner import Learner
from isegoria.learning.base.state_view import StateView


class UniformLearner(Learner):
    """Learner that plays every available arm with equal probability and learns nothing.

    With all K arms available, each agent's favourites are played in at least 1/K of the rounds on average.

    >>> UniformLearner(3, 4, seed=1).policy.tolist()
    [0.25, 0.25, 0.25, 0.25]
    """

    id = "uniform"
    label = "Uniform"
    summary = "every arm equally often"
    citation = "the yardstick"

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        policy = np.zeros(len(self._arms))
        policy[list(arms)] = 1.0 / len(arms)
        return policy


class RandomDictatorshipLearner(Learner):
    """Learner in which every agent votes for its empirically best arm and the policy is the votes; ties split a vote.

    It is procedurally fair with respect to the estimated means. Nothing is guaranteed: it never explores on purpose, so
    an agent misled by its first rewards may vote for the wrong arm permanently.

    >>> learner = RandomDictatorshipLearner(2, 2, seed=7)
    >>> for rewards in ([0.9, 0.2], [0.1, 0.8]):
    ...     learner.tell(learner.ask(), rewards)
    >>> learner.ask().policy
    (0.5, 0.5)
    """

    id = "random-dictatorship"
    label = "Dictatorship"
    summary = "every agent votes for its empirically best arm"
    citation = "Gibbard (1977), Manipulation of schemes that mix voting with chance"

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        means = self._tally.means[list(arms)][:, self._present]
        best = means == means.max(axis=0)
        sizes = best.sum(axis=0)
        # Integer votes by size of tie, so that rounding does not depend on the order of the agents.
        voices = [(sizes == size) * self._weights for size in range(1, len(arms) + 1)]
        votes = np.stack([(best @ voice) / size for size, voice in enumerate(voices, start=1)])
        policy = np.zeros(len(self._arms))
        policy[list(arms)] = votes.sum(axis=0) / self._weights.sum()
        return policy
