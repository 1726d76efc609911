"""Learners that estimate favourite sets and play the policy that gives each of them an equal voice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.learning.base.deficit_sampling import chances, record_play
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.state_format import decode_array
from isegoria.learning.base.state_view import StateView
from isegoria.learning.base.validation import require_bool, require_fraction
from isegoria.learning.confidence_sets.favourite_sets import FavouriteSets
from isegoria.profiles.names import NamesLike
from isegoria.utils.arrays import read_only_view
from isegoria.utils.seeds import Seed

if TYPE_CHECKING:
    from isegoria.learning.simulation.compiled_loop import Step


class SetLearner(Learner):
    """Base class of set learners: it recomputes the policy when a set has changed, and can catch up.

    A subclass implements `_new_sets()`, which returns the `FavouriteSets` of the current group. It implements
    `_update(arms)`, which brings them to round `self.rounds` over the available arms (indices) and returns whether any
    changed. It implements `step(truth)` if the compiled loop can play it. A class that overrides methods of another and
    inherits its `step` is played by ask and tell.

    With `catch_up`, the learner's own draw plays what was promised (deficit sampling, see `catching_up`). An arm that
    exploration played more often than the policies of all rounds gave it is played less, until both agree. The share
    `floor` of that draw is the policy itself. `propose` returns the policy and does not catch up, because its arm is
    drawn outside the learner.
    """

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        *,
        catch_up: bool = False,
        floor: float = 0.0,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        self.catch_up = require_bool("catch_up", catch_up)
        self.floor = require_fraction("floor", floor, "the share of the policy in the coin", zero=True, one=True)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)
        self._deficit = np.zeros(n_arms)

    # -- what a subclass writes ----------------------------------------------------------------------------------------

    def _new_sets(self) -> FavouriteSets:
        raise NotImplementedError

    def _update(self, arms: np.ndarray) -> bool:
        raise NotImplementedError

    def step(self, truth: np.ndarray) -> Step | None:
        """Return the learner as a step of the compiled loop, for true sets (n, K); None if it cannot be compiled."""
        return None

    # -- the policy of the sets ----------------------------------------------------------------------------------------

    def on_roster_change(self) -> None:
        self._candidates = self._new_sets()
        self._candidates.weigh(self._weights)
        self._learned = self._last
        self._columns = np.arange(len(self._arms), dtype=np.intp)
        self._over = self._every_arm
        self._deficit = np.append(self._deficit, np.zeros(len(self._arms) - len(self._deficit)))

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        """Return P^t_PF (line 13 of Algorithm 1), recomputed only when some set has changed."""
        if arms is not self._over:
            self._over, self._columns = arms, np.array(arms, dtype=np.intp)
        if self._update(self._columns):
            self.solve()
        return self._learned

    def solve(self) -> np.ndarray:
        """Compute the policy (K,) of the current sets."""
        self._learned = self._candidates.policy(self._learned)
        return self._learned

    def compute_sets(self, state: StateView) -> np.ndarray:
        return self._candidates.matrix()

    @property
    def candidates(self) -> np.ndarray:
        """(n, K) Booleans: the arms that may still be favourites of each agent present, offered in the round or not.

        `sets` are those of the last round, among the arms that were available in it.
        """
        before = self._mark()
        try:
            self._update(np.arange(len(self._arms), dtype=np.intp))
            return read_only_view(self._candidates.matrix().copy())
        finally:
            self._return(before)

    # -- catching up ---------------------------------------------------------------------------------------------------

    @property
    def deficit(self) -> np.ndarray:
        """(K,) What each arm was promised so far minus how often it was played; counted only with `catch_up`."""
        return self._deficit.copy()

    def _coin(self, policy: np.ndarray) -> tuple[tuple[Any, ...], list[Any], int]:
        if not self.catch_up:
            return self._prepare_policy(policy)
        owed, cumulative = chances(self._deficit, policy, self._columns, self.floor)
        return owed, cumulative, cumulative.index(cumulative[-1])

    def on_decision(self, arms: tuple[int, ...], arm: int, exploring: bool) -> None:
        if self.catch_up:
            record_play(self._deficit, self._last, arm)

    # -- for the compiled loop -----------------------------------------------------------------------------------------

    @property
    def learned(self) -> np.ndarray:
        """(K,) The policy of the sets, as last computed."""
        return self._learned

    def own_coin(self) -> tuple[np.random.Generator, np.ndarray | None, float]:
        """Return what the learner draws with: (generator, deficit or None without `catch_up`, floor)."""
        return self.random_stream("play"), self._deficit if self.catch_up else None, self.floor

    @property
    def ready(self) -> bool:
        """Whether every arm was asked for, so that none is forced any more."""
        return 0 not in self._asked

    def after(self, rounds: int, arms: np.ndarray, pulls: np.ndarray, explored: int) -> None:
        """Continue from round `rounds`, after the compiled loop played `arms`, with `pulls` (K,) more pulls.

        `explored` is the number of exploring rounds among them. The policy of the last round becomes that of the sets.
        """
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

    def extra_state(self) -> dict[str, Any]:
        codes = self._candidates.codes if self._candidates.known else None
        more = {"deficit": self._deficit.tolist()} if self.catch_up else {}
        return {"codes": codes, "learned": self._learned.tolist(), **more}

    def restore_extra(self, state: dict[str, Any]) -> None:
        self._learned = np.array(state["learned"], dtype=float)
        codes = state["codes"]
        self._candidates.adopt(codes if codes is None or isinstance(codes, list) else decode_array(codes))
        if self.catch_up:
            self._deficit = np.array(state.get("deficit", np.zeros(len(self._arms))), dtype=float)
