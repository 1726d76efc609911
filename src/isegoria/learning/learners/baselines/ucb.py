"""Optimism in the face of uncertainty: upper confidence bounds of the means are used as if they were the means."""

from __future__ import annotations

import math
from contextlib import suppress
from hashlib import blake2b
from typing import Any

import numpy as np

from isegoria.errors import CertificationError
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.state_view import StateView
from isegoria.learning.base.validation import require_integer
from isegoria.learning.learners.row_hashes import row_hashes
from isegoria.profiles import Instance
from isegoria.profiles.names import NamesLike
from isegoria.rules import RULES, solve
from isegoria.solvers.nash.log_sum import maximise
from isegoria.utils import tolerances
from isegoria.utils.seeds import Seed

WARM_START_MAX_CELLS = 1_000_000
"""Agents times arms up to which Newton's method from the last policy is quicker than a search from anew."""


def solve_for_means(
    means: np.ndarray, weights: np.ndarray, objective: str, arms: tuple[int, ...], n_arms: int
) -> np.ndarray:
    """Return the optimal policy (K,) of `objective` for `means` (n, |arms|) and `weights` (n,), zero outside `arms`.

    Rows are solved in sorted order, so that not even rounding depends on the order of the agents. Near ties are
    expected of estimates, so there is no warning about them.
    """
    policy = np.zeros(n_arms)
    order = np.lexsort((weights, *means.T))
    voices = None if (weights == 1).all() else weights[order]
    instance = Instance(means[order], weights=voices, tie_tolerance=tolerances.NEAR_TIE)
    policy[list(arms)] = solve(instance, RULES[objective], "centre").policy
    return policy


class UCBLearner(Learner):
    """Base class of UCB learners: a subclass names its `objective` and may override `_bonus`.

    The upper bound is min(1, mean + √(2 ln(NKt) / n_ik)), with the radius of Algorithm 1; without an observation it is
    1. The policy is recomputed only when a bound has changed, so not while all bounds are clipped to 1.
    """

    objective = ""
    _digest = ""
    _learned: np.ndarray

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        upper = self._upper(arms)
        hashes = row_hashes(upper, np.arange(len(arms)), np.arange(upper.shape[1]), self._weights)
        digest = blake2b(hashes.tobytes() + repr(arms).encode(), digest_size=16).hexdigest()
        if digest != self._digest:
            self._learned = self._best(upper, arms, np.argsort(hashes, kind="stable"))
            self._digest = digest
        return self._learned

    def _upper(self, arms: tuple[int, ...]) -> np.ndarray:
        """Return the upper bounds (|arms|, n) on the mean rewards of the agents present."""
        means, counts = self._tally.means, self._tally.pull_counts
        if (len(arms), len(self._present)) != means.shape:
            means, counts = (np.ascontiguousarray(table[list(arms)][:, self._present]) for table in (means, counts))
        seen = counts > 0
        upper = np.where(seen, means, 1.0)
        upper += np.where(seen, self._bonus(upper, np.maximum(counts, 1)), 0.0)
        return np.minimum(1.0, upper, out=upper)

    def _best(self, upper: np.ndarray, arms: tuple[int, ...], order: np.ndarray) -> np.ndarray:
        """Return the policy (K,) for these bounds; `order` sorts the agents independently of their given order."""
        return solve_for_means(upper.T, self._weights, self.objective, arms, len(self._arms))

    def _bonus(self, means: np.ndarray, counts: np.ndarray) -> np.ndarray:
        return np.sqrt(2.0 * math.log(len(self._agents) * len(self._arms) * self.rounds) / counts)

    def extra_state(self) -> dict[str, Any]:
        return {"digest": self._digest, "learned": self._learned.tolist() if self._digest else None}

    def restore_extra(self, state: dict[str, Any]) -> None:
        self._digest = state.get("digest", "")
        if self._digest:
            self._learned = np.array(state["learned"], dtype=float)


