"""Leximin: the largest least utility, then the largest second least, and so on."""

from __future__ import annotations

from isegoria import tolerances
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rows.views import dense
from isegoria.rules.inputs import fair_policies
from isegoria.rules.solution import Solution, certified
from isegoria.solvers.maximin.leximin import leximin

MOST_ENTRIES = 100_000_000
"""Agents times arms up to which a sparse table is spelled out: what memory has room for."""


def policy(instance: Instance, within: str | None = None) -> Solution:
    """The policy of the lexicographically largest sorted utilities; of several, which give everybody the same, the one
    of least norm. How many agents a row stands for does not change it.

    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "ab", "ab", "ac", "bc"])
    >>> sorted(group.utilities(iso.solve(group, "leximin").policy).round(6).tolist())
    [0.5, 0.5, 0.75, 0.75, 0.75]
    """
    kinds, arms = instance.types.rows.shape
    if instance.is_sparse and kinds * arms > MOST_ENTRIES:
        raise InputError(
            f"leximin looks at every agent and arm, and {kinds:,} kinds of agents with {arms:,} arms are too many; "
            "ask for egalitarian."
        )
    found, _ = leximin(dense(instance.types.rows), fair_policies(instance, within))
    nan = float("nan")
    return certified(
        Solution(found.policy, "leximin", nan, found.gap, "centre", found.margin, within, "stages"),
        tolerances.EGALITARIAN_GAP,
    )
