"""`Proposal`, the result of `propose`: everything an external draw needs to decide a round verifiably."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isegoria.analysis.attribution import compute_attribution
from isegoria.errors import TicketError
from isegoria.profiles import Instance
from isegoria.utils.caching import lazy_property
from isegoria.utils.notebook import NotebookView

PROPOSAL_FIELDS = (
    *("round", "policy", "exploration_rate", "exploration_arms", "propensities", "forced", "available", "run_id"),
    "weights",
)


@dataclass(frozen=True, eq=False)
class Proposal(NotebookView):
    """The decision of the next round before an arm is drawn; the learner is unchanged.

    Attributes
    ----------
    round : int
        The round the proposal is for.
    policy : tuple of float
        (K,) The learned policy P^t; a round that does not explore draws its arm from it.
    exploration_rate : float
        The probability of exploring. It is 0 for the elimination learner, which explores inside its policy.
    exploration_arms : tuple of int
        The arms among which exploration is uniform. For the elimination learner: the arms that an agent in doubt may
        still try.
    propensities : tuple of float
        (K,) The resulting probability of each arm: (1 − rate) · policy, plus rate/m on the m arms of
        `exploration_arms`.
    forced : bool
        Whether an available arm was never asked for and must be pulled. It is then the only arm in
        `exploration_arms` and has propensity 1.
    available : tuple of int
        The arms that were available.
    run_id : str
        The id of the run of the learner that proposed.
    weights : tuple of int
        (n,) The weights of the agents present.
    candidate_sets : numpy.ndarray
        (n, K) Booleans: the favourite sets behind the policy, for the agents present, in their order.
    attribution : numpy.ndarray
        (n, K) The part of each arm's probability that each agent's voice carries. Row i spends at most its share of all
        weights (1/n if all weights are 1), on its own set. In total the rows carry as much of the policy as the sets
        allow, which is all of it for a fair policy.

    Examples
    --------
    >>> import isegoria as iso
    >>> learner = iso.ProceduralLearner(2, 2, seed=1)
    >>> learner.accept(learner.propose(), 0).forced, learner.accept(learner.propose(), 1).forced
    (True, True)
    >>> proposal = learner.propose()
    >>> [round(part, 12) for part in proposal.policy], proposal.attribution.round(12).tolist()
    ([0.5, 0.5], [[0.25, 0.25], [0.25, 0.25]])
    """

    round: int
    policy: tuple[float, ...]
    exploration_rate: float
    exploration_arms: tuple[int, ...]
    propensities: tuple[float, ...]
    forced: bool
    available: tuple[int, ...]
    run_id: str
    weights: tuple[int, ...]
    candidate_sets: np.ndarray = field(repr=False)

    @lazy_property
    def attribution(self) -> np.ndarray:
        y = compute_attribution(
            Instance(self.candidate_sets.astype(float), weights=self.weights), np.array(self.policy)
        ).y
        y.setflags(write=False)
        return y

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Proposal):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in PROPOSAL_FIELDS) and np.array_equal(
            self.candidate_sets, other.candidate_sets
        )

    def view_lines(self) -> list[str]:
        """Return the round."""
        return [f"round {self.round}{': the arm is forced' if self.forced else ''}"]

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the policy and the propensity of each available arm."""
        return [{"arm": k, "policy": self.policy[k], "propensity": self.propensities[k]} for k in self.available]

    def to_dict(self) -> dict[str, Any]:
        """Return the proposal as plain lists, numbers and strings, with each set as the list of its arms."""
        plain = {name: getattr(self, name) for name in PROPOSAL_FIELDS}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}
        return {**plain, "candidate_sets": [np.flatnonzero(row).tolist() for row in self.candidate_sets]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proposal:
        """Create the proposal that `to_dict` described; raise `TicketError` for a missing or unknown entry."""
        if not isinstance(data, Mapping) or set(data) != {*PROPOSAL_FIELDS, "candidate_sets"}:
            entries = ", ".join(sorted({*PROPOSAL_FIELDS, "candidate_sets"}))
            raise TicketError(f"a proposal has exactly the entries {entries}; pass on what propose() gave.")
        sets = np.zeros((len(data["candidate_sets"]), len(data["policy"])), dtype=bool)
        for row, arms in enumerate(data["candidate_sets"]):
            sets[row, list(arms)] = True
        sets.setflags(write=False)
        plain: dict[str, Any] = {name: data[name] for name in PROPOSAL_FIELDS}
        plain = {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}
        return cls(**plain, candidate_sets=sets)
