"""What `propose` gives: a `Proposal`, all that a coin from outside needs to decide a round that can be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isegoria.errors import TicketError
from isegoria.instance import Instance
from isegoria.lazy import computed_once
from isegoria.voice import attribution

ENTRIES = ("round", "policy", "rate", "doubtful", "propensities", "forced", "available", "learner", "weights")


@dataclass(frozen=True, eq=False)
class Proposal:
    """How the next round would be decided: nothing was drawn, and the learner has not changed.

    - `round`: the round that it is for.
    - `policy`: (K,) the learned policy P^t; a round that does not explore draws its arm from it.
    - `rate`, `doubtful`: the probability of exploring, and the arms among which it is then uniform. The guided learner
      explores inside its policy: its rate is 0, and `doubtful` are the arms that someone in doubt may still try.
    - `propensities`: (K,) what follows for each arm: rate/|doubtful| on the doubtful ones, plus (1 − rate) · policy.
    - `forced`: an available arm was never asked for, and has to be; it is the only one in `doubtful`, and the one of
      propensity 1.
    - `sets`: (n, K) booleans, the favourite sets that the policy is for, of the agents present, in their order.
    - `attribution`: (n, K) which voice carries which arm: row i spends at most its share of all weights (1/n where
      everyone counts once), on its own set; in all they carry as much of the policy as the sets allow (all of it, for
      a fair policy).
    - `available`: the arms that it is about. `learner`: which learner proposed. `weights`: (n,) of the agents present.

    >>> import isegoria as iso
    >>> learner = iso.ProceduralLearner(2, 2, seed=1)
    >>> learner.settle(learner.propose(), 0).forced, learner.settle(learner.propose(), 1).forced
    (True, True)
    >>> proposal = learner.propose()
    >>> [round(part, 12) for part in proposal.policy], proposal.attribution.round(12).tolist()
    ([0.5, 0.5], [[0.25, 0.25], [0.25, 0.25]])
    """

    round: int
    policy: tuple[float, ...]
    rate: float
    doubtful: tuple[int, ...]
    propensities: tuple[float, ...]
    forced: bool
    available: tuple[int, ...]
    learner: str
    weights: tuple[int, ...]
    sets: np.ndarray = field(repr=False)

    @computed_once
    def attribution(self) -> np.ndarray:
        y = attribution(Instance(self.sets.astype(float), weights=self.weights), np.array(self.policy)).y
        y.setflags(write=False)
        return y

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Proposal):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in ENTRIES) and np.array_equal(
            self.sets, other.sets
        )

    def to_dict(self) -> dict[str, Any]:
        """The proposal as plain lists, numbers and strings; each set as the list of its arms."""
        plain = {name: getattr(self, name) for name in ENTRIES}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}
        return {**plain, "sets": [np.flatnonzero(row).tolist() for row in self.sets]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proposal:
        """The proposal that `to_dict` described; a missing or unknown entry raises `TicketError`."""
        if not isinstance(data, Mapping) or set(data) != {*ENTRIES, "sets"}:
            entries = ", ".join(sorted({*ENTRIES, "sets"}))
            raise TicketError(f"a proposal has exactly the entries {entries}; pass on what propose() gave.")
        sets = np.zeros((len(data["sets"]), len(data["policy"])), dtype=bool)
        for row, arms in enumerate(data["sets"]):
            sets[row, list(arms)] = True
        sets.setflags(write=False)
        plain: dict[str, Any] = {name: data[name] for name in ENTRIES}
        plain = {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}
        return cls(**plain, sets=sets)
