"""What a study compares: rules or learners, by name with settings, or as objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from isegoria.errors import InputError, unknown_name_error
from isegoria.learning.base.learner import Learner
from isegoria.learning.registry import LEARNERS
from isegoria.learning.simulation.learner_names import format_name, number_duplicates, parse_name, parse_settings
from isegoria.rules import RULES, Rule
from isegoria.utils.code_digest import digest_code

RULE_SETTINGS = ("tie_break", "within", "gini_weights", "samples", "seed")
"""The options of `solve` that may be part of a rule's name."""


@dataclass(frozen=True, eq=False)
class StudyMethod:
    """A rule or learner with its settings.

    `name` is unique within the study, `id` is the registry's id, and `made` is the object if one was given instead of a
    name.
    """

    name: str
    id: str
    settings: Mapping[str, Any]
    made: Rule | Learner | Callable[..., Learner] | None = field(default=None, repr=False)

    @property
    def digest(self) -> str:
        """A string that identifies the contender; a user's object, class or function by its code and state too."""
        return self.name if self.made is None else f"{self.name} {digest_code(self.made)}"


def parse_rules(given: Any, settings: Mapping[str, Any] | None = None) -> tuple[StudyMethod, ...]:
    """Return the requested rules, crossed with the `settings` that they accept.

    >>> [one.name for one in parse_rules(["nash", "EG:tie_break=vertex"], {"tie_break": ["centre", "vertex"]})]
    ['nash:tie_break=centre', 'nash:tie_break=vertex', 'egalitarian:tie_break=vertex']
    """
    found: list[StudyMethod] = []
    for each in _as_list(given, "rules"):
        if isinstance(each, type) and issubclass(each, Rule):
            each = each()
        if isinstance(each, Rule):
            found.append(StudyMethod(each.id, each.id, {}, each))
            continue
        id, _, text = str(each).partition(":")
        row = RULES[id.strip()]
        own = parse_settings(str(each), text, _rule_settings(row), f"{row.id}:tie_break=vertex")
        found += [
            StudyMethod(_format_method(row.id, more), row.id, more, row if RULES.origin(row.id) else None)
            for more in _cross_settings(own, settings, _rule_settings(row))
        ]
    return _number_duplicates(found)


def parse_learners(given: Any, settings: Mapping[str, Any] | None = None) -> tuple[StudyMethod, ...]:
    """Return the requested learners, crossed with the `settings` that they accept.

    >>> [one.name for one in parse_learners(["procedural", "uniform"], {"gamma": [0.5, 0.9]})]
    ['procedural:gamma=0.5', 'procedural:gamma=0.9', 'uniform']
    """
    found: list[StudyMethod] = []
    for each in _as_list(given, "learners"):
        if isinstance(each, Learner):
            found.append(
                StudyMethod(format_name(each), each.id, {key: getattr(each, key) for key in each.settings}, each)
            )
            continue
        if callable(each) and not isinstance(each, type):
            name = getattr(each, "__name__", type(each).__name__)
            found.append(StudyMethod("learner" if name == "<lambda>" else name, "", {}, each))
            continue
        kind = each if isinstance(each, type) and issubclass(each, Learner) else None
        id, own = parse_name(str(each)) if kind is None else (kind.id or kind.__name__, {})
        kind = kind or (LEARNERS[id] if LEARNERS.origin(id) else None)
        known = (kind or LEARNERS[id]).settings
        found += [
            StudyMethod(_format_method(id, more), id, more, kind) for more in _cross_settings(own, settings, known)
        ]
    return _number_duplicates(found)


def require_known_settings(settings: Mapping[str, Any], contenders: Iterable[StudyMethod], learners: bool) -> None:
    """Raise an error for a setting that none of the contenders accepts."""
    named = [one.id for one in contenders if one.made is None]
    known = {key for id in named for key in (LEARNERS[id].settings if learners else _rule_settings(RULES[id]))}
    known |= {key for one in contenders if isinstance(one.made, type) for key in one.made.settings}  # type: ignore[attr-defined]
    for key in settings:
        if key not in known:
            raise unknown_name_error("setting", key, sorted(known) or ["none of these rules or learners has any"])


def _rule_settings(row: Rule) -> tuple[str, ...]:
    own = tuple(option.name for option in row.options)
    return tuple(name for name in RULE_SETTINGS if name in ("tie_break", "within") or name in own)


def _as_list(given: Any, what: str) -> list[Any]:
    if isinstance(given, str | Rule | Learner) or callable(given):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{what} is {given!r}; give names, such as ['procedural', 'nash'].")
    found = list(given)
    if not found:
        raise InputError(f"{what} is empty; name one at least.")
    return found


def _cross_settings(
    own: dict[str, Any], settings: Mapping[str, Any] | None, known: Iterable[str]
) -> list[dict[str, Any]]:
    """Return every combination of the settings that the contender accepts and does not set itself."""
    free = {
        key: value if isinstance(value, list | tuple) else [value]
        for key, value in (settings or {}).items()
        if key in known and key not in own
    }
    return [own | dict(zip(free, values, strict=True)) for values in product(*free.values())]


def _format_method(id: str, settings: Mapping[str, Any]) -> str:
    from isegoria.learning.simulation.learner_names import format_setting

    return ":".join(filter(None, [id, ";".join(f"{key}={format_setting(value)}" for key, value in settings.items())]))


def _number_duplicates(found: list[StudyMethod]) -> tuple[StudyMethod, ...]:
    names = number_duplicates(one.name for one in found)
    return tuple(StudyMethod(name, one.id, one.settings, one.made) for name, one in zip(names, found, strict=True))
