"""The paper's Algorithm 1: candidate sets by confidence bounds, and the decision-share Nash policy over them."""

from __future__ import annotations

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.sets.candidate_sets import CandidateSets


class ProceduralLearner(Learner):
    """Learns the procedurally fair policy with sublinear regret (Algorithm 1, Theorem 2).

    `gamma` in (0, 1) sets the exploration rate t^-(1-gamma); `alpha` >= 1 multiplies the confidence radius
    sqrt(2 ln(NKt) / n_ik). Both the policy (`centre`) and the trajectory do not depend on the order of the agents.

    >>> learner = ProceduralLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(2000):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.sets.tolist(), learner.policy.tolist()
    ([[True, False], [False, True]], [0.5, 0.5])
    """

    id = "procedural"
    label = "PF"
    summary = "candidate sets by confidence bounds, exploring all arms at a falling rate"
    citation = "Algorithm 1 of the paper"
    settings = ("gamma", "alpha")

    def __init__(self, n_agents: int, n_arms: int, gamma: float = 0.7, alpha: float = 1.0, seed: int | None = None,
                 agents=None, arms=None):  # fmt: skip
        self.gamma = checked_gamma(gamma)
        self.alpha = checked_alpha(alpha)
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms)

    def _resized(self) -> None:
        self._candidates = CandidateSets(len(self._present), len(self._arms))
        self._learned = self._last
        self._over = self._every_arm
        self._columns = np.array(self._over, dtype=np.intp)

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        """P^t_PF (line 13), solved again only when some candidate set has changed."""
        if arms is not self._over:
            self._over, self._columns = arms, np.array(arms, dtype=np.intp)
        if self._candidates.update(self._tally, self._present, self._columns, self.rounds, self.alpha):
            self._learned = self._solved()
        return self._learned

    def _solved(self) -> np.ndarray:
        return self._candidates.policy(len(self._arms), self._learned)

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return self.rounds ** (self.gamma - 1.0), arms

    def _sets(self) -> np.ndarray:
        return self._candidates.matrix(len(self._arms))

    def _mark(self) -> tuple:
        return super()._mark(), self._candidates.codes.copy() if self._candidates.known else None

    def _return(self, before: tuple) -> None:
        super()._return(before[0])
        self._candidates.adopt(before[1])

    def _extra_state(self) -> dict:
        codes = self._candidates.codes.tolist() if self._candidates.known else None
        return {"codes": codes, "learned": self._learned.tolist()}

    def _restore_extra(self, state: dict) -> None:
        self._learned = np.array(state["learned"], dtype=float)
        self._candidates.adopt(state["codes"])


def checked_gamma(gamma: float) -> float:
    """`gamma` as a float strictly between 0 and 1."""
    if not isinstance(gamma, int | float | np.number) or not 0 < gamma < 1:
        raise InputError(f"gamma is {gamma!r}; expected a number strictly between 0 and 1, such as 0.7.")
    return float(gamma)


def checked_alpha(alpha: float) -> float:
    """`alpha` as a finite float, at least 1."""
    if not isinstance(alpha, int | float | np.number) or not 1 <= alpha < float("inf"):
        raise InputError(f"alpha is {alpha!r}; expected a finite number from 1 up, which Theorem 2 needs.")
    return float(alpha)
