"""Who takes part: the names of agents and arms, each with an index for ever, and who is present now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.instance.names import GivenNames, NumberedNames, checked_names
from isegoria.instance.weights import checked_weights
from isegoria.learning.protocol.checks import whole

MANY = 10_000
"""Numbered names beyond this many are not written one by one."""


class RosterNames:
    """Distinct names of one `kind` ("agent" or "arm"), in the order in which they joined.

    >>> arms = RosterNames("arm", 3, ["tea", "coffee", "water"])
    >>> arms.indices(["water", "tea"])
    (0, 2)
    """

    def __init__(self, kind: str, count: int, names: Sequence[str] | None = None):
        self.kind = kind
        self._first = checked_names(names, whole(count, f"the number of {kind}s"), kind)
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
        """The index of every name; made when somebody first asks for one by name."""
        if len(self._index) != len(self):
            self._index = {name: place for place, name in enumerate(self)}
        return self._index

    def state(self) -> list[str] | dict[str, Any]:
        """The names as plain data: a list, or, where very many are merely numbered, how many they are."""
        if isinstance(self._first, NumberedNames) and len(self._first) > MANY:
            return {"numbered": len(self._first), "later": list(self._later)}
        return list(self)

    def add(self, name: str) -> int:
        """The index of a new `name`; one that is taken already is refused."""
        if not isinstance(name, str):
            raise InputError(f"{self.kind} name {name!r} is not usable; expected a non-empty string.")
        checked_names([name], 1, self.kind)
        if name in self.index:
            raise InputError(f"{self.kind} {name!r} is there already; choose another name.")
        self._later.append(name)
        return len(self) - 1

    def find(self, name: str | int) -> int:
        """The index of a name, or of an index that exists."""
        if isinstance(name, str):
            if name not in self.index:
                raise unknown(self.kind, name, self.index)
            return self.index[name]
        if isinstance(name, bool) or not isinstance(name, int | np.integer) or not 0 <= name < len(self):
            raise InputError(
                f"{self.kind} {name!r} does not exist; expected a name, or an index from 0 to {len(self) - 1}."
            )
        return int(name)

    def indices(self, chosen: Iterable[str | int]) -> tuple[int, ...]:
        """The sorted indices of the chosen names or indices, or of a boolean mask over all; at least one."""
        items: list[str | int] = [chosen] if isinstance(chosen, str) else list(chosen)
        if len(items) == len(self) and all(isinstance(item, bool | np.bool_) for item in items):
            items = [*np.flatnonzero(items).tolist()]
        if not items:
            raise InputError(f"no {self.kind} is available; name at least one of {', '.join(self)}.")
        return tuple(sorted({self.find(item) for item in items}))


def names_of(state: list[str] | dict[str, Any], kind: str) -> Sequence[str]:
    """The names that `RosterNames.state` described."""
    if isinstance(state, list):
        return state
    first = NumberedNames(kind.capitalize(), int(state["numbered"]))
    return [*first, *state["later"]] if state["later"] else first


GivenWeights = Sequence[int] | np.ndarray | None
"""One whole number for each agent, from 1 up; None where all of them count once."""


class Roster:
    """The agents and arms that ever joined, with their weights, and the rows of the agents `present` now, in order.

    N and K count all that ever joined: who leaves may depend on what they received, so they never fall. An agent of
    weight w is one who answers for itself, and has w times the voice of one of weight 1; who joins has weight 1.

    >>> roster = Roster(2, 3, agents=["Ann", "Bob"])
    >>> roster.leave("Ann")
    >>> roster.join("Cem"), roster.present.tolist(), roster.join("Ann"), roster.present.tolist()
    (2, [1, 2], 0, [0, 1, 2])
    """

    def __init__(self, n_agents: int, n_arms: int, agents: GivenNames = None, arms: GivenNames = None,
                 weights: GivenWeights = None):  # fmt: skip
        self.agents = RosterNames("agent", n_agents, agents)
        self.arms = RosterNames("arm", n_arms, arms)
        self.present = np.arange(n_agents, dtype=np.intp)
        self.weigh(weights)

    def weigh(self, weights: GivenWeights) -> None:
        """Give every agent that ever joined its weight, in their order."""
        given = checked_weights(weights, list(self.agents) if weights is not None else [])
        self.weights = np.ones(len(self.agents), dtype=np.int64) if given is None else given

    def set_weight(self, name: str | int, weight: int) -> None:
        """Give one agent another weight, whether it is present or not."""
        weights = self.weights.copy()
        weights[self.agents.find(name)] = whole(weight, f"the weight of agent {name!r}")
        self.weigh(weights)

    def join(self, name: str) -> int:
        """The row of an agent who is present from now on: a new one, or one who left and comes back."""
        back = name in self.agents.index and self.agents.index[name] not in self.present
        row = self.agents.index[name] if back else self.agents.add(name)
        self.present = np.sort(np.append(self.present, row)).astype(np.intp)
        if not back:
            self.weights = np.append(self.weights, 1)
        return row

    def leave(self, name: str | int) -> None:
        """Let an agent leave; the last one may not."""
        row = self.agents.find(name)
        if row not in self.present:
            raise InputError(f"agent {name!r} has left already.")
        if len(self.present) == 1:
            raise InputError(f"agent {name!r} is the last one; a decision needs at least one agent.")
        self.present = self.present[self.present != row]
