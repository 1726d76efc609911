"""The rules that a comparison is asked for: by name, by a name that stands for several, or as they are."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

from isegoria.errors import InputError, IsegoriaWarning
from isegoria.rules import GROUPS, OBJECTIVES, RULES, Objective, Rule, solve


class ComparedRule(NamedTuple):
    """A rule of a comparison; `guarded` if nobody asked for it by name, so that it must not break the others."""

    row: Rule
    guarded: bool = False


def contenders(rules: Any, objectives: Iterable[Objective]) -> dict[str, ComparedRule]:
    """The rules to compare by id, each once."""
    found: dict[str, ComparedRule] = {}
    if rules is None:
        found |= {id: ComparedRule(row, guarded=bool(RULES.origin(id))) for id, row in OBJECTIVES.items()}
    for each in [rules] if isinstance(rules, str | Rule) else rules or ():
        found |= {id: row for id, row in _named(each).items() if id not in found}
    for row in objectives:
        if not isinstance(row, Objective):
            raise InputError(f"objectives has {row!r}; expected an iso.Objective, with evaluate and optimise.")
        if row.id in found:
            raise InputError(f"there is an objective '{row.id}' already; give yours an id of its own.")
        found[row.id] = ComparedRule(row)
    return found


def _named(name: Any) -> dict[str, ComparedRule]:
    """The rules behind one name, which may be that of a group; or a rule itself."""
    if isinstance(name, Rule):
        return {name.id: ComparedRule(name)}
    if name == "all":
        return {id: ComparedRule(row, True) for id, row in _loaded().items()}
    found = {id: ComparedRule(RULES[id]) for id in GROUPS.get(name, ())}
    if name == "baselines":
        found[HELD.id] = ComparedRule(HELD)
    return found or {RULES[name].id: ComparedRule(RULES[name])}


def _loaded() -> dict[str, Rule]:
    """Every row of the table that can be loaded at all."""
    found = {}
    for id in RULES:
        try:
            found[id] = RULES[id]
        except InputError as error:
            warnings.warn(str(error), IsegoriaWarning, stacklevel=5)
    return found


HELD = Objective(
    "utilitarian-within-procedural",
    "UT|PF",
    "the largest total utility among the procedurally fair policies",
    evaluate=lambda instance, policy: RULES["utilitarian"].evaluate(instance, policy),  # type: ignore[attr-defined]
    optimise=lambda instance, tie_break, within: solve(instance, "utilitarian", tie_break, "procedural"),
)
"""A baseline that is no rule of its own: the best that equal voice leaves of the total."""
