"""Whose voice goes where: one row for each agent, those in doubt by their own exploration, the others by a fair policy.

`OwnVoices` keeps the sum of these rows from round to round; here all of them are computed at once, for those who want
to see them and for rounds in which some arm is not available.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isegoria.solvers.nash.decision_shares import procedural_policy


@dataclass(frozen=True)
class Doubts:
    """What the n agents present hold possible: `sets` (n, K), their `leaders` (n,), who is in `doubt` (n,), and their
    `weights` (n,)."""

    sets: np.ndarray
    leaders: np.ndarray
    doubt: np.ndarray
    weights: np.ndarray

    @property
    def resolved_policy(self) -> np.ndarray:
        """(K,) the procedural policy of the resolved agents alone; nothing if there are none."""
        if self.doubt.all():
            return np.zeros(self.sets.shape[1])
        return np.array(procedural_policy(self.sets[~self.doubt], self.weights[~self.doubt])[0])


@dataclass(frozen=True)
class Voicing:
    """How voices are spent: `explore` by those in doubt, `trickle` by the resolved on what they have dropped, `lend` by
    everyone to those in doubt."""

    explore: float
    lend: float
    trickle: float

    def rows(self, group: Doubts, fair: np.ndarray, arms: np.ndarray) -> np.ndarray:
        """(n, K) the voices, whose sum is the policy over the available `arms`; `fair` is that of the resolved."""
        sets, doubt = group.sets, group.doubt
        sizes = sets.sum(axis=1)
        others = np.where(sizes > 1, self.explore / np.maximum(sizes - 1, 1), 0.0)
        rows = sets * others[:, None]
        rows[np.arange(len(rows)), group.leaders] = np.where(sizes > 1, 1.0 - self.explore, 1.0)
        held = sets[~doubt] * fair
        rows[~doubt] = held / held.sum(axis=1, keepdims=True)
        if self.trickle > 0:
            outside = np.zeros_like(sets)
            outside[:, arms] = ~sets[:, arms]
            pays = ~doubt & outside.any(axis=1)
            rows[pays] *= 1.0 - self.trickle
            rows[pays] += self.trickle * outside[pays] / outside[pays].sum(axis=1, keepdims=True)
        shares = group.weights / group.weights.sum()
        if self.lend > 0 and doubt.any():
            shares = (1.0 - self.lend) * shares + self.lend * group.weights * doubt / group.weights[doubt].sum()
        return np.asarray(rows * shares[:, None])

    def policy(self, group: Doubts, arms: np.ndarray) -> np.ndarray:
        """(K,) the sum of the voices, added in an order that knows no order of the agents."""
        rows = self.rows(group, group.resolved_policy, arms)
        return np.array(np.sort(rows, axis=0).sum(axis=0))
