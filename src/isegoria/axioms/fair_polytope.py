"""The procedurally fair policies of a group, as a set to ask: maximise over it, cut off, project, list its corners.

It is the sum of the simplices (w_i/W)·Δ(F_i): every voice is laid on favourites of its own; and the base polytope of
T ↦ w{i : F_i ∩ T ≠ ∅}/W, so that a linear function is maximised greedily, and every corner is that of an order of arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.errors import CertificationError, InputError
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.lazy import computed_once
from isegoria.rows.simplex import simplex_point
from isegoria.rules.inputs import Support, fair_policies, support
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.flow.dinic import procedural_score
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.voice import Neglected, attributed, flows, neglected_by

MOST_ARMS = 7
"""Arms up to which corners are listed: there are 5,040 orders of 7."""

PROJECTED = 1e-12
"""How far a projection may be from the nearest point, by the inequality that says which point that is."""


@dataclass(frozen=True, eq=False)
class FairSet:
    """The procedurally fair policies of `instance`: those of a procedural score of 1, all voices heard in full.

    >>> import isegoria as iso
    >>> fair = iso.fair_set(iso.Instance.from_approvals(["a", "ab", "bc"]))
    >>> fair.bounds().round(3).tolist()
    [[0.333, 0.667], [0.0, 0.667], [0.0, 0.333]]
    >>> fair.contains([0.5, 0.5, 0]), fair.contains([1, 0, 0])
    (True, False)
    """

    instance: Instance = field(repr=False)

    @computed_once
    def _support(self) -> Support:
        return support(self.instance)

    @computed_once
    def _fair(self) -> Fair:
        found = fair_policies(self.instance, "procedural")
        assert found is not None
        return found

    def maximise(self, worth: Sequence[float] | np.ndarray) -> tuple[np.ndarray, float]:
        """(policy, value): a fair policy of the largest worth·p, exactly: each voice on its favourites of largest
        worth, evenly where several are.

        >>> import isegoria as iso
        >>> policy, value = iso.fair_set(iso.Instance.from_approvals(["a", "ab", "bc"])).maximise([1, 2, 0])
        >>> policy.round(3).tolist(), round(value, 3)
        ([0.333, 0.667, 0.0], 1.667)
        """
        slope = self._point(worth)
        wants = self._support
        best = wants.largest(slope)
        policy = simplex_point(wants.spent(slope[wants.arm] == best[wants.owner]) / self.instance.total_weight)
        policy.setflags(write=False)
        return policy, float(wants.weights @ best) / self.instance.total_weight

    def contains(self, policy: PolicyLike) -> bool:
        """Whether a policy is fair, up to the package's one tolerance of fairness."""
        checked = self.instance.check_policy(policy)
        return bool(procedural_score(*flows(self.instance), checked) >= 1 - tolerances.FAIR)

    def cut(self, policy: PolicyLike) -> Neglected | None:
        """The coalition that a policy owes most, whose arms every fair policy plays more; None if it is fair."""
        checked = self.instance.check_policy(policy)
        return None if self.contains(checked) else neglected_by(attributed(self.instance, checked), checked)

    def bounds(self) -> np.ndarray:
        """(K, 2) the least and the largest probability of each arm in a fair policy: the voices that want it alone, and
        those that want it at all."""
        wants = self._support
        alone = np.bincount(wants.owner, minlength=len(wants.weights)) == 1
        ends = np.column_stack([wants.supporters(alone), wants.supporters()]) / self.instance.total_weight
        ends.setflags(write=False)
        return np.asarray(ends)

    def project(self, point: Sequence[float] | np.ndarray) -> np.ndarray:
        """(K,) the fair policy nearest to any point, in the sum of squares; proved to 1e-12 by the inequality that it
        alone satisfies, (point − p)·(q − p) ≤ 0 for every fair q."""
        target = self._point(point)
        found = Projection(len(target), separate=self._fair.separate).nearest(target)
        policy = simplex_point(found)
        away = target - policy
        missed = self._fair.support(away) - float(away @ policy)
        if missed > PROJECTED * max(1.0, float(np.abs(target).max())):
            raise CertificationError(f"the nearest fair policy could be proved only to {missed:.3g}.")
        policy.setflags(write=False)
        return policy

    def vertices(self) -> np.ndarray:
        """(V, K) the corners, sorted; for up to 7 arms. Each is greedy for an order of the arms."""
        arms = len(self.instance.arms)
        if arms > MOST_ARMS:
            raise InputError(
                f"corners are listed for up to {MOST_ARMS} arms, and there are {arms}; ask maximise for one."
            )
        rows, weights, total = self._fair.rows, self.instance.favourite_types.weights, self.instance.total_weight
        found = set()
        for order in permutations(range(arms)):
            first = rows[:, order].argmax(axis=1)
            found.add(tuple(np.bincount(np.array(order)[first], weights, minlength=arms).tolist()))
        corners = np.array(sorted(found)) / total
        corners.setflags(write=False)
        return corners

    def _point(self, values: Any) -> np.ndarray:
        """(K,) finite numbers, one for each arm."""
        point = np.asarray(values, dtype=float)
        arms = len(self.instance.arms)
        if point.shape != (arms,) or not np.isfinite(point).all():
            raise InputError(f"expected {arms} finite numbers, one for each arm, not {values!r}.")
        return point


def fair_set(instance: Instance) -> FairSet:
    """The procedurally fair policies of `instance` as a set: `maximise`, `contains`, `cut`, `bounds`, `project` and
    `vertices`.

    >>> import isegoria as iso
    >>> iso.fair_set(iso.Instance([[1, 0], [1, 0], [0, 1]])).vertices().round(3).tolist()
    [[0.667, 0.333]]
    """
    return FairSet(checked_instance(instance, "fair_set"))
