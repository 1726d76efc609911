"""Voice metrics of a run: how often a favourite is played, how long agents wait, and how much voice is lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.learning.base.state_format import decode_array, encode_array
from isegoria.learning.simulation.metrics.waiting_times import waits
from isegoria.profiles import Instance
from isegoria.utils.arrays import count_labels


class VoiceMetrics:
    """Counts the rounds of a run, chunk by chunk, for `agents` agents and `arms` arms.

    - `hits` (N,): rounds that played a true favourite of each agent.
    - `longest` (N,): the maximum number of consecutive rounds that played none.
    - `waiting` (N,): the number of such rounds up to now.
    - `lost`: voices that the arms as played did not carry, T(1 − their procedural score); if the true means change, it
      is summed over the phases.

    >>> heard = VoiceMetrics(2, 2)
    >>> heard.meet(Instance([[1.0, 0.0], [0.0, 1.0]]))
    >>> heard.take(np.array([0, 0, 0, 1]))
    >>> heard.hits.tolist(), heard.longest.tolist(), heard.lost
    ([3, 1], [1, 3], 1.0)
    """

    def __init__(self, agents: int, arms: int):
        self.hits, self.longest, self.waiting = (np.zeros(agents, dtype=np.int64) for _ in range(3))
        self._pulls, self._before = np.zeros(arms, dtype=np.int64), 0.0
        self._truth: Instance | None = None

    def meet(self, truth: Instance) -> None:
        """Use the favourites of `truth` from the next round on; voice lost so far is kept."""
        self._before, self._pulls = self.lost, np.zeros_like(self._pulls)
        self.follow(truth)

    def follow(self, truth: Instance) -> None:
        """Count the favourites of `truth` without changing anything else."""
        self._truth = truth
        sets, which = np.unique(truth.favourites, axis=0, return_inverse=True)
        self._sets, self._which = np.ascontiguousarray(sets, dtype=np.uint8), which.ravel()

    def take(self, arms: np.ndarray) -> None:
        """Count the rounds that played these arms, in their order."""
        pulls = count_labels(arms, minlength=len(self._pulls))
        self._pulls = self._pulls + pulls
        hits, first, last, between = waits(arms, self._sets)[:, self._which]
        never = hits == 0
        self.hits += hits
        self.longest = np.maximum(self.longest, np.maximum(self.waiting + first, between))
        self.waiting = np.where(never, self.waiting, 0) + (len(arms) - 1 - last)
        self.longest = np.maximum(self.longest, self.waiting)

    @property
    def lost(self) -> float:
        rounds = int(self._pulls.sum())
        if self._truth is None or not rounds:
            return self._before
        return self._before + rounds * max(0.0, 1.0 - score(self._truth, self._pulls / rounds).procedural)

    def state(self) -> list[Any]:
        """Return the counts so far as plain data."""
        return [
            *(encode_array(counts) for counts in (self.hits, self.longest, self.waiting, self._pulls)),
            self._before,
        ]

    def resume(self, state: list[Any]) -> None:
        """Restore the counts that `state` returned."""
        self.hits, self.longest, self.waiting, self._pulls = map(decode_array, state[:4])
        self._before = float(state[4])
