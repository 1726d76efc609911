"""Learners that believe in favourite sets and play the policy that gives each of them an equal voice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.instance.names import GivenNames
from isegoria.learning.protocol.checks import checked_flag, checked_share
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.learning.protocol.sealing import unpacked
from isegoria.learning.sets.catching_up import chances, played
from isegoria.learning.sets.favourite_sets import FavouriteSets
from isegoria.seeds import Seed

if TYPE_CHECKING:
    from isegoria.learning.runs.loop import Step


class SetLearner(Learner):
    """The base of learners by sets: it solves for the policy when a set has changed, and can catch up.

    A subclass writes `_new_sets()`, the `FavouriteSets` of those who take part, and `_update(arms)`, which brings them
    to round `self.rounds` over the available arms (indices) and says whether any changed; `step(truth)` if the
    compiled loop can play it. A class that changes methods of another and inherits its `step` is asked and told.

    With `catch_up` the learner's own coin plays what was promised: an arm that exploration played more often than the
    policies of all rounds gave it is played less, until both agree (see `catching_up`). Of that coin the share `floor`
    is the policy itself. A coin from outside is told the policy: `propose` does not catch up.
    """

    def __init__(self, n_agents: int, n_arms: int, *, catch_up: bool = False, floor: float = 0.0,
                 seed: Seed = None, agents: GivenNames = None, arms: GivenNames = None,
                 weights: GivenWeights = None):  # fmt: skip
        self.catch_up = checked_flag("catch_up", catch_up)
        self.floor = checked_share("floor", floor, "the share of the policy in the coin", zero=True, one=True)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)
        self._deficit = np.zeros(n_arms)

    # -- what a subclass writes ----------------------------------------------------------------------------------------

    def _new_sets(self) -> FavouriteSets:
        raise NotImplementedError

    def _update(self, arms: np.ndarray) -> bool:
        raise NotImplementedError

    def step(self, truth: np.ndarray) -> Step | None:
        """The learner as a step of the compiled loop, for true sets (n, K); None where it must be asked and told."""
        return None

    # -- the policy of the sets ----------------------------------------------------------------------------------------

    def _resized(self) -> None:
        self._candidates = self._new_sets()
        self._candidates.weigh(self._weights)
        self._learned = self._last
        self._columns = np.arange(len(self._arms), dtype=np.intp)
        self._over = self._every_arm
        self._deficit = np.append(self._deficit, np.zeros(len(self._arms) - len(self._deficit)))

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        """P^t_PF (line 13 of Algorithm 1), solved again only when some set has changed."""
        if arms is not self._over:
            self._over, self._columns = arms, np.array(arms, dtype=np.intp)
        if self._update(self._columns):
            self.solve()
        return self._learned

    def solve(self) -> np.ndarray:
        """(K,) the policy of the sets as they are now."""
        self._learned = self._candidates.policy(self._learned)
        return self._learned

    def _sets(self) -> np.ndarray:
        return self._candidates.matrix()

    # -- catching up ---------------------------------------------------------------------------------------------------

    @property
    def deficit(self) -> np.ndarray:
        """(K,) what each arm was promised so far less what it was played; counted with `catch_up` only."""
        return self._deficit.copy()

    def _coin(self, policy: np.ndarray) -> tuple[tuple[Any, ...], list[Any], int]:
        if not self.catch_up:
            return self._prepared(policy)
        owed, cumulative = chances(self._deficit, policy, self._columns, self.floor)
        return owed, cumulative, cumulative.index(cumulative[-1])

    def _settled(self, arms: tuple[int, ...], arm: int, exploring: bool) -> None:
        if self.catch_up:
            played(self._deficit, self._last, arm)

    # -- for the compiled loop -----------------------------------------------------------------------------------------

    @property
    def learned(self) -> np.ndarray:
        """(K,) the policy of the sets, as it was last solved for."""
        return self._learned

    def own_coin(self) -> tuple[np.random.Generator, np.ndarray | None, float]:
        """(generator, deficit or None without catching up, floor): what the learner tosses."""
        return self._stream("play"), self._deficit if self.catch_up else None, self.floor

    @property
    def ready(self) -> bool:
        """Whether every arm was asked for, so that none is forced any more."""
        return 0 not in self._asked

    def after(self, rounds: int, arms: np.ndarray, pulls: np.ndarray, explored: int) -> None:
        """Go on from round `rounds`, after the `arms` that were played, as many more `pulls` (K,), and exploring
        rounds; the policy is the sets'."""
        self.rounds = rounds
        self._asked = (np.asarray(self._asked) + pulls).tolist()
        self._explored += explored
        self._last = self._learned

    # -- state ---------------------------------------------------------------------------------------------------------

    def _mark(self) -> tuple[Any, ...]:
        return super()._mark(), self._candidates.mark()

    def _return(self, before: tuple[Any, ...]) -> None:
        super()._return(before[0])
        self._candidates.adopt(before[1])

    def _extra_state(self) -> dict[str, Any]:
        codes = self._candidates.codes if self._candidates.known else None
        more = {"deficit": self._deficit.tolist()} if self.catch_up else {}
        return {"codes": codes, "learned": self._learned.tolist(), **more}

    def _restore_extra(self, state: dict[str, Any]) -> None:
        self._learned = np.array(state["learned"], dtype=float)
        codes = state["codes"]
        self._candidates.adopt(codes if codes is None or isinstance(codes, list) else unpacked(codes))
        if self.catch_up:
            self._deficit = np.array(state.get("deficit", np.zeros(len(self._arms))), dtype=float)
