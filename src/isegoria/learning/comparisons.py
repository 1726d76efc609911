"""A learner of the fair lottery whose only feedback are comparisons: "this arm is better than that one"."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.base.learner_roster import RosterNames
from isegoria.learning.base.validation import require_integer
from isegoria.profiles import Instance
from isegoria.profiles.names import NamesLike
from isegoria.rules import solve


class ComparisonLearner:
    """Learner of each agent's favourites, and of the fair lottery over them, from pairwise comparisons alone.

    A favourite of an agent is an arm that beats every other arm in at least half of that agent's comparisons: its own
    Condorcet winner, or several if they tie. The assumption is that such an arm exists for every agent, and that a
    comparison of two arms is won by the first with a fixed probability, whatever was compared before.

    Arm j leaves the candidates of an agent when some arm k has beaten it so often that a fair coin would do so with
    probability at most error/(N K (K − 1)) at *any* time. Under the assumption, with probability at least 1 − `error`
    no favourite of any agent is ever dropped, at any time and however the pairs are chosen. Without it nothing is
    promised: an agent whose tastes go in a circle has no favourite.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    error : float
        The probability with which some favourite may be dropped, strictly between 0 and 1.
    agents, arms : sequence of str, optional
        Names; numbered by default.
    wins : array-like, optional
        (N, K, K) how often each agent preferred an arm to another one, to go on where another learner was.

    Examples
    --------
    >>> learner = ComparisonLearner(2, 3, agents=["Ann", "Ben"], arms=["brief", "kind", "long"])
    >>> for _ in range(60):
    ...     for agent, taste in (("Ann", "brief kind long"), ("Ben", "long kind brief")):
    ...         pair = learner.propose_pair(agent)
    ...         if pair:
    ...             learner.tell(agent, *sorted(pair, key=taste.split().index))
    >>> learner.candidates.tolist(), learner.policy.tolist()
    ([[True, False, False], [False, False, True]], [0.5, 0.0, 0.5])
    """

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        error: float = 0.01,
        agents: NamesLike = None,
        arms: NamesLike = None,
        wins: Any = None,
    ):
        n_agents, n_arms = require_integer(n_agents, "n_agents"), require_integer(n_arms, "n_arms")
        if not isinstance(error, int | float | np.number) or not 0 < error < 1:
            raise InputError(f"error is {error!r}; expected a probability strictly between 0 and 1, such as 0.01.")
        self.error = float(error)
        self.agents, self.arms = RosterNames("agent", n_agents, agents), RosterNames("arm", n_arms, arms)
        shape = n_agents, n_arms, n_arms
        self.wins = np.zeros(shape, dtype=np.int64) if wins is None else np.array(wins)
        if self.wins.shape != shape or self.wins.dtype.kind != "i" or self.wins.min(initial=0) < 0:
            raise InputError(f"wins have shape {self.wins.shape}; expected counts from 0 up of shape {shape}.")
        self._limit = math.log(n_agents * max(1, n_arms * (n_arms - 1)) / self.error)
        self._beaten = np.zeros(shape, dtype=bool)  # (i, j, k): k has beaten j for good
        for agent, better, worse in np.argwhere(self.wins).tolist():
            self._judge_pair(agent, better, worse)

    @property
    def candidates(self) -> np.ndarray:
        """(N, K) Booleans: the arms that may still be favourites. An agent whose arms are all beaten keeps all."""
        left = np.logical_not(self._beaten.any(axis=2))
        return np.asarray(left | ~np.any(left, axis=1, keepdims=True))

    @property
    def leaders(self) -> np.ndarray:
        """(N, K) Booleans: the candidates that have won the largest share of an agent's comparisons; 1/2 without any.

        They are a guess for early rounds, and nothing is promised about them.
        """
        counts = (self.wins + self.wins.transpose(0, 2, 1)).sum(axis=2)
        shares = np.divide(self.wins.sum(axis=2), counts, out=np.full(counts.shape, 0.5), where=counts > 0)
        shares = np.where(self.candidates, shares, -1.0)
        return np.asarray(shares >= shares.max(axis=1, keepdims=True))

    @property
    def policy(self) -> np.ndarray:
        """(K,) The fair lottery over the candidates: the one of the largest product of decision shares."""
        return solve(Instance(self.candidates.astype(float)), "procedural").policy

    def propose_pair(self, agent: str | int) -> tuple[str, str] | None:
        """Return the two candidates that the agent has compared least often; None if only one is left."""
        row = self.agents.find(agent)
        left = np.flatnonzero(self.candidates[row])
        if len(left) < 2:
            return None
        times = (self.wins[row] + self.wins[row].T)[np.ix_(left, left)].astype(float)
        times[np.tril_indices(len(left))] = np.inf
        first, second = np.unravel_index(int(times.argmin()), times.shape)
        return self.arms[int(left[first])], self.arms[int(left[second])]

    def tell(self, agent: str | int, better: str | int, worse: str | int) -> None:
        """Record one comparison: the agent prefers `better` to `worse`. A comparison without a winner is not told.

        Parameters
        ----------
        agent : str or int
            The agent, by name or index.
        better, worse : str or int
            The arms, by name or index.

        Raises
        ------
        InputError
            If the arms are the same, or a name is not known.
        """
        row, first, second = self.agents.find(agent), self.arms.find(better), self.arms.find(worse)
        if first == second:
            raise InputError(f"{self.arms[first]!r} is compared with itself; tell two different arms.")
        self.wins[row, first, second] += 1
        self._judge_pair(row, first, second)

    def _judge_pair(self, agent: int, better: int, worse: int) -> None:
        won, lost = self.wins[agent, better, worse], self.wins[agent, worse, better]
        if log_evidence(int(won), int(lost)) >= self._limit:
            self._beaten[agent, worse, better] = True


def log_evidence(won: int, lost: int) -> float:
    """Return the logarithm of an e-process against "the winner wins at most half of the comparisons".

    It is the mean, over all p from 1/2 to 1, of the likelihood ratio of p and a fair coin. If at most half are won on
    average, it is a supermartingale that starts at 1, so it reaches x with probability at most 1/x (Ville).

    >>> log_evidence(0, 0), round(log_evidence(20, 0), 2), round(log_evidence(10, 10), 2)
    (0.0, 11.51, -1.31)
    """
    from scipy.special import betainc, betaln

    above = betainc(lost + 1, won + 1, 0.5)  # the probability that a Beta(won + 1, lost + 1) exceeds 1/2
    if above == 0:
        return -math.inf
    return float((won + lost + 1) * math.log(2) + betaln(won + 1, lost + 1) + math.log(above))
