"""Maximal lottery: the policy against which no arm has a majority on average (Fishburn 1984)."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.rows.views import dense
from isegoria.rules.solution import Solution, certified
from isegoria.solvers.answer import Selection
from isegoria.solvers.maximin.welfare import Least
from isegoria.solvers.maximin.whole_game import whole_game

TOGETHER = 1 << 22
"""Agents times pairs of arms that are compared in one step."""


def policy(instance: Instance) -> Solution:
    """P with Σ_j p_j margin(j, k) ≥ 0 for every arm k, where margin(j, k) is how many more agents rate j above k than
    k above j; among several the one of least norm. The game is symmetric, so its value is 0; the gap is
    how far any arm beats the policy, in parts of all agents.

    >>> import isegoria as iso
    >>> cycle = iso.Instance([[1, 0.5, 0], [0, 1, 0.5], [0.5, 0, 1]])
    >>> iso.solve(cycle, "maximal-lottery").policy.round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    majority = margins(instance) / instance.total_weight
    game = (majority + 1) / 2  # from 0 to 1, as utilities are; its value is 1/2
    found = whole_game(Least(), np.ascontiguousarray(game.T), Selection("centre", np.zeros(len(game))))
    beaten = max(0.0, -float((found.policy @ majority).min()))
    solution = Solution(found.policy, "maximal-lottery", float("nan"), beaten, "centre", found.margin)
    return certified(solution, 2 * tolerances.EGALITARIAN_GAP)


def margins(instance: Instance) -> np.ndarray:
    """(K, K) how many more agents rate arm j above arm k than below; means within the tie tolerance are equal."""
    rows, weights = dense(instance.types.rows), instance.types.weights
    arms = rows.shape[1]
    total = np.zeros((arms, arms), dtype=np.int64)
    step = max(1, TOGETHER // arms**2)
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        differ = some[:, :, None] - some[:, None, :]
        sign = (differ > instance.tie_tolerance).astype(np.int64) - (differ < -instance.tie_tolerance)
        total += np.tensordot(weights[start : start + step], sign, axes=1)
    return total
