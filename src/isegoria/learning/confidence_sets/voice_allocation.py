"""How the agents spend their voices: one row per agent. Agents in doubt explore; the others follow a fair policy.

`OwnVoices` updates the sum of these rows from round to round. This module computes all rows at once, for display and
for rounds in which some arm is not available.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isegoria.learning.confidence_sets.set_rules import SET_RULES, SetRule


@dataclass(frozen=True)
class DoubtState:
    """The candidates of the n agents present.

    `sets` (n, K) are the candidate sets, `leaders` (n,) the leaders, `doubt` (n,) says who is in doubt, and `weights`
    (n,) are the weights. The resolved agents follow `rule`.
    """

    sets: np.ndarray
    leaders: np.ndarray
    doubt: np.ndarray
    weights: np.ndarray
    rule: SetRule = SET_RULES["procedural"]

    @property
    def resolved_policy(self) -> np.ndarray:
        """(K,) The policy of the resolved agents alone, by their rule; zero if there are none."""
        if self.doubt.all():
            return np.zeros(self.sets.shape[1])
        return self.rule.policy(self.sets[~self.doubt], self.weights[~self.doubt])


@dataclass(frozen=True)
class VoiceAllocation:
    """How voices are spent.

    `explore` is the share that agents in doubt spend on exploration, `trickle` the share that resolved agents spend on
    arms they have dropped, and `lend` the share that everyone gives to agents in doubt.
    """

    explore: float
    lend: float
    trickle: float

    def rows(self, group: DoubtState, fair: np.ndarray, arms: np.ndarray) -> np.ndarray:
        """Return the voices (n, K), which sum to the policy over the available `arms`.

        `fair` is the policy of the resolved agents.
        """
        sets, doubt = group.sets, group.doubt
        sizes = sets.sum(axis=1)
        others = np.where(sizes > 1, self.explore / np.maximum(sizes - 1, 1), 0.0)
        rows = sets * others[:, None]
        rows[np.arange(len(rows)), group.leaders] = np.where(sizes > 1, 1.0 - self.explore, 1.0)
        if not doubt.all():
            rows[~doubt] = group.rule.rows(sets[~doubt], group.weights[~doubt], fair)
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

    def policy(self, group: DoubtState, arms: np.ndarray) -> np.ndarray:
        """Return the sum (K,) of the voices, added in an order that does not depend on the order of the agents."""
        rows = self.rows(group, group.resolved_policy, arms)
        return np.array(np.sort(rows, axis=0).sum(axis=0))
