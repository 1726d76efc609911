"""Random dictatorship with Thompson sampling: each agent votes for the best arm in a draw from its posterior."""

from __future__ import annotations

import numpy as np

from isegoria.learning.base.learner import Learner
from isegoria.learning.base.state_view import StateView
from isegoria.learning.learners.row_hashes import row_hashes
from isegoria.learning.learners.thompson_votes import log_beta_functions, votes


class ThompsonLearner(Learner):
    """Learner in which agents vote on means drawn from their posteriors; it needs no solver and no tuning.

    The posterior of the mean of pair (i, k) is `Beta(1 + Σ r, 1 + Σ (1 - r))` over its rewards r. It is exact for
    rewards of 0 and 1 under a uniform prior, and wider than necessary for others. In each round every agent draws its
    means and votes for the largest; the policy is the share of votes. An agent in doubt votes for different arms in
    different rounds, which is all the exploration there is. Arms that cannot be largest are not drawn
    (`posterior_votes`).

    There is no bound on PF regret and no probability with which a favourite set is right. The policy of a single round
    is a draw, which scores below 1 even when little doubt is left. An agent with tied favourites spreads its votes
    unevenly in a single round. Propensities are conditional on the round's draw.

    >>> learner = ThompsonLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(200):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.policy.tolist()
    [0.5, 0.5]
    """

    id = "thompson"
    label = "Thompson votes"
    summary = "every agent votes for its best arm in a draw from its posterior; the policy is the votes"
    citation = "Thompson (1933) for the draw; Gibbard (1977) for random dictatorship"

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        columns, tally = np.array(arms, dtype=np.intp), self._tally
        # Sort the agents by their data, so that the draws do not depend on the order of the agents.
        seen = row_hashes(tally.sums, columns, self._present, self._weights)
        if not tally.even.all():  # otherwise counts do not distinguish agents
            seen += row_hashes(tally.pull_counts, columns, self._present, seen)
        order = np.argsort(seen, kind="stable")
        held = self._weights[order].astype(float)
        here = tally.sums, tally.pull_counts, self._log_betas, columns, self._present[order], held
        policy = np.zeros(len(self._arms))
        policy[columns] = votes(self.random_stream("posterior"), *here) / self._weights.sum()
        return policy

    def observe(self, arm: int, rows: np.ndarray, rewards: np.ndarray) -> None:
        self._log_betas[arm] = log_beta_functions(self._tally.sums[arm], self._tally.pull_counts[arm])

    def on_roster_change(self) -> None:
        pairs = zip(self._tally.sums, self._tally.pull_counts, strict=True)
        self._log_betas = np.stack([log_beta_functions(sums, counts) for sums, counts in pairs])
