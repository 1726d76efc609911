"""Conditional utilitarian: every agent spends its own voice, and of its favourites on those that most others share."""

from __future__ import annotations

from isegoria.instance import Instance
from isegoria.rules.inputs import support
from isegoria.rules.solution import Solution, settled


def policy(instance: Instance) -> Solution:
    """Each voice w_i/W even over the favourites of i with most supporters (Duddy 2015).

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "ab", "ac", "bd", "cd"]), "cut").policy.tolist()
    [0.6, 0.1, 0.1, 0.2]
    """
    wants = support(instance)
    supporters = wants.supporters()
    most = wants.largest(supporters)
    spent = wants.spent(supporters[wants.arm] == most[wants.owner])
    return settled(spent / instance.total_weight, "conditional-utilitarian", "closed form")
