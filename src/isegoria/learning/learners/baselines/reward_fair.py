"""RewardFairUCB (Manupriya and others, 2025): maximise total reward subject to a minimum reward for everyone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.state_view import StateView
from isegoria.learning.base.validation import require_integer
from isegoria.learning.learners.row_hashes import row_hashes
from isegoria.profiles.names import NamesLike
from isegoria.utils.seeds import Seed


class RewardFairLearner(Learner):
    """Baseline learner that maximises total upper bounds while everyone gets a share `C_i` of its best lower bound.

    For a `horizon` of T rounds every arm is pulled `⌈√T⌉` times in turn. Then each round solves the linear program
    `max Σ_i w_i U_i·p` subject to `U_i·p ≥ C_i max_k L_ik`, where U and L are `μ̂ ± √(ln(2NKT) / n_k)`, clipped to [0,
    1]. If no policy satisfies all constraints, the one with the minimum total shortfall is played. A pair without a
    reward has the bounds 0 and 1.

    For shares that sum to at most 1, the guarantees are regrets of `Õ(√T)` in total reward and `Õ(T^{3/4})` in the
    constraints; nothing is guaranteed with `dual`. Equal voice is not guaranteed.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    guarantees : float or sequence of float, optional
        C: a number in [0, 1] for each agent, or one for all. The default is `w_i/W`, the largest shares that can be
        kept whatever the means are. With a list, an agent that joins later has a share of 0.
    horizon : int
        The number of rounds T to plan for.
    dual : bool
        Whether to use the paper's heuristic. It keeps the multipliers λ of the program with the means of the first
        rounds and pulls the arm with the largest `Σ_i (w_i + λ_i) μ̂_ik + √(ln(2NKT) / n_k)`. The learned policy is
        then the solution of the program for the means.
    seed : optional
        The seed of the learner's own draws.
    agents, arms : sequence of str, optional
        Names; numbered by default.
    weights : sequence of int, optional
        The agents' weights; all 1 by default.

    Examples
    --------
    >>> RewardFairLearner(3, 2, horizon=1000, guarantees=0.3, seed=1).ask().arm
    0
    """

    id = "reward-fair"
    label = "RewardFairUCB"
    summary = "a baseline: the largest total reward under a least share of its best for everyone"
    citation = (
        "Manupriya, Himanshu, Jagarlapudi and Ghalme (2025), Multi-agent multi-armed bandits with minimum reward "
        "guarantee fairness"
    )
    settings = ("guarantees", "horizon", "dual")

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        guarantees: float | Sequence[float] | np.ndarray | None = None,
        horizon: int = 100_000,
        dual: bool = False,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        self.horizon, self.dual = require_integer(horizon, "horizon"), bool(dual)
        self.guarantees = _require_guarantees(guarantees, require_integer(n_agents, "the number of agents"))
        self._multipliers: np.ndarray | None = None
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    @property
    def length(self) -> int:
        """⌈√T⌉, the number of pulls of every arm before the program is used."""
        return math.ceil(math.sqrt(self.horizon))

    def plan_exploration(self, state: StateView, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        least = min(arms, key=self._asked.__getitem__)
        if self._asked[least] < self.length:
            return 1.0, (least,)
        if not self.dual:
            return 0.0, arms
        means = self._means(arms)
        if self._multipliers is None or len(self._multipliers) != means.shape[1]:
            self._multipliers = self._programme(means, means)[1]
        index = means @ (self._weights + self._multipliers) + self._radius(arms)
        return 1.0, (arms[int(index.argmax())],)

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        means = self._means(arms)
        if self.dual:
            upper = lower = means
        else:
            seen = self._tally.counts[list(arms)][:, self._present] > 0
            radius = self._radius(arms)[:, None]
            upper = np.where(seen, np.minimum(1.0, means + radius), 1.0)
            lower = np.where(seen, np.maximum(0.0, means - radius), 0.0)
        policy = np.zeros(len(self._arms))
        policy[list(arms)] = self._programme(upper, lower)[0]
        return policy

    def _means(self, arms: tuple[int, ...]) -> np.ndarray:
        means = self._tally.means[list(arms)][:, self._present]
        return np.where(means < 0.0, 0.5, means)

    def _radius(self, arms: tuple[int, ...]) -> np.ndarray:
        log_term = math.log(2 * len(self._agents) * len(self._arms) * self.horizon)
        return np.sqrt(log_term / np.array(self._asked, dtype=float)[list(arms)])

    def _programme(self, upper: np.ndarray, lower: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (policy, multipliers of the agents present) for bounds (|arms|, n)."""
        table = np.ascontiguousarray(np.concatenate([upper, [self._shares() * lower.max(axis=0)]]))
        places = np.arange(len(table)), np.arange(table.shape[1])
        order = np.argsort(row_hashes(table, *places, self._weights), kind="stable")
        policy, found = solve_minimum_rewards(table[:-1, order].T, table[-1, order], self._weights[order].astype(float))
        multipliers = np.empty(len(found))
        multipliers[order] = found
        return policy, multipliers

    def _shares(self) -> np.ndarray:
        """Return the shares C (n,) of the agents present."""
        if self.guarantees is None:
            return self._weights / self._weights.sum()
        if isinstance(self.guarantees, float):
            return np.full(len(self._present), self.guarantees)
        return np.append(self.guarantees, np.zeros(len(self._agents) - len(self.guarantees)))[self._present]

    def on_roster_change(self) -> None:
        self._multipliers = None

    def extra_state(self) -> dict[str, Any]:
        return {"multipliers": None if self._multipliers is None else self._multipliers.tolist()}

    def restore_extra(self, state: dict[str, Any]) -> None:
        self._multipliers = None if state["multipliers"] is None else np.array(state["multipliers"], dtype=float)


