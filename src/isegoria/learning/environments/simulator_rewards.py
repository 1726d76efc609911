"""An environment around a simulator of the user's own: any object with `step(arm)`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from isegoria.errors import InputError, StateError
from isegoria.learning.environments.environment import Environment, RoundStream, require_rewards
from isegoria.utils.code_digest import digest_code

ESTIMATION_PULLS = 1000
"""Pulls of each arm by which unknown means are estimated."""


class SimulatorRewards(Environment):
    """Environment of a simulator: `step(arm)` returns the reward of every agent, in [0, 1] or NaN for no answer.

    `step` may also return a tuple (observation, rewards, terminated, truncated, information), as in Gymnasium. Every
    run uses its own copy, which is reset with the seed of the run if the simulator has `reset(seed=…)`. It pulls in
    the order of the rounds, so the rewards may depend on anything that happened before.

    Parameters
    ----------
    simulator : object or callable
        An object with `step(arm)`, or a class or function that makes one.
    means : array-like or Instance, optional
        The (N, K) true means, against which learners are measured. By default the simulator's attribute `means`; if
        it has none, they are estimated from 1,000 pulls of each arm, on a copy with seed 0.
    n_arms : int, optional
        The number of arms, if it is not known from `means`, from the simulator's attribute `n_arms`, or from its
        `action_space.n`.

    Raises
    ------
    InputError
        If there is no `step`, or the number of arms is not known.

    Examples
    --------
    >>> class Cafe:
    ...     means = [[0.9, 0.2], [0.1, 0.8]]
    ...     def reset(self, seed): self.rng = np.random.default_rng(seed)
    ...     def step(self, arm): return self.rng.random(2) < np.array(self.means)[:, arm]
    >>> SimulatorRewards(Cafe()).stream(seed=1).pull(0, t=1).tolist()
    [1.0, 0.0]
    """

    id = "simulator"
    summary = "the rewards of a simulator with step(arm)"
    by_round = True

    def __init__(self, simulator: Any, means: Any = None, n_arms: int | None = None):
        self.simulator = simulator
        if means is None:
            means = getattr(simulator, "means", None)
        super().__init__(self._estimate_means(n_arms) if means is None else means)

    def start(self, seed: int) -> Any:
        """Return a fresh copy of the simulator, reset with a seed."""
        if hasattr(self.simulator, "step") and not isinstance(self.simulator, type):
            made = copy.deepcopy(self.simulator)
        else:
            made = _call_with_seed(self.simulator, seed)
        if not callable(getattr(made, "step", None)):
            raise InputError(f"the simulator is a {type(made).__name__} without step(arm); add that method.")
        if callable(getattr(made, "reset", None)):
            _call_with_seed(made.reset, seed)
        return made

    def stream(self, seed: int) -> RoundStream:
        return SimulatorStream(self, seed)

    def fingerprint(self) -> bytes:
        return digest_code(self.simulator).encode()

    def _estimate_means(self, arms: int | None) -> np.ndarray:
        made = self.start(0)
        if arms is None:
            arms = getattr(made, "n_arms", getattr(getattr(made, "action_space", None), "n", None))
        if arms is None:
            raise InputError(
                "the simulator does not say how many arms it has; give the true means (agents, arms), or an attribute "
                "n_arms."
            )
        pulls = [[_read_rewards(made, arm, 0) for _ in range(ESTIMATION_PULLS)] for arm in range(int(arms))]
        return cast(np.ndarray, np.nanmean(np.array(pulls), axis=1).T)


class SimulatorStream(RoundStream):
    """The rewards of one run of a simulator, in the order of its rounds."""

    def __init__(self, environment: SimulatorRewards, seed: int):
        super().__init__(environment, seed)
        self._simulator = environment.start(seed)

    def pull(self, arm: int, t: int) -> np.ndarray:
        return _read_rewards(self._simulator, arm, self.environment.n_agents)

    def state(self) -> list[dict[str, Any]]:
        raise StateError("a run in a simulator cannot be saved midway; play it to the end.")


def _read_rewards(simulator: Any, arm: int, agents: int) -> np.ndarray:
    answer = simulator.step(arm)
    if isinstance(answer, tuple) and len(answer) in (4, 5):
        if any(answer[2:-1]) and callable(getattr(simulator, "reset", None)):
            simulator.reset()
        answer = answer[1]
    rewards = np.ascontiguousarray(answer, dtype=float)
    if rewards.ndim != 1 or (agents and len(rewards) != agents):
        raise InputError(
            f"step({arm}) returned rewards of shape {rewards.shape}; expected one for each agent"
            f"{f', ({agents},)' if agents else ''}."
        )
    return require_rewards(rewards, f"step({arm}): rewards")


def _call_with_seed(function: Callable[..., Any], seed: int) -> Any:
    """Call a function with `seed`, if it has that parameter."""
    try:
        named = inspect.signature(function).parameters
    except (TypeError, ValueError):
        named = {}  # type: ignore[assignment]
    takes = "seed" in named or any(each.kind is each.VAR_KEYWORD for each in named.values())
    return function(seed=seed) if takes else function()
