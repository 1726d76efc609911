"""The roster of a learner: names of agents and arms, each with a permanent index, and the agents present now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.learning.base.validation import require_integer
from isegoria.profiles.names import NamesLike, NumberedNames, validate_names
from isegoria.profiles.weights import validate_weights

MAX_LISTED_NAMES = 10_000
"""Numbered names beyond this many are not written one by one."""


class RosterNames:
    """Distinct names of one `kind` ("agent" or "arm"), in the order in which they joined.

    >>> arms = RosterNames("arm", 3, ["tea", "coffee", "water"])
    >>> arms.indices(["water", "tea"])
    (0, 2)
    """

    def __init__(self, kind: str, count: int, names: Sequence[str] | None = None):
        self.kind = kind
        self._first = validate_names(names, require_integer(count, f"the number of {kind}s"), kind)
        self._later: list[str] = []
        self._index: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._first) + len(self._later)

    def __iter__(self) -> Iterator[str]:
        yield from self._first
        yield from self._later

    def __getitem__(self, index: int) -> str:
        first = len(self._first)
        return self._first[index] if index < first else self._later[index - first]

    @property
    def index(self) -> dict[str, int]:
        """The index of every name, built on first use."""
        if len(self._index) != len(self):
            self._index = {name: place for place, name in enumerate(self)}
        return self._index

    def state(self) -> list[str] | dict[str, Any]:
        """Return the names as plain data: a list, or only the count if very many are merely numbered."""
        if isinstance(self._first, NumberedNames) and len(self._first) > MAX_LISTED_NAMES:
            return {"numbered": len(self._first), "later": list(self._later)}
        return list(self)

    def add(self, name: str) -> int:
        """Add a new `name` and return its index; raise `InputError` if the name is taken."""
        if not isinstance(name, str):
            raise InputError(f"{self.kind} name {name!r} is not usable; expected a non-empty string.")
        validate_names([name], 1, self.kind)
        if name in self.index:
            raise InputError(f"{self.kind} {name!r} is there already; choose another name.")
        self._later.append(name)
        return len(self) - 1

    def find(self, name: str | int) -> int:
        """Return the index of a name, or validate an index and return it."""
        if isinstance(name, str):
            if name not in self.index:
                raise unknown_name_error(self.kind, name, self.index)
            return self.index[name]
        if isinstance(name, bool) or not isinstance(name, int | np.integer) or not 0 <= name < len(self):
            raise InputError(
                f"{self.kind} {name!r} does not exist; expected a name, or an index from 0 to {len(self) - 1}."
            )
        return int(name)

    def indices(self, chosen: Iterable[str | int]) -> tuple[int, ...]:
        """Return the sorted indices of the chosen names or indices, or of a boolean mask; require at least one."""
        items: list[str | int] = [chosen] if isinstance(chosen, str) else list(chosen)
        if len(items) == len(self) and all(isinstance(item, bool | np.bool_) for item in items):
            items = [*np.flatnonzero(items).tolist()]
        if not items:
            raise InputError(f"no {self.kind} is available; name at least one of {', '.join(self)}.")
        return tuple(sorted({self.find(item) for item in items}))


def load_names(state: list[str] | dict[str, Any], kind: str) -> Sequence[str]:
    """Return the names that `RosterNames.state` described."""
    if isinstance(state, list):
        return state
    first = NumberedNames(kind.capitalize(), int(state["numbered"]))
    return [*first, *state["later"]] if state["later"] else first


WeightsLike = Sequence[int] | np.ndarray | None
"""One whole number for each agent, from 1 up; None where all of them count once."""


class Roster:
    """All agents and arms that ever joined, the agents' weights, and the rows of the agents `present` now, in order.

    N and K count everything that ever joined and never decrease, because who leaves may depend on what they received.
    An agent of weight w gives feedback for itself only and has w times the voice of an agent of weight 1. An agent that
    joins has weight 1.

    >>> roster = Roster(2, 3, agents=["Ann", "Bob"])
    >>> roster.leave("Ann")
    >>> roster.join("Cem"), roster.present.tolist(), roster.join("Ann"), roster.present.tolist()
    (2, [1, 2], 0, [0, 1, 2])
    """

    def __init__(
        self, n_agents: int, n_arms: int, agents: NamesLike = None, arms: NamesLike = None, weights: WeightsLike = None
    ):
        self.agents = RosterNames("agent", n_agents, agents)
        self.arms = RosterNames("arm", n_arms, arms)
        self.present = np.arange(n_agents, dtype=np.intp)
        self.weigh(weights)

    def weigh(self, weights: WeightsLike) -> None:
        """Set the weights of all agents that ever joined, in their order; None means that all weights are 1."""
        given = validate_weights(weights, list(self.agents) if weights is not None else [])
        self.weights = np.ones(len(self.agents), dtype=np.int64) if given is None else given

    def set_weight(self, name: str | int, weight: int) -> None:
        """Set the weight of one agent, present or not."""
        weights = self.weights.copy()
        weights[self.agents.find(name)] = require_integer(weight, f"the weight of agent {name!r}")
        self.weigh(weights)

    def join(self, name: str) -> int:
        """Add an agent, or bring back one that left, and return its row."""
        back = name in self.agents.index and self.agents.index[name] not in self.present
        row = self.agents.index[name] if back else self.agents.add(name)
        self.present = np.sort(np.append(self.present, row)).astype(np.intp)
        if not back:
            self.weights = np.append(self.weights, 1)
        return row

    def leave(self, name: str | int) -> None:
        """Remove an agent from those present; raise `InputError` if it is the last one or has already left."""
        row = self.agents.find(name)
        if row not in self.present:
            raise InputError(f"agent {name!r} has left already.")
        if len(self.present) == 1:
            raise InputError(f"agent {name!r} is the last one; a decision needs at least one agent.")
        self.present = self.present[self.present != row]
