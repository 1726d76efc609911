"""The set of procedurally fair policies of a group: maximise over it, separate, project, and list its vertices.

It is the Minkowski sum of the simplices (w_i/W)·Δ(F_i), in which each agent's voice is spread over its own favourites.
It is also the base polytope of T ↦ w{i : F_i ∩ T ≠ ∅}/W. So a greedy algorithm maximises a linear function, and every
vertex belongs to an order of the arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from isegoria.analysis.attribution import NeglectedCoalition, attribute_valid_policy, neglected_in
from isegoria.errors import CertificationError, InputError
from isegoria.profiles import Profile
from isegoria.profiles.policies import PolicyLike
from isegoria.rules.inputs import SupportGraph, fair_polytope_within, flow_network, support_graph
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.flow.push_relabel import procedural_score
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.utils import tolerances
from isegoria.utils.arguments import require_profile
from isegoria.utils.arrays import count_labels
from isegoria.utils.caching import lazy_property
from isegoria.utils.notebook import NotebookView

MAX_VERTEX_ARMS = 7
"""Maximum number of arms for which the vertices are listed: 7 arms have 5,040 orders."""

PROJECTION_TOLERANCE = 1e-12
"""Maximum violation of the variational inequality that characterises the nearest point."""


@dataclass(frozen=True, eq=False, repr=False)
class FairSet(NotebookView):
    """The set of procedurally fair policies of `instance`: those with a procedural score of 1.

    Under such a policy every voice is heard in full.

    Examples
    --------
    >>> import isegoria as iso
    >>> fair = iso.FairSet(iso.Instance.from_approvals(["a", "ab", "bc"]))
    >>> fair.bounds().round(3).tolist()
    [[0.333, 0.667], [0.0, 0.667], [0.0, 0.333]]
    >>> fair.contains([0.5, 0.5, 0]), fair.contains([1, 0, 0])
    (True, False)
    """

    instance: Profile = field(repr=False)

    def __repr__(self) -> str:
        return f"FairSet({self.instance!r})"

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the least and the largest chance of each arm."""
        bounds = self.bounds().tolist()
        return [
            {"arm": arm, "least": low, "most": high}
            for arm, (low, high) in zip(self.instance.arms, bounds, strict=True)
        ]

    def __post_init__(self) -> None:
        require_profile(self.instance, "FairSet")

    @lazy_property
    def _support(self) -> SupportGraph:
        return support_graph(self.instance)

    @lazy_property
    def _fair(self) -> FairPolytope:
        found = fair_polytope_within(self.instance, "fair")
        assert found is not None
        return found

    def maximise(self, worth: Sequence[float] | np.ndarray) -> tuple[np.ndarray, float]:
        """Maximise worth·p over the fair policies, exactly, and return (policy, value).

        Each voice goes to its favourites of largest `worth` (K,), evenly where there are several.

        Examples
        --------
        >>> import isegoria as iso
        >>> policy, value = iso.FairSet(iso.Instance.from_approvals(["a", "ab", "bc"])).maximise([1, 2, 0])
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
        """Return whether a policy is fair, up to the package's one tolerance of fairness."""
        checked = self.instance.validate_policy(policy)
        return bool(procedural_score(*flow_network(self.instance), checked) >= 1 - tolerances.FAIRNESS_GAP)

    def violated_coalition(self, policy: PolicyLike) -> NeglectedCoalition | None:
        """Return the coalition that is owed the most under a policy; None if the policy is fair.

        Every fair policy plays the coalition's arms more often.
        """
        checked = self.instance.validate_policy(policy)
        return None if self.contains(checked) else neglected_in(attribute_valid_policy(self.instance, checked), checked)

    def bounds(self) -> np.ndarray:
        """Return the minimum and maximum probability (K, 2) of each arm in a fair policy.

        The minimum is the share of the voices that want only this arm; the maximum is that of all voices that want it.
        """
        wants = self._support
        alone = count_labels(wants.owner, minlength=len(wants.weights)) == 1
        ends = np.column_stack([wants.supporters(alone), wants.supporters()]) / self.instance.total_weight
        ends.setflags(write=False)
        return np.asarray(ends)

    def project(self, point: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the fair policy (K,) nearest to `point` (K,) in Euclidean distance.

        It is certified to 1e-12 by the variational inequality that only it satisfies: `(point − p)·(q − p) ≤ 0` for
        every fair q. For large points the tolerance grows with the largest absolute coordinate.

        Raises
        ------
        CertificationError
            If the projection cannot be certified to that tolerance.
        InputError
            If `point` is not K finite numbers.
        """
        target = self._point(point)
        found = Projection(len(target), separate=self._fair.separate).nearest(target)
        policy = simplex_point(found)
        away = target - policy
        missed = self._fair.support(away) - float(away @ policy)
        if missed > PROJECTION_TOLERANCE * max(1.0, float(np.abs(target).max())):
            raise CertificationError(f"the nearest fair policy could be proved only to {missed:.3g}.")
        policy.setflags(write=False)
        return policy

    def vertices(self) -> np.ndarray:
        """Return the vertices (V, K), sorted, for up to 7 arms; each is greedy for an order of the arms.

        Raises
        ------
        InputError
            If there are more than 7 arms.
        """
        arms = len(self.instance.arms)
        if arms > MAX_VERTEX_ARMS:
            raise InputError(
                f"corners are listed for up to {MAX_VERTEX_ARMS} arms, and there are {arms}; ask maximise for one."
            )
        rows, weights, total = self._fair.rows, self.instance.favourite_types.weights, self.instance.total_weight
        found = set()
        for order in permutations(range(arms)):
            first = rows[:, order].argmax(axis=1)
            found.add(tuple(count_labels(np.array(order)[first], weights, minlength=arms).tolist()))
        corners = np.array(sorted(found)) / total
        corners.setflags(write=False)
        return corners

    def _point(self, values: Any) -> np.ndarray:
        """Return `values` as K finite numbers; raise InputError otherwise."""
        point = np.asarray(values, dtype=float)
        arms = len(self.instance.arms)
        if point.shape != (arms,) or not np.isfinite(point).all():
            raise InputError(f"expected {arms} finite numbers, one for each arm, not {values!r}.")
        return point
