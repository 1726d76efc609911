"""What the agents of a run live through: how often a favourite is played, how long they wait, what voice is lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.instance import Instance
from isegoria.learning.protocol.sealing import packed, unpacked
from isegoria.learning.runs.waits import waits
from isegoria.scores import score


class Heard:
    """Counts the rounds of a run, chunk by chunk, for `agents` agents and `arms` arms.

    - `hits` (N,): rounds that played a true favourite of each agent.
    - `longest` (N,): the most rounds in a row that played none; `waiting` (N,): how many those up to now are.
    - `lost`: voices that the arms as played did not carry, T(1 − their procedural score), where the truth changes
      summed over the times between.

    >>> heard = Heard(2, 2)
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
        """From now on, favourites are those of `truth`; what was lost before stays lost."""
        self._before, self._pulls = self.lost, np.zeros_like(self._pulls)
        self.follow(truth)

    def follow(self, truth: Instance) -> None:
        """Count the favourites of `truth`, with nothing else changed."""
        self._truth = truth
        sets, which = np.unique(truth.favourites, axis=0, return_inverse=True)
        self._sets, self._which = np.ascontiguousarray(sets, dtype=np.uint8), which.ravel()

    def take(self, arms: np.ndarray) -> None:
        """Count the rounds that played these arms, in their order."""
        pulls = np.bincount(arms, minlength=len(self._pulls))
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
        """What was counted so far, as plain data."""
        return [*(packed(counts) for counts in (self.hits, self.longest, self.waiting, self._pulls)), self._before]

    def resume(self, state: list[Any]) -> None:
        """Go on from what `state` said."""
        self.hits, self.longest, self.waiting, self._pulls = map(unpacked, state[:4])
        self._before = float(state[4])
