"""`solve`: the one door to every objective."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isegoria.errors import InputError, unknown
from isegoria.given import checked_instance
from isegoria.objectives.registry import OBJECTIVES, TIE_BREAKS, WITHIN

if TYPE_CHECKING:
    from isegoria.instance import Instance
    from isegoria.objectives.solution import Solution


def solve(
    instance: Instance,
    objective: str = "procedural",
    tie_break: str = "centre",
    within: str | None = None,
    gini_weights=None,
) -> Solution:
    """The certified `Solution` of `objective` on `instance`.

    `tie_break` chooses among several optima: "centre" (the one of least Euclidean norm), "vertex" (a corner of
    their set, lowest index first) or "utilitarian" (the one of largest total utility, then least norm).
    `within="procedural"` searches only the procedurally fair policies: equal voice first, then the best outcome.
    `gini_weights` (for "gini" alone) are W non-increasing numbers, or a function of the ranks 1, 2, …, W.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> iso.solve(instance, "egalitarian").policy.round(3).tolist()
    [0.5, 0.5]
    >>> iso.solve(instance, "utilitarian", within="procedural").policy.round(3).tolist()
    [0.667, 0.333]
    """
    checked_instance(instance, "solve")
    row = OBJECTIVES.get(objective) if isinstance(objective, str) else None
    if row is None:
        raise unknown("objective", objective, OBJECTIVES)
    if tie_break not in TIE_BREAKS:
        raise unknown("tie-break", tie_break, TIE_BREAKS)
    if within is not None and within not in WITHIN:
        raise unknown("within", within, WITHIN)
    if gini_weights is None:
        solution = row.optimise(instance, tie_break, within)
        if tie_break == TIE_BREAKS[0] and within is None:
            instance.kept[f"best {objective}"] = solution.value  # what scores are measured by
        return solution
    if "gini_weights" not in row.options:
        takers = ", ".join(row.id for row in OBJECTIVES.values() if "gini_weights" in row.options)
        raise InputError(f"objective '{objective}' takes no gini_weights; leave them out, or ask for {takers}.")
    return row.optimise(instance, tie_break, within, gini_weights=gini_weights)
