"""Sequential utilitarian: voices join the most supported arms; those that are not served yet weigh more and more.

In the end every arm that is played has the same weighted support M, and none has more: the policy maximises the total
of decision shares weighted by λ ≥ 1, which proves that no other gives everybody as much and somebody more.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from isegoria.instance import Instance
from isegoria.rules.inputs import Support, support
from isegoria.rules.solution import Solution, settled

NEAR = 1e-9  # arms whose turn comes this near to the next one's are told apart in exact fractions


def policy(instance: Instance) -> Solution:
    """λ = 1, M = the most supporters of an arm, X the arms that have them. Those who have a favourite in X spend their
    voices evenly over F_i ∩ X and keep their λ; for the others λ rises until some arm reaches M, which joins; again.

    That arms which reach M together are served together, and a voice is spread evenly over them, is our choice where
    the sources leave it open.

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "bc", "bd", "acd"]), "sut").policy.round(4).tolist()
    [0.3333, 0.25, 0.2083, 0.2083]
    """
    policy, _ = served(support(instance))
    return settled(policy / instance.total_weight, "sequential-utilitarian", "closed form")


def served(wants: Support) -> tuple[np.ndarray, list[Fraction]]:
    """((K,) what the arms get, in voices; the λ of each favourite type)."""
    most = int(wants.supporters().max())
    waiting = np.ones(len(wants.weights), dtype=bool)
    policy, scale = np.zeros(wants.arms), [Fraction(1)] * len(wants.weights)
    turns: list[tuple[Fraction, np.ndarray]] = []  # λ, and how many supporters of each arm were served at it
    while waiting.any():
        unserved = wants.supporters(waiting)
        level, chosen = _next(turns, unserved, most)
        now = waiting & wants.meets(chosen)
        policy += wants.spent(chosen[wants.arm] & now[wants.owner])
        for t in np.flatnonzero(now).tolist():
            scale[t] = level
        turns.append((level, wants.supporters(now)))
        waiting &= ~now
    return policy, scale


def _next(turns: list[tuple[Fraction, np.ndarray]], unserved: np.ndarray, most: int) -> tuple[Fraction, np.ndarray]:
    """(λ, the arms (K,) that reach M at it): the first to do so as λ rises, ties told in exact fractions."""
    have = sum((float(level) * count for level, count in turns), np.zeros(len(unserved)))
    waited = unserved > 0
    reached = np.full(len(unserved), np.inf)
    reached[waited] = (most - have[waited]) / unserved[waited]
    near = np.flatnonzero(reached <= reached.min() * (1 + NEAR))
    exact = {
        k: (most - sum(level * int(count[k]) for level, count in turns)) / Fraction(int(unserved[k]))
        for k in near.tolist()
    }
    level = min(exact.values())
    chosen = np.zeros(len(unserved), dtype=bool)
    chosen[[k for k, at in exact.items() if at == level]] = True
    return level, chosen
