"""Sequential utilitarian rule: shares go to the most supported arms; agents not yet served get larger weights.

At the end every arm that is played has the same weighted support M, and none has more. The policy maximises the total
of decision shares weighted by λ ≥ 1, which proves that it is efficient: no other gives every agent as much and some
agent more.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from isegoria.profiles import Profile
from isegoria.rules.inputs import SupportGraph, support_graph
from isegoria.rules.solution import Solution, direct_solution

EXACT_COMPARISON_MARGIN = 1e-9  # arms whose turns are this close are compared in exact fractions


def compute_policy(instance: Profile) -> Solution:
    """Serve the most supported arms first, and raise the weight λ of agents not yet served until more arms reach M.

    Start with λ = 1, M = the maximum number of supporters of an arm, and X the arms that have it. Agents with a
    favourite in X spend their shares evenly over F_i ∩ X and keep their λ. For the others λ rises until some arm
    reaches M and joins X; repeat.

    Serving arms that reach M together at once, and spreading a share evenly over them, is our choice where the sources
    leave it open.

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "bc", "bd", "acd"]), "sut").policy.round(4).tolist()
    [0.3333, 0.25, 0.2083, 0.2083]
    """
    policy, _ = serve_types(support_graph(instance))
    return direct_solution(policy / instance.total_weight, "sequential-utilitarian", "closed form")


def serve_types(wants: SupportGraph) -> tuple[np.ndarray, list[Fraction]]:
    """Return ((K,) what the arms get, in units of agents; the λ of each favourite type)."""
    most = int(wants.supporters().max())
    waiting = np.ones(len(wants.weights), dtype=bool)
    policy, scale = np.zeros(wants.arms), [Fraction(1)] * len(wants.weights)
    turns: list[tuple[Fraction, np.ndarray]] = []  # λ, and how many supporters of each arm were served at it
    while waiting.any():
        unserved = wants.supporters(waiting)
        level, chosen = _next_stage(turns, unserved, most)
        now = waiting & wants.meets(chosen)
        policy += wants.spent(chosen[wants.arm] & now[wants.owner])
        for t in np.flatnonzero(now).tolist():
            scale[t] = level
        turns.append((level, wants.supporters(now)))
        waiting &= ~now
    return policy, scale


def _next_stage(
    turns: list[tuple[Fraction, np.ndarray]], unserved: np.ndarray, most: int
) -> tuple[Fraction, np.ndarray]:
    """Return (λ, the arms (K,) that reach M first as λ rises); ties are decided in exact fractions."""
    have = sum((float(level) * count for level, count in turns), np.zeros(len(unserved)))
    waited = unserved > 0
    reached = np.full(len(unserved), np.inf)
    reached[waited] = (most - have[waited]) / unserved[waited]
    near = np.flatnonzero(reached <= reached.min() * (1 + EXACT_COMPARISON_MARGIN))
    exact = {
        k: (most - sum(level * int(count[k]) for level, count in turns)) / Fraction(int(unserved[k]))
        for k in near.tolist()
    }
    level = min(exact.values())
    chosen = np.zeros(len(unserved), dtype=bool)
    chosen[[k for k, at in exact.items() if at == level]] = True
    return level, chosen
