"""Random dictatorship with uncertainty: each agent votes for the arm that is best in a draw from its posterior."""

from __future__ import annotations

import numpy as np

from isegoria.learning.protocol.learner import Learner


class PosteriorLearner(Learner):
    """Votes on means drawn from the posterior: no solver, and no tuning.

    The posterior of the mean of pair (i, k) is Beta(1 + Σ r, 1 + Σ (1 - r)) over its rewards r: exact for rewards of 0
    and 1 under a uniform prior, and wider than need be for others. In each round every agent draws its means and votes
    for the largest; the policy is the share of votes. An agent in doubt votes for different arms in different rounds,
    and that is all the exploration there is.

    What is not guaranteed: there is no bound on PF regret, no probability with which a favourite set is right, and the
    policy of a single round is a draw, which scores below 1 even when everything is known up to a little doubt. An
    agent with tied favourites spreads its votes unevenly in a single round. Propensities are given the round's draw.

    >>> learner = PosteriorLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(200):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.policy.tolist()
    [0.5, 0.5]
    """

    id = "posterior"
    label = "Posterior"
    summary = "every agent votes for its best arm in a draw from its posterior; the policy is the votes"
    citation = "Thompson (1933) for the draw; Gibbard (1977) for random dictatorship"

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        columns = list(arms)
        won = self._tally.sums[columns][:, self._present]
        lost = self._tally.counts[columns][:, self._present] - won
        # Drawn in the order of what the agents have seen, so that the votes do not depend on the order of the agents.
        order = np.lexsort((self._weights, *won, *lost))
        draw = self._stream("posterior").beta(1.0 + won[:, order], 1.0 + np.maximum(lost[:, order], 0.0))
        policy = np.zeros(len(self._arms))
        votes = np.bincount(draw.argmax(axis=0), weights=self._weights[order], minlength=len(columns))
        policy[columns] = votes / self._weights.sum()
        return policy
