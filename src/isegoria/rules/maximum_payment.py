"""Maximum payment: the arms that most unspent voices support take all of them, until every voice is spent."""

from __future__ import annotations

import numpy as np

from isegoria.instance import Instance
from isegoria.rules.inputs import support
from isegoria.rules.solution import Solution, settled


def policy(instance: Instance) -> Solution:
    """Again and again, the arms X with most unspent supporters; each of those spends its voice evenly over F_i ∩ X.

    Supporters are counted in whole numbers, so a tie is a tie. That tied arms are served together, and a voice is
    spread evenly over them, is our choice where the sources leave it open.

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "a", "ab", "bc"]), "mp").policy.tolist()
    [0.75, 0.125, 0.125]
    """
    wants = support(instance)
    unspent = np.ones(len(wants.weights), dtype=bool)
    policy = np.zeros(wants.arms)
    while unspent.any():
        supporters = wants.supporters(unspent)
        chosen = supporters == supporters.max()
        policy += wants.spent(chosen[wants.arm] & unspent[wants.owner])
        unspent &= ~wants.meets(chosen)
    return settled(policy / instance.total_weight, "maximum-payment", "closed form")
