"""What objectives ask of an instance before they solve: its agents, its fair policies, what the group wants most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isegoria.instance import Instance
from isegoria.solvers import sizes

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair


def agents(instance: Instance) -> tuple[np.ndarray, np.ndarray | None]:
    """(rows (m, K), weights (m,)): means, with equal agents merged where that pays, and how many agents each row stands
    for; None if each is one agent."""
    if instance.means.shape[0] <= sizes.MERGED_ABOVE:
        return instance.means, instance.given_weights
    return instance.types.rows, instance.types.weights


def direction(instance: Instance, tie_break: str, within: str | None) -> np.ndarray:
    """(K,) what a choice among optima should favour: the arms' mean utilities, or nothing when it is not asked."""
    if tie_break == "utilitarian" or within is not None:
        return instance.arm_means
    return np.zeros(instance.means.shape[1])


def fair_policies(instance: Instance, within: str | None) -> Fair | None:
    """The polytope of procedurally fair policies, or None when `within` is None and all policies are allowed."""
    if within is None:
        return None
    from isegoria.solvers.fair_set.polytope import Fair

    rows, weights, _ = instance.favourite_types
    rows = rows.toarray() if instance.is_sparse else rows
    return Fair(rows, weights / instance.total_weight)
