"""Random dictatorship: one agent is drawn at random and decides alone, so every agent has an equal voice."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Profile
from isegoria.rules.inputs import support_graph
from isegoria.rules.solution import Solution, direct_solution


def compute_policy(instance: Profile) -> Solution:
    """Spread each agent's share w_i/W evenly over its favourites.

    It is procedurally fair, as every agent's 1/W goes to its favourites, but it is not the policy of "procedural":
    where agents have several favourites, drawing one at random may miss an arm that many of them share.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 1, 0], [0, 1, 1]])  # both like the middle arm
    >>> iso.solve(instance, "random-dictatorship").policy.tolist(), iso.solve(instance).policy.tolist()
    ([0.25, 0.5, 0.25], [0.0, 1.0, 0.0])
    """
    wants = support_graph(instance)
    spent = wants.spent(np.ones(len(wants.arm), dtype=bool))
    return direct_solution(spent / instance.total_weight, "random-dictatorship", "closed form")
