"""Who takes part and what they said: the names, the tally and the comings and goings behind every learner."""

from __future__ import annotations

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.protocol.names import Names
from isegoria.learning.sets.tally import Tally


class Group:
    """Agents and arms with everything told so far.

    Agents and arms keep their index for ever: N and K count all that ever joined, and `_present` are the rows of the
    agents who take part now, in order. After any change, `_settle` is called.
    """

    def __init__(self, n_agents: int, n_arms: int, agents=None, arms=None):
        self._agents = Names("agent", n_agents, agents)
        self._arms = Names("arm", n_arms, arms)
        self._tally = Tally(np.zeros((n_arms, n_agents)), np.zeros((n_arms, n_agents)))
        self._present = np.arange(n_agents, dtype=np.intp)
        self._asked = [0] * n_arms
        self._last = np.full(n_arms, 1.0 / n_arms)

    def _settle(self) -> None:
        """Derive what follows from who takes part."""
        raise NotImplementedError

    def join(self, name: str) -> int:
        """Let an agent join, and return its index; one who left comes back with all it ever said."""
        if name in self._agents.index and self._agents.index[name] not in self._present:
            row = self._agents.index[name]
        else:
            row = self._agents.add(name)
            self._tally = self._tally.grown(len(self._agents), len(self._arms))
        self._present = np.sort(np.append(self._present, row)).astype(np.intp)
        self._settle()
        return row

    def leave(self, name: str | int) -> None:
        """Let an agent leave. What it said is kept, and late rewards of rounds it took part in are still taken."""
        row = self._agents.find(name)
        if row not in self._present:
            raise InputError(f"agent {name!r} has left already.")
        if len(self._present) == 1:
            raise InputError(f"agent {name!r} is the last one; a decision needs at least one agent.")
        self._present = self._present[self._present != row]
        self._settle()

    def add_arm(self, name: str) -> int:
        """Add an arm, and return its index; it is forced once, when it is first available."""
        arm = self._arms.add(name)
        self._tally = self._tally.grown(len(self._agents), len(self._arms))
        self._asked.append(0)
        self._last = np.append(self._last, 0.0)
        self._settle()
        return arm

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents present, in the order of a rewards array."""
        return tuple(np.array(list(self._agents), dtype=object)[self._present])

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self._arm_names

    @property
    def policy(self) -> np.ndarray:
        """(K,) the policy of the last ask: the learner's answer. Uniform before the first."""
        return read_only(self._last)

    @property
    def counts(self) -> np.ndarray:
        """(N, K) whole numbers n_ik: the rewards each agent that ever joined has told for each arm."""
        return read_only(self._tally.counts.T)

    @property
    def sums(self) -> np.ndarray:
        """(N, K) the sums of the rewards told."""
        return read_only(self._tally.sums.T.copy())

    @property
    def pulls(self) -> np.ndarray:
        """(K,) how often each arm was asked for."""
        return np.array(self._asked)


def read_only(array: np.ndarray) -> np.ndarray:
    """A view of `array` that cannot be written to."""
    array = array.view()
    array.setflags(write=False)
    return array
