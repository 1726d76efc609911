"""Random dictatorship: an agent is drawn, and decides alone. Everyone has an equal chance, so equal voice holds."""

from __future__ import annotations

import numpy as np

from isegoria.arguments import checked_instance
from isegoria.instance import Instance
from isegoria.rules.inputs import support
from isegoria.rules.solution import Solution, settled


def policy(instance: Instance) -> Solution:
    """Each agent's voice w_i/W, even over its favourites."""
    wants = support(instance)
    spent = wants.spent(np.ones(len(wants.arm), dtype=bool))
    return settled(spent / instance.total_weight, "random-dictatorship", "closed form")


def random_dictatorship(instance: Instance) -> np.ndarray:
    """(K,) the policy of drawing one of the W agents and playing a favourite of its own, each equally likely; the same
    as `solve(instance, "random-dictatorship").policy`.

    It is procedurally fair (every agent's 1/W goes to its favourites), but not the policy that `solve` finds: where
    agents have several favourites, drawing one at random may miss an arm that many of them share.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 1, 0], [0, 1, 1]])  # both like the middle arm
    >>> iso.random_dictatorship(instance).tolist(), iso.solve(instance).policy.tolist()
    ([0.25, 0.5, 0.25], [0.0, 1.0, 0.0])
    >>> iso.score(instance, iso.random_dictatorship(instance)).procedural
    1.0
    """
    return policy(checked_instance(instance, "random_dictatorship")).policy
