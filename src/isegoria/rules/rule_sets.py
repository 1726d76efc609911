"""Rules of a comparison, resolved from names, group names or `Rule` objects."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from isegoria.errors import InputError, IsegoriaWarning
from isegoria.rules import RULE_GROUPS, RULES, Objective, Rule, get_objective, list_objectives, solve


class ComparedRule(NamedTuple):
    """Rule of a comparison; `guarded` if not asked for by name, so that its failure must not stop the others."""

    row: Rule
    guarded: bool = False


def resolve_rules(rules: Any) -> dict[str, ComparedRule]:
    """Collect the rules to compare by id, each once; by default the objectives."""
    if rules is None:
        return {id: ComparedRule(row, guarded=bool(RULES.origin(id))) for id, row in list_objectives().items()}
    compared: dict[str, ComparedRule] = {}
    for name in [rules] if isinstance(rules, str | Rule) else rules:
        for id, entry in _expand_name(name).items():
            if compared.setdefault(id, entry).row is not entry.row:
                raise InputError(f"there is a rule '{id}' already; give yours an id of its own.")
    return compared


def _expand_name(name: Any) -> dict[str, ComparedRule]:
    """Resolve one name, which may be that of a group, or a `Rule`, to rules by id."""
    if isinstance(name, Rule):
        return {name.id: ComparedRule(name)}
    if name == "all":
        return {id: ComparedRule(row, True) for id, row in _load_all().items()}
    found = {id: ComparedRule(RULES[id]) for id in RULE_GROUPS.get(name, ())}
    if name == "baselines":
        found[UTILITARIAN_WITHIN_FAIR.id] = ComparedRule(UTILITARIAN_WITHIN_FAIR)
    return found or {RULES[name].id: ComparedRule(RULES[name])}


def _load_all() -> dict[str, Rule]:
    """Return all rules of the registry that can be loaded; warn of the others."""
    found = {}
    for id in RULES:
        try:
            found[id] = RULES[id]
        except InputError as error:
            warnings.warn(str(error), IsegoriaWarning, stacklevel=6)
    return found


UTILITARIAN_WITHIN_FAIR = Objective(
    "utilitarian-within-fair",
    "UT|PF",
    "the largest total utility among the procedurally fair policies",
    evaluate=lambda instance, policy: get_objective("utilitarian").evaluate(instance, policy),
    optimise=lambda instance, tie_break, within: solve(instance, "utilitarian", tie_break, "fair"),
)
"""A baseline that is not a registered rule: the maximum total utility under equal voice."""