def solve_minimum_rewards(rewards: np.ndarray, least: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve max Σ w_i r_i·p subject to r_i·p ≥ least_i; return (policy (K,), multipliers (n,)).

    If no policy satisfies the constraints, minimise the total shortfall instead. If the arm of the largest total does,
    it is the solution, and no program is needed.

    >>> rewards = np.array([[0.7, 0.3], [0.1, 0.5], [1.0, 0.6]])
    >>> solve_minimum_rewards(rewards, rewards.max(axis=1) / 2, np.ones(3))[0].round(6).tolist()
    [0.625, 0.375]
    """
    n, k = rewards.shape
    totals = weights @ rewards
    best = int(totals.argmax())
    if (rewards[:, best] >= least).all():
        return np.eye(1, k, best)[0], np.zeros(n)
    from scipy.optimize import linprog

    found = linprog(-totals, A_ub=-rewards, b_ub=-least, A_eq=np.ones((1, k)), b_eq=[1.0], method="highs")
    if found.status != 0:
        short = np.concatenate([np.zeros(k), np.ones(n)])
        found = linprog(
            short,
            A_ub=np.hstack([-rewards, -np.eye(n)]),
            b_ub=-least,
            A_eq=np.append(np.ones(k), np.zeros(n))[None],
            b_eq=[1.0],
            method="highs",
        )
    policy = np.maximum(found.x[:k], 0.0)
    return policy / policy.sum(), np.maximum(-found.ineqlin.marginals, 0.0)


def _require_guarantees(
    guarantees: float | Sequence[float] | np.ndarray | None, agents: int
) -> float | list[float] | None:
    if guarantees is None:
        return None
    given = np.asarray(guarantees, dtype=float)
    if given.shape not in ((), (agents,)) or not ((given >= 0) & (given <= 1)).all():
        raise InputError(
            f"guarantees are {guarantees!r}; expected a share of the best reward, from 0 to 1: one for all agents, or "
            f"a list of {agents}."
        )
    return float(given) if given.ndim == 0 else given.tolist()