class UtilitarianUCBLearner(UCBLearner):
    """Learner that plays the arm with the largest total of the agents' clipped upper bounds.

    The index of an arm is `Σ_i w_i min(1, μ̂_ik + √(2 ln(NKt) / n_ik))`. It follows Auer, Cesa-Bianchi and Fischer but
    is not their UCB1, which adds one radius `√(2 ln t / n)` to the mean of the total. It does not aim at equal voice,
    and agents outside the majority may never see a favourite.

    >>> UtilitarianUCBLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "utilitarian-ucb"
    label = "UT-UCB"
    summary = "the sum of the agents' clipped upper bounds"
    citation = "after Auer, Cesa-Bianchi and Fischer (2002), Finite-time analysis of the multiarmed bandit problem"
    objective = "utilitarian"


class EgalitarianUCBLearner(UCBLearner):
    """Learner that maximises the minimum upper bound on an agent's utility.

    The policy tends to the egalitarian one as bounds shrink. Arms outside its support are explored only while their
    bounds are wide, and nothing is guaranteed about voice.

    >>> EgalitarianUCBLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "egalitarian-ucb"
    label = "EG-UCB"
    summary = "upper bounds into the least utility"
    citation = "the template of optimism with the paper's egalitarian objective"
    objective = "egalitarian"


class GiniUCBLearner(UCBLearner):
    """Learner that maximises the Gini welfare of the upper bounds, with the paper's weights `2^-(i-1)`.

    The policy tends to the Gini-optimal one as bounds shrink; nothing is guaranteed about voice.

    >>> GiniUCBLearner(3, 2, seed=1).ask().arm
    0
    """

    id = "gini-ucb"
    label = "GGI-UCB"
    summary = "upper bounds into the generalised Gini welfare"
    citation = "the template of optimism with the paper's generalised Gini objective"
    objective = "gini"


class NashUCBLearner(UCBLearner):
    """Learner that maximises the Nash welfare of upper bounds, as published by Jones, Nguyen and Nguyen.

    The upper bound is `min(1, mean + √(12 (1 - mean) L / n) + 12 L / n)` with `L = ln(NKT)` for a `horizon` of T
    rounds. The guarantee is a regret of `Õ(√(NKT) + NK)` in Nash welfare of utilities. Equal voice is not guaranteed:
    the Nash policy may leave an agent without any of its favourites. In the earlier `nash-ucb-additive` the bonus is
    added to the welfare; here it is part of the bounds inside it, so that each round is one concave problem.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    horizon : int
        The number of rounds T to plan for.
    seed : optional
        The seed of the learner's own draws.
    agents, arms : sequence of str, optional
        Names; numbered by default.
    weights : sequence of int, optional
        The agents' weights; all 1 by default.

    Examples
    --------
    >>> NashUCBLearner(3, 2, horizon=1000, seed=1).ask().arm
    0
    """

    id = "nash-ucb"
    label = "NSW-UCB"
    summary = "upper bounds that adapt to the mean into the Nash welfare"
    citation = "Jones, Nguyen and Nguyen (2023), An efficient algorithm for fair multi-agent multi-armed bandit"
    objective = "nash"
    settings = ("horizon",)
    factor = 12.0

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        horizon: int = 100_000,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        self.horizon = require_integer(horizon, "horizon")
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)

    def _best(self, upper: np.ndarray, arms: tuple[int, ...], order: np.ndarray) -> np.ndarray:
        """Solve by Newton's method from the previous policy if every arm is available; else solve from scratch."""
        near = (
            self._digest and len(arms) == len(self._arms) == len(self._learned) and upper.size <= WARM_START_MAX_CELLS
        )
        if near and (self._learned @ upper > 0).all():
            with suppress(CertificationError):
                rows = np.ascontiguousarray(upper.T[order])
                return maximise(rows, self._weights[order].astype(float), start=self._learned).policy
        return super()._best(upper, arms, order)

    def _bonus(self, means: np.ndarray, counts: np.ndarray) -> np.ndarray:
        share = self.factor * math.log(len(self._agents) * len(self._arms) * self.horizon) / counts
        return np.sqrt((1.0 - means) * share) + share
