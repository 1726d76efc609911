"""The paper's Algorithm 1: candidate sets by confidence bounds, and the decision-share Nash policy over them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.errors import InputError, StateError, TheoremWarning, unknown
from isegoria.instance.names import GivenNames
from isegoria.learning.learners.procedural_step import ProceduralStep
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.learning.sets.candidate_sets import CandidateSets
from isegoria.learning.sets.set_learner import SetLearner
from isegoria.rules.registry import TIE_BREAKS
from isegoria.seeds import Seed


class ProceduralLearner(SetLearner):
    """Learns the procedurally fair policy with sublinear regret (Algorithm 1, Theorem 2).

    `gamma` in (0, 1) sets the exploration rate t^-(1-gamma); `alpha` multiplies the confidence radius
    sqrt(2 ln(NKt) / n_ik). Both the policy and the trajectory do not depend on the order of the agents.

    - `tie_break`: which of several optimal policies is played, as in `solve`; "utilitarian" goes by empirical means.
    - `radius(N, K, t, counts)` and `schedule(t)`: a radius and an exploration rate of one's own; `counts` is an array,
      and so is the radius. Theorem 2 covers neither, nor `alpha` below 1: one warning says so.
    - `catch_up`, `floor`: the arms played make up for exploration, see `SetLearner`.

    >>> learner = ProceduralLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(2000):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.sets.tolist(), learner.policy.tolist()
    ([[True, False], [False, True]], [0.5, 0.5])
    """

    id = "procedural"
    label = "Algorithm 1"
    summary = "candidate sets by confidence bounds, exploring all arms at a falling rate"
    citation = "Algorithm 1 of the paper"
    settings = ("gamma", "alpha", "tie_break", "catch_up", "floor")

    def __init__(self, n_agents: int, n_arms: int, gamma: float = 0.7, alpha: float = 1.0, seed: Seed = None,
                 agents: GivenNames = None, arms: GivenNames = None, *, tie_break: str = "centre", radius: Callable[...,
                 Any] | None = None, schedule: Callable[..., Any] | None = None, catch_up: bool = False,
                 floor: float = 0.0, weights: GivenWeights = None):  # fmt: skip
        self.gamma = checked_gamma(gamma)
        self.alpha = checked_alpha(alpha)
        if tie_break not in TIE_BREAKS:
            raise unknown("tie-break", tie_break, TIE_BREAKS)
        self.tie_break = tie_break
        self.radius, self.schedule = _function("radius", radius), _function("schedule", schedule)
        super().__init__(
            n_agents, n_arms, catch_up=catch_up, floor=floor, seed=seed, agents=agents, arms=arms, weights=weights
        )

    def _announce(self) -> None:
        own = [f"a {name} of one's own" for name in ("radius", "schedule") if getattr(self, name) is not None]
        beyond = [f"alpha {self.alpha:g}, which is below 1"] * (self.alpha < 1) + own
        if beyond:
            warnings.warn(
                f"Theorem 2 does not cover {' or '.join(beyond)}: nothing is promised about this learner's regret.",
                TheoremWarning,
                stacklevel=3,
            )

    def _new_sets(self) -> CandidateSets:
        return CandidateSets(len(self._present), len(self._arms))

    def _update(self, arms: np.ndarray) -> bool:
        if self.radius is None:
            return self._candidates.update(self._tally, self._present, arms, self.rounds, self.alpha)
        counts = self._tally.counts[np.ix_(arms, self._present)]
        own = self.radius(len(self._agents), len(self._arms), self.rounds, np.maximum(counts, 1))
        radii = np.where(counts > 0, self.alpha * np.broadcast_to(own, counts.shape), np.inf)
        return self._candidates.update_by(self._tally, self._present, arms, radii)

    def solve(self) -> np.ndarray:
        if self.tie_break == "centre":
            return super().solve()
        totals = np.where(self._tally.means < 0, 0.0, self._tally.means)[:, self._present]
        totals = (totals * self._weights).sum(axis=1)
        direction = totals if self.tie_break == "utilitarian" else None
        self._learned = self._candidates.policy_by(self.tie_break, direction)
        return self._learned

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        if self.schedule is None:
            return self.rounds ** (self.gamma - 1.0), arms
        rate = float(self.schedule(self.rounds))
        if not 0 <= rate <= 1:
            raise InputError(f"schedule({self.rounds}) is {rate!r}; expected a probability, from 0 to 1.")
        return rate, arms

    def step(self, truth: np.ndarray) -> ProceduralStep | None:
        if self.radius is not None or self.schedule is not None:
            return None
        columns = np.arange(len(self._arms))
        return ProceduralStep(self._candidates, truth, self._tally, self._present, columns, self.gamma, self.alpha)

    def to_json(self) -> str:
        if self.radius is not None or self.schedule is not None:
            raise StateError("a radius or schedule of one's own is a function, and cannot be saved; keep it in code.")
        return super().to_json()

    def _state(self) -> dict[str, Any]:
        """As plain data but for functions of one's own, which a copy takes along."""
        state = super()._state()
        own = {"radius": self.radius, "schedule": self.schedule}
        state["settings"] |= {name: function for name, function in own.items() if function is not None}
        return state


def checked_gamma(gamma: float) -> float:
    """`gamma` as a float strictly between 0 and 1."""
    if not isinstance(gamma, int | float | np.number) or not 0 < gamma < 1:
        raise InputError(f"gamma is {gamma!r}; expected a number strictly between 0 and 1, such as 0.7.")
    return float(gamma)


def checked_alpha(alpha: float) -> float:
    """`alpha` as a positive finite float; Theorem 2 needs one from 1 up."""
    if not isinstance(alpha, int | float | np.number) or isinstance(alpha, bool) or not 0 < alpha < float("inf"):
        raise InputError(f"alpha is {alpha!r}; expected a positive finite number, from 1 up for Theorem 2 to hold.")
    return float(alpha)


def _function(name: str, given: Callable[..., Any] | None) -> Callable[..., Any] | None:
    if given is not None and not callable(given):
        raise InputError(f"{name} is {given!r}; expected a function, or None for that of Algorithm 1.")
    return given
