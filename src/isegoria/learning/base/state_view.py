"""What the hooks of a learner read: the rewards and counts so far, as (n, K) arrays over the agents present."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isegoria.utils.arrays import read_only_view

if TYPE_CHECKING:
    from isegoria.learning.base.learner_state import LearnerState


class StateView:
    """Read-only view of a learner, always up to date; its rows are the agents present, in the order of `agents`.

    >>> from isegoria import UniformLearner
    >>> learner = UniformLearner(2, 2, seed=1)
    >>> learner.tell(learner.ask(), [0.5, 1.0])
    >>> StateView(learner).means.tolist()
    [[0.5, -1.0], [1.0, -1.0]]
    """

    __slots__ = ("_learner",)

    def __init__(self, learner: LearnerState):
        self._learner = learner

    @property
    def means(self) -> np.ndarray:
        """(n, K) The mean rewards so far; -1, below every reward, for a pair without any."""
        return self._present_rows(self._learner._tally.means)

    @property
    def sums(self) -> np.ndarray:
        """(n, K) The sums of the rewards so far."""
        return self._present_rows(self._learner._tally.sums)

    @property
    def counts(self) -> np.ndarray:
        """(n, K) Integers: how many rewards each agent reported for each arm."""
        return self._present_rows(self._learner._tally.counts)

    @property
    def weights(self) -> np.ndarray:
        """(n,) Integers: the weights of the agents."""
        return self._learner.weights

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents present."""
        return self._learner.agents

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of all arms."""
        return self._learner.arms

    @property
    def pulls(self) -> np.ndarray:
        """(K,) How often each arm was asked for."""
        return self._learner.pulls

    @property
    def round(self) -> int:
        """The round that is being decided."""
        return self._learner.rounds

    @property
    def explored(self) -> int:
        """How many rounds explored so far."""
        return self._learner._explored

    def _present_rows(self, table: np.ndarray) -> np.ndarray:
        present = self._learner._present
        return read_only_view(table.T if len(present) == table.shape[1] else table.T[present])
