"""`solve`: the one door to every objective."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.errors import InputError, unknown
from isegoria.objectives.objective import ModuleObjective, Objective
from isegoria.objectives.registry import OBJECTIVES, TIE_BREAKS, WITHIN
from isegoria.objectives.solution import Solution, shared
from isegoria.solvers import sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from isegoria.instance import Instance


def solve(
    instance: Instance,
    objective: str | Objective = "procedural",
    tie_break: str = "centre",
    within: str | None = None,
    gini_weights: Sequence[float] | np.ndarray | Callable[[int], float] | None = None,
) -> Solution:
    """The certified `Solution` of `objective`, an id of `OBJECTIVES` or an `Objective` of one's own, on `instance`.

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
    row = objective if isinstance(objective, Objective) else OBJECTIVES[objective]
    if tie_break not in TIE_BREAKS:
        raise unknown("tie-break", tie_break, TIE_BREAKS)
    if within is not None and within not in WITHIN:
        raise unknown("within", within, WITHIN)
    if gini_weights is not None and "gini_weights" not in row.options:
        takers = ", ".join(row.id for row in OBJECTIVES.values() if "gini_weights" in row.options)
        raise InputError(f"objective '{row.id}' takes no gini_weights; leave them out, or ask for {takers}.")
    if type(row) is ModuleObjective:
        if (row.searches or within is not None) and len(instance.arms) > sizes.CLONED_ARMS:
            told = instance.distinct
            if told is not instance:
                return _of_kinds(row, instance, told, tie_break, within, gini_weights)
        if gini_weights is None:
            return row.optimise(instance, tie_break, within)
        return row.optimise(instance, tie_break, within, gini_weights=gini_weights)
    options = {} if gini_weights is None else {"gini_weights": gini_weights}
    return _of_another(row, instance, tie_break, within, options)


def _of_kinds(
    row: ModuleObjective, instance: Instance, told: Instance, tie_break: str, within: str | None, gini_weights: Any
) -> Solution:
    """The solution where equal arms were `told` once: one for all of them."""
    if row.id == "inequality" and within is None and len(instance.arms) > sizes.VARIANCE_ARMS:
        return row.optimise(instance, tie_break, within)  # a search over many arms, which merges equal ones by itself
    options = {} if gini_weights is None else {"gini_weights": gini_weights}
    return shared(row.optimise(told, tie_break, within, **options), instance)


def _of_another(
    row: Objective, instance: Instance, tie_break: str, within: str | None, options: dict[str, Any]
) -> Solution:
    """What an objective of another author found, with its policy checked; the gap of a bare policy is NaN: no proof."""
    found = row.optimise(instance, tie_break, within, **options)
    if isinstance(found, Solution):
        policy, value, gap, margin = found.policy, found.value, found.gap, found.tie_margin
    else:
        policy, value, gap, margin = found, None, math.nan, math.inf
    try:
        policy = instance.check_policy(policy)
    except InputError as error:
        raise InputError(f"the objective '{row.id}' returned no policy: {error}") from error
    if within is not None and not _is_fair(instance, policy):
        raise InputError(f"the objective '{row.id}' does not keep within='{within}'; leave it out.")
    policy.setflags(write=False)
    value = row.evaluate(instance, policy, **options) if value is None else value
    return Solution(policy, row.id, float(value), float(gap), tie_break, float(margin), within)


def _is_fair(instance: Instance, policy: np.ndarray) -> bool:
    from isegoria.solvers.flow.dinic import procedural_score
    from isegoria.voice import flows

    return procedural_score(*flows(instance), policy) >= 1 - tolerances.FAIR
