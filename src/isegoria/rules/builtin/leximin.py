"""Leximin: maximise the minimum utility, then the second smallest, and so on."""

from __future__ import annotations

from isegoria.errors import InputError
from isegoria.profiles import Profile, require_instance
from isegoria.rules.inputs import fair_polytope_within
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers.maximin.leximin_stages import solve_leximin
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense

MAX_DENSE_ENTRIES = 100_000_000
"""Maximum number of agents times arms up to which a sparse table is made dense; memory limits it."""


def compute_policy(instance: Profile, within: str | None = None) -> Solution:
    """Maximise the sorted utilities lexicographically; among such policies take the one of minimum norm.

    All of them give every agent the same. The number of agents that a row stands for does not change the result.

    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "ab", "ab", "ac", "bc"])
    >>> sorted(group.utilities(iso.solve(group, "leximin").policy).round(6).tolist())
    [0.5, 0.5, 0.75, 0.75, 0.75]
    """
    rows = require_instance(instance).types.rows
    kinds, arms = rows.shape
    if instance.is_sparse and kinds * arms > MAX_DENSE_ENTRIES:
        raise InputError(
            f"leximin looks at every agent and arm, and {kinds:,} kinds of agents with {arms:,} arms are too many; "
            "ask for egalitarian."
        )
    found, _ = solve_leximin(to_dense(rows), fair_polytope_within(instance, within))
    nan = float("nan")
    return require_certificate(
        Solution(found.policy, "leximin", nan, found.gap, "centre", found.margin, within, "stages"),
        tolerances.LEXIMIN_GAP,
    )
