"""A learner that explores where doubt is: bounds that adapt to the variance, and the arms that would settle a set."""

from __future__ import annotations

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.learners.procedural import checked_gamma
from isegoria.learning.protocol.checks import checked_share, whole
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.sets.interval_sets import CERTAIN, UNRESOLVED, Doubts
from isegoria.solvers.nash.decision_shares import procedural_policy

LARGEST_ERROR = 0.01


def _default(n_agents: int, n_arms: int) -> float:
    """The error of Algorithm 1's own bounds, 3/(NK)³, where that is small."""
    pairs = whole(n_agents, "the number of agents") * whole(n_arms, "the number of arms")
    return min(LARGEST_ERROR, 3.0 / pairs**3)


class GuidedLearner(Learner):
    """Learns the procedurally fair policy, and with probability 1 - `error` never drops a true favourite.

    Each pair (agent, arm) has bounds that hold at all times at once (an empirical-Bernstein confidence sequence, see
    `bernstein`), and `error` is split over the pairs. A candidate is an arm whose upper bound reaches the agent's
    largest lower bound. An agent is unresolved while it has several candidates and one of them may be better than the
    best by more than `resolution`. While anyone is unresolved, rounds explore with probability `rate` and pull the
    least-pulled candidate of an unresolved agent; after that with probability t^-(1-gamma), among the candidates of
    agents that have several; and not at all when every set is one arm.

    - `error`: the probability of ever losing a true favourite; min(0.01, 3/(NK)³) unless given.
    - `may_join`: agents or arms may join later. Half of `error` then goes to the first pairs, and error/2 · 1/(j(j+1))
      to the j-th later one.
    - `discount`: below 1, what was observed fades by this factor each round, for tastes that change. Bounds are then
      not intersected over time, sets may grow again, and nothing is guaranteed.

    An agent that never answers stays unresolved, so that the group keeps exploring on its behalf: let it `leave`, or
    set `rate` below 1.

    >>> learner = GuidedLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(200):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.sets.tolist(), learner.policy.tolist(), learner.ask().propensities
    ([[True, False], [False, True]], [0.5, 0.5], (0.5, 0.5))
    """

    id = "guided"
    label = "Guided"
    summary = "bounds that adapt to the variance, exploring only the arms still in doubt"
    citation = "Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting, for the bounds"
    settings = ("error", "resolution", "gamma", "rate", "may_join", "discount")

    def __init__(self, n_agents: int, n_arms: int, error: float | None = None, resolution: float = 0.05,
                 gamma: float = 0.7, seed: int | None = None, rate: float = 1.0, may_join: bool = False,
                 discount: float | None = None, agents=None, arms=None):  # fmt: skip
        self.error = checked_share("error", _default(n_agents, n_arms) if error is None else error, "a probability")
        self.resolution = checked_share("resolution", resolution, "a difference of mean rewards", zero=True)
        self.gamma = checked_gamma(gamma)
        self.rate = checked_share("rate", rate, "the probability of exploring while in doubt", one=True)
        self.may_join = bool(may_join)
        self.discount = discount if discount is None else checked_share("discount", discount, "a factor", one=True)
        self._doubts: Doubts | None = None
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms)

    # -- the idea ------------------------------------------------------------------------------------------------------

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        if arms is not self._over:
            self._over, self._columns = arms, np.array(arms, dtype=np.intp)
        if self.discount is not None:
            self._doubts.fade(self.discount)
        if self._doubts.update(self._present, self._columns, self.resolution):
            self._learned = self._solved()
        return self._learned

    def _solved(self) -> np.ndarray:
        return procedural_policy(self._sets())[0]

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """The rate, and the one arm that is explored: the doubtful one that was pulled least."""
        if self._doubts.state == CERTAIN:
            return 0.0, arms
        rate = self.rate if self._doubts.state == UNRESOLVED else self.rounds ** (self.gamma - 1.0)
        return rate, (self._doubts.least(self._asked),)

    def _sets(self) -> np.ndarray:
        return self._doubts.sets.astype(bool)

    def _observe(self, arm: int, rows: np.ndarray, rewards: np.ndarray) -> None:
        for row in self._doubts.observe(arm, rows, rewards):
            self._restarted(arm, row)

    def _restarted(self, arm: int, row: int) -> None:
        self._notes.append(
            f"the rewards of agent {list(self._agents)[row]!r} for arm {self._arm_names[arm]!r} cannot all have one "
            "mean: what was known of this pair was dropped, and it restarts from no data"
        )

    @property
    def lower(self) -> np.ndarray:
        """(N, K) lower bounds on the mean rewards, of everyone who ever joined."""
        return self._bounds(-2)

    @property
    def upper(self) -> np.ndarray:
        """(N, K) upper bounds on the mean rewards, of everyone who ever joined."""
        return self._bounds(-1)

    @property
    def pair_errors(self) -> np.ndarray:
        """(N, K) the share of `error` that each pair was given: its probability of ever being outside its bounds."""
        return 2.0 * np.exp(-self._doubts.log_terms.T)

    def _bounds(self, field: int) -> np.ndarray:
        bounds = self._doubts.pairs[..., field].T.copy()
        bounds.setflags(write=False)
        return bounds

    # -- who takes part ------------------------------------------------------------------------------------------------

    def join(self, name: str) -> int:
        """Let an agent join, and return its index; a new one needs `may_join=True`, which sets error aside for it."""
        if name not in self._agents.index:
            self._admit(f"agent {name!r}")
        return super().join(name)

    def add_arm(self, name: str) -> int:
        """Add an arm, and return its index; it needs `may_join=True`, which sets error aside for it."""
        self._admit(f"arm {name!r}")
        return super().add_arm(name)

    def _admit(self, newcomer: str) -> None:
        if not self.may_join:
            raise InputError(
                f"{newcomer} cannot join: the whole error of this learner was promised to the first "
                "agents and arms. Make it with may_join=True, which keeps half of the error for those who join later."
            )

    def _resized(self) -> None:
        """Give new pairs their share of the error, and nothing but the interval [0, 1]."""
        shape = len(self._arms), len(self._agents)
        old, self._doubts = self._doubts, Doubts(*shape, len(self._present), self.discount is not None)
        if old is None:
            self._initial = shape[0] * shape[1]
            self._doubts.log_terms[:] = self._log_term(self.error * (0.5 if self.may_join else 1.0) / self._initial)
        else:
            self._grow_from(old)
        self._learned = self._last
        self._over = self._every_arm
        self._columns = np.array(self._over, dtype=np.intp)

    def _grow_from(self, old: Doubts) -> None:
        arms, agents = old.log_terms.shape
        pairs, log_terms, kept = self._doubts.pairs, self._doubts.log_terms, self._doubts.kept
        pairs[:arms, :agents], log_terms[:arms, :agents], kept[:agents, :arms] = old.pairs, old.log_terms, old.kept
        new = np.ones(log_terms.shape, dtype=bool)
        new[:arms, :agents] = False
        later = np.arange(1, new.sum() + 1) + (old.log_terms.size - self._initial)
        log_terms[new] = self._log_term(0.5 * self.error / (later * (later + 1.0)))

    @staticmethod
    def _log_term(error):
        return np.log(2.0 / error)

    # -- state ---------------------------------------------------------------------------------------------------------

    def _mark(self) -> tuple:
        doubts, twin = self._doubts, Doubts(len(self._arms), len(self._agents), len(self._present), self._doubts.fading)
        twin.take(doubts.pairs, doubts.log_terms, doubts.kept, doubts.sets)
        return super()._mark(), twin

    def _return(self, before: tuple) -> None:
        super()._return(before[0])
        self._doubts = before[1]

    def _extra_state(self) -> dict:
        doubts = self._doubts
        return {
            "initial_pairs": self._initial,
            "pairs": doubts.pairs.tolist(),
            "log_terms": doubts.log_terms.tolist(),
            "kept": doubts.kept.tolist(),
            "sets": doubts.sets.tolist(),
            "learned": self._learned.tolist(),
        }

    def _restore_extra(self, state: dict) -> None:
        self._initial = int(state["initial_pairs"])
        self._doubts.take(state["pairs"], state["log_terms"], state["kept"], state["sets"])
        self._learned = np.array(state["learned"], dtype=float)
