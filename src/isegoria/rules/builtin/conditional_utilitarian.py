"""Conditional utilitarian rule: each agent puts its share on those of its favourites that have most supporters."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Profile
from isegoria.rules.inputs import SupportGraph, support_graph
from isegoria.rules.solution import Solution, direct_solution


def compute_policy(instance: Profile) -> Solution:
    """Spread each share w_i/W evenly over the favourites of agent i with most supporters (Duddy 2015).

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "ab", "ac", "bd", "cd"]), "cut").policy.tolist()
    [0.6, 0.1, 0.1, 0.2]
    """
    spent = spend_on_most_supported(support_graph(instance))
    return direct_solution(spent / instance.total_weight, "conditional-utilitarian", "closed form")


def spend_on_most_supported(wants: SupportGraph) -> np.ndarray:
    """Return what each arm gets (K,), in units of agents, if all spend evenly on their arms with most supporters."""
    supporters = wants.supporters()
    most = wants.largest(supporters)
    return wants.spent(supporters[wants.arm] == most[wants.owner])
