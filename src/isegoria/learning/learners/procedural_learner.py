"""The paper's Algorithm 1: candidate sets by confidence bounds, and the decision-share Nash policy over them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.errors import InputError, StateError, TheoremWarning, unknown_name_error
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.set_learner import SetLearner
from isegoria.learning.base.state_view import StateView
from isegoria.learning.confidence_sets.candidate_sets import CandidateSets
from isegoria.learning.learners.procedural_step import ProceduralStep
from isegoria.profiles.names import NamesLike
from isegoria.rules.rule import TIE_BREAKS
from isegoria.utils.seeds import Seed


class ProceduralLearner(SetLearner):
    """Learner of the procedurally fair policy with sublinear regret (Algorithm 1, Theorem 2).

    Neither the policy nor the trajectory depends on the order of the agents. Theorem 2 does not cover an `alpha` below
    1, a custom `radius` or a custom `schedule`; a `TheoremWarning` says so.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    gamma : float
        Sets the exploration rate `t^-(1-gamma)`; strictly between 0 and 1.
    alpha : float
        A factor of the confidence radius `sqrt(2 ln(NKt) / n_ik)`.
    seed : optional
        The seed of the learner's own draws.
    agents, arms : sequence of str, optional
        Names; numbered by default.
    tie_break : str
        Which of several optimal policies is played, as in `solve`; "utilitarian" uses the empirical means.
    radius : callable, optional
        A custom radius `radius(N, K, t, counts)`; `counts` is an array, and so is the result.
    schedule : callable, optional
        A custom exploration rate `schedule(t)`.
    catch_up, floor
        Whether the arms played make up for exploration, and how; see `SetLearner`.
    weights : sequence of int, optional
        The agents' weights; all 1 by default.

    Examples
    --------
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

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        gamma: float = 0.7,
        alpha: float = 1.0,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        *,
        tie_break: str = "centre",
        radius: Callable[..., Any] | None = None,
        schedule: Callable[..., Any] | None = None,
        catch_up: bool = False,
        floor: float = 0.0,
        weights: WeightsLike = None,
    ):
        self.gamma = require_gamma(gamma)
        self.alpha = require_alpha(alpha)
        if tie_break not in TIE_BREAKS:
            raise unknown_name_error("tie-break", tie_break, TIE_BREAKS)
        self.tie_break = tie_break
        self.radius, self.schedule = _require_callable("radius", radius), _require_callable("schedule", schedule)
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

    def plan_exploration(self, state: StateView, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
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
        """Return the state as plain data, except for custom functions, which a copy keeps."""
        state = super()._state()
        own = {"radius": self.radius, "schedule": self.schedule}
        state["settings"] |= {name: function for name, function in own.items() if function is not None}
        return state


def require_gamma(gamma: float) -> float:
    """Return `gamma` as a float strictly between 0 and 1; raise `InputError` otherwise."""
    if not isinstance(gamma, int | float | np.number) or not 0 < gamma < 1:
        raise InputError(f"gamma is {gamma!r}; expected a number strictly between 0 and 1, such as 0.7.")
    return float(gamma)


def require_alpha(alpha: float) -> float:
    """Return `alpha` as a positive finite float; raise `InputError` otherwise. Theorem 2 needs at least 1."""
    if not isinstance(alpha, int | float | np.number) or isinstance(alpha, bool) or not 0 < alpha < float("inf"):
        raise InputError(f"alpha is {alpha!r}; expected a positive finite number, from 1 up for Theorem 2 to hold.")
    return float(alpha)


def _require_callable(name: str, given: Callable[..., Any] | None) -> Callable[..., Any] | None:
    if given is not None and not callable(given):
        raise InputError(f"{name} is {given!r}; expected a function, or None for that of Algorithm 1.")
    return given
