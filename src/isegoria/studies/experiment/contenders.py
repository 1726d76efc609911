"""What a study compares: rules or learners, by name with settings, or as objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from isegoria.errors import InputError, unknown
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.registry import LEARNERS
from isegoria.learning.runs.variants import distinct, name_of, parsed, settings_in
from isegoria.rules import RULES, Rule

RULE_SETTINGS = ("tie_break", "within", "gini_weights", "samples", "seed")
"""The options of `solve` that a rule's name may carry."""


@dataclass(frozen=True, eq=False)
class Contender:
    """A rule or learner with its settings: `name` tells it from the others, `id` is that of the table, and `made` is
    the object, where one was given instead of a name."""

    name: str
    id: str
    settings: Mapping[str, Any]
    made: Rule | Learner | None = field(default=None, repr=False)

    @property
    def digest(self) -> str:
        """What tells it from others; an object of one's own is known by its name and class only."""
        return (
            self.name
            if self.made is None
            else f"{self.name} {type(self.made).__module__}.{type(self.made).__qualname__}"
        )


def rules_of(given: Any, settings: Mapping[str, Any] | None = None) -> tuple[Contender, ...]:
    """The rules that are asked for, with every combination of the `settings` that they take.

    >>> [one.name for one in rules_of(["nash", "EG:tie_break=vertex"], {"tie_break": ["centre", "vertex"]})]
    ['nash:tie_break=centre', 'nash:tie_break=vertex', 'egalitarian:tie_break=vertex']
    """
    found: list[Contender] = []
    for each in _listed(given, "rules"):
        if isinstance(each, Rule):
            found.append(Contender(each.id, each.id, {}, each))
            continue
        id, _, text = str(each).partition(":")
        row = RULES[id.strip()]
        own = settings_in(str(each), text, _taken(row), f"{row.id}:tie_break=vertex")
        found += [Contender(_named(row.id, more), row.id, more) for more in _crossed(own, settings, _taken(row))]
    return _numbered(found)


def learners_of(given: Any, settings: Mapping[str, Any] | None = None) -> tuple[Contender, ...]:
    """The learners that are asked for, with every combination of the `settings` that they have.

    >>> [one.name for one in learners_of(["procedural", "uniform"], {"gamma": [0.5, 0.9]})]
    ['procedural:gamma=0.5', 'procedural:gamma=0.9', 'uniform']
    """
    found: list[Contender] = []
    for each in _listed(given, "learners"):
        if isinstance(each, Learner):
            found.append(Contender(name_of(each), each.id, {key: getattr(each, key) for key in each.settings}, each))
            continue
        id, own = parsed(str(each))
        known = LEARNERS[id].settings
        found += [Contender(_named(id, more), id, more) for more in _crossed(own, settings, known)]
    return _numbered(found)


def check_settings(settings: Mapping[str, Any], contenders: Iterable[Contender], learners: bool) -> None:
    """Refuse a setting that none of them takes."""
    named = [one.id for one in contenders if one.made is None]
    known = {key for id in named for key in (LEARNERS[id].settings if learners else _taken(RULES[id]))}
    for key in settings:
        if key not in known:
            raise unknown("setting", key, sorted(known) or ["none of these rules or learners has any"])


def _taken(row: Rule) -> tuple[str, ...]:
    own = tuple(option.name for option in row.options)
    return tuple(name for name in RULE_SETTINGS if name in ("tie_break", "within") or name in own)


def _listed(given: Any, what: str) -> list[Any]:
    if isinstance(given, str | Rule | Learner):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{what} is {given!r}; give names, such as ['procedural', 'nash'].")
    found = list(given)
    if not found:
        raise InputError(f"{what} is empty; name one at least.")
    return found


def _crossed(own: dict[str, Any], settings: Mapping[str, Any] | None, known: Iterable[str]) -> list[dict[str, Any]]:
    """Every combination of the settings that it takes and does not name itself."""
    free = {key: value if isinstance(value, list | tuple) else [value] for key, value in (settings or {}).items()
            if key in known and key not in own}  # fmt: skip
    return [own | dict(zip(free, values, strict=True)) for values in product(*free.values())]


def _named(id: str, settings: Mapping[str, Any]) -> str:
    from isegoria.learning.runs.variants import setting_text

    return ":".join(filter(None, [id, ";".join(f"{key}={setting_text(value)}" for key, value in settings.items())]))


def _numbered(found: list[Contender]) -> tuple[Contender, ...]:
    names = distinct(one.name for one in found)
    return tuple(Contender(name, one.id, one.settings, one.made) for name, one in zip(names, found, strict=True))
