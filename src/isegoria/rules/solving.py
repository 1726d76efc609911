"""`solve`: the one door to every rule."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.errors import InputError, unknown
from isegoria.rules.objective import ModuleObjective, Objective
from isegoria.rules.registry import RULES, TIE_BREAKS, WITHIN
from isegoria.rules.rule import EVEN, ModuleRule, Rule
from isegoria.rules.solution import Solution

if TYPE_CHECKING:
    import numpy as np

    from isegoria.instance import Instance
    from isegoria.rules.names import RuleName, TieBreakName, WithinName


def solve(
    instance: Instance,
    rule: RuleName | Rule = "procedural",
    tie_break: TieBreakName | None = None,
    within: WithinName | None = None,
    **options: Any,
) -> Solution:
    """The `Solution` of `rule`, an id, label or alias of `RULES` or a `Rule` of one's own, on `instance`.

    `tie_break` chooses among several optima: "centre" (the one of least Euclidean norm), "vertex" (a corner of their
    set, lowest index first) or "utilitarian" (the one of largest total utility, then least norm); left out, it is the
    rule's own: centre, and utilitarian for "egalitarian". A rule that maximises nothing has no other.
    `within="procedural"` searches only the procedurally fair policies: equal voice first, then the best outcome.
    `options` are the rule's own: `gini_weights` of "gini" are W non-increasing numbers, or a function of the ranks
    1, 2, …, W; `samples` and `seed` of "random-priority" take the mean over orders drawn at random.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> iso.solve(instance, "egalitarian").policy.round(3).tolist()
    [0.5, 0.5]
    >>> iso.solve(instance, "utilitarian", within="procedural").policy.round(3).tolist()
    [0.667, 0.333]
    >>> iso.solve(instance, "CUT").proof
    'closed form'
    """
    checked_instance(instance, "solve")
    if options:
        rule, options = _given(rule, options)
    row = rule if isinstance(rule, Rule) else RULES[rule]
    if within is not None and within not in WITHIN:
        raise unknown("within", within, WITHIN)
    if options:
        options = checked_options(row, options)
    if type(row) is ModuleObjective:
        return row.optimise(instance, _tie_break(row, tie_break), within, **options)
    if type(row) is ModuleRule:
        return _settled(row, instance, tie_break, within, options)
    try:
        return _of_another(row, instance, tie_break, within, options)
    except Exception as error:
        if row is not rule and RULES.origin(row.id) and error.args and isinstance(error.args[0], str):
            error.args = (f"{row.id} ({RULES.origin(row.id)}): {error.args[0]}", *error.args[1:])
        raise


def _tie_break(row: Objective, tie_break: str | None) -> str:
    """The choice among optima that was asked for, or else the objective's own."""
    if tie_break is None:
        return row.tie_break
    if tie_break not in TIE_BREAKS:
        raise unknown("tie-break", tie_break, TIE_BREAKS)
    return tie_break


def _given(rule: str | Rule, options: dict[str, Any]) -> tuple[str | Rule, dict[str, Any]]:
    """The rule, by its older keyword `objective` too, and the options that were given at all."""
    if "objective" in options:
        rule = options.pop("objective")
    return rule, {name: value for name, value in options.items() if value is not None}


def checked_options(row: Rule, options: dict[str, Any]) -> dict[str, Any]:
    """The options as the rule wants them; an error with its own list for one that it does not take."""
    for name in options:
        if row.option(name) is None or name == "within":
            own = ", ".join(each.name for each in row.options if each.name != "within")
            takers = [each.id for each in RULES.shipped.values() if each.option(name)]
            ask = f", or ask for {', '.join(takers)}" if takers else ""
            raise InputError(
                f"the rule '{row.id}' takes no {name} (it takes {own or 'no options'}); leave it out{ask}."
            )
    return {each.name: each.checked(options[each.name]) for each in row.options if each.name in options}


def _settled(
    row: ModuleRule, instance: Instance, tie_break: str | None, within: str | None, options: dict[str, Any]
) -> Solution:
    """What a rule of ours that maximises nothing says."""
    found = row.policy(instance, **_nothing_else(row, tie_break, within, options))
    return found if within is None or found.within else _within(found, within)


def _nothing_else(row: Rule, tie_break: str | None, within: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a rule that maximises nothing, once it is clear that nothing else was asked of it."""
    if tie_break is not None and tie_break != row.tie_break:
        if tie_break not in TIE_BREAKS:
            raise unknown("tie-break", tie_break, TIE_BREAKS)
        how = "shares ties out evenly" if row.tie_break == EVEN else f"settles ties by {row.tie_break}"
        raise InputError(f"{row.id} {how}; leave tie_break out.")
    if within is not None and row.option("within"):
        return {**options, "within": within}
    if within is not None and not row.fair:
        raise InputError(f"{row.id} does not search within the fair policies; leave within out.")
    return options


def _within(found: Solution, within: str) -> Solution:
    """The same solution, of a rule that is always fair, which says so."""
    made = object.__new__(Solution)
    made.__dict__.update(found.__dict__, within=within)
    return made


def _of_another(
    row: Rule, instance: Instance, tie_break: str | None, within: str | None, options: dict[str, Any]
) -> Solution:
    """What a rule of another author found, with its policy checked; the gap of a bare policy is NaN: no proof."""
    if isinstance(row, Objective):
        choice = _tie_break(row, tie_break)
        found = row.policy(instance, choice, within, **options)
    else:
        choice = row.tie_break
        found = row.policy(instance, **_nothing_else(row, tie_break, within, options))
    given = found if isinstance(found, Solution) else Solution(found, row.id, None, math.nan, proof="none")
    try:
        policy = instance.check_policy(given.policy)
    except InputError as error:
        raise InputError(f"the rule '{row.id}' returned no policy: {error}") from error
    if within is not None and not _is_fair(instance, policy):
        raise InputError(f"the rule '{row.id}' does not keep within='{within}'; leave it out.")
    policy.setflags(write=False)
    value = given.value
    if isinstance(row, Objective) and value is None:
        value = row.evaluate(instance, policy, **options)
    value = math.nan if value is None else float(value)
    proof = "none" if isinstance(row, Objective) and math.isnan(given.gap) else given.proof
    known = float(given.gap), choice, float(given.tie_margin), within, proof, float(given.interval)
    return Solution(policy, row.id, value, *known)


def _is_fair(instance: Instance, policy: np.ndarray) -> bool:
    from isegoria.solvers.flow.dinic import procedural_score
    from isegoria.voice import flows

    return bool(procedural_score(*flows(instance), policy) >= 1 - tolerances.FAIR)
