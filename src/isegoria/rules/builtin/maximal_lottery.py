"""Maximal lottery: a policy that no arm beats in expected majority (Fishburn 1984)."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Profile, require_instance
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers.maximin.matrix_game import solve_whole_game
from isegoria.solvers.maximin.welfare_functions import MinimumWelfare
from isegoria.solvers.result import Selection
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense

CHUNK_COMPARISONS = 1 << 22
"""Target number of agents times pairs of arms compared per chunk."""


def compute_policy(instance: Profile) -> Solution:
    """Find P with Σ_j p_j margin(j, k) ≥ 0 for every arm k, the one of minimum norm if there are several.

    margin(j, k) is how many more agents rate j above k than k above j. The game is symmetric, so its value is 0; the
    gap is how far any arm beats the policy, as a fraction of all agents.

    >>> import isegoria as iso
    >>> cycle = iso.Instance([[1, 0.5, 0], [0, 1, 0.5], [0.5, 0, 1]])
    >>> iso.solve(cycle, "maximal-lottery").policy.round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    majority = majority_margins(instance) / instance.total_weight
    game = (majority + 1) / 2  # scaled to [0, 1] like utilities; its value is 1/2
    found = solve_whole_game(MinimumWelfare(), np.ascontiguousarray(game.T), Selection("centre", np.zeros(len(game))))
    beaten = max(0.0, -float((found.policy @ majority).min()))
    solution = Solution(found.policy, "maximal-lottery", float("nan"), beaten, "centre", found.margin)
    return require_certificate(solution, 2 * tolerances.EGALITARIAN_GAP)


def majority_margins(instance: Profile) -> np.ndarray:
    """Return (K, K) how many more agents rate arm j above k than below; means within the tie tolerance are equal."""
    types = require_instance(instance).types
    rows, weights = to_dense(types.rows), types.weights
    arms = rows.shape[1]
    total = np.zeros((arms, arms), dtype=np.int64)
    step = max(1, CHUNK_COMPARISONS // arms**2)
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        differ = some[:, :, None] - some[:, None, :]
        sign = (differ > instance.tie_tolerance).astype(np.int64) - (differ < -instance.tie_tolerance)
        total += np.tensordot(weights[start : start + step], sign, axes=1)
    return total
