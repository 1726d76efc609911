"""Maximum payment: the arms with most unspent supporters take all their shares, until every share is spent."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Profile
from isegoria.rules.inputs import support_graph
from isegoria.rules.solution import Solution, direct_solution


def compute_policy(instance: Profile) -> Solution:
    """Repeatedly choose the arms X with most unspent supporters, who spend their shares evenly over F_i ∩ X.

    Supporters are counted as integers, so ties are exact. Serving tied arms together, and spreading a share evenly over
    them, is our choice where the sources leave it open.

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "a", "ab", "bc"]), "mp").policy.tolist()
    [0.75, 0.125, 0.125]
    """
    wants = support_graph(instance)
    unspent = np.ones(len(wants.weights), dtype=bool)
    policy = np.zeros(wants.arms)
    while unspent.any():
        supporters = wants.supporters(unspent)
        chosen = supporters == supporters.max()
        policy += wants.spent(chosen[wants.arm] & unspent[wants.owner])
        unspent &= ~wants.meets(chosen)
    return direct_solution(policy / instance.total_weight, "maximum-payment", "closed form")
