"""Learners with settings in their name, "guided:explore=0.1;lend=0.5": names and labels that tell them apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.registry import LEARNERS

NUMBERED = re.compile(r" \(\d+\)$")
"""What is put behind a name that is there already: " (2)"."""


def split_names(text: str) -> list[str]:
    """The names in a list such as "guided:explore=0.1,posterior"; commas inside brackets and quotes do not count.

    >>> split_names("reward-fair:guarantees=[0.2,0.3], nash")
    ['reward-fair:guarantees=[0.2,0.3]', 'nash']
    """
    return [name.strip() for name in _split(text, ",")]


def parsed(name: str) -> tuple[str, dict[str, Any]]:
    """(id, settings) of a learner's name: the id, and after a colon settings joined by ";", with values as in JSON.

    Numbers may begin with their point; what else is not JSON is taken as text, so that words need no quotes.

    >>> parsed("procedural:gamma=.6;tie_break=vertex")
    ('procedural', {'gamma': 0.6, 'tie_break': 'vertex'})
    """
    id, _, text = NUMBERED.sub("", name).partition(":")
    kind = LEARNERS[id.strip()]
    return id.strip(), settings_in(name, text, kind.settings, _example(id.strip()), kind.gone)


def settings_in(
    name: str, text: str, known: Iterable[str], example: str, gone: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The settings in the `text` behind the colon of a `name`, all of them `known`; `example` is shown if it is odd.

    `gone` says of settings that there once were what became of them.

    >>> settings_in("nash:tie_break=vertex", "tie_break=vertex", ["tie_break"], "nash:tie_break=vertex")
    {'tie_break': 'vertex'}
    """
    settings: dict[str, Any] = {}
    for part in _split(text, ";") if text or name.rstrip().endswith(":") else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise InputError(
                f"{name!r} is not a name with settings; write for example {example}: the id, a colon, and settings "
                "joined by semicolons."
            )
        if key in (gone or {}):
            raise InputError(f"`{key}` is gone: {(gone or {})[key]}")
        if key not in known:
            raise unknown(f"setting of {name.partition(':')[0].strip()}", key, list(known))
        settings[key] = _value(value)
    return settings


def label_of(name: str) -> str:
    """The label of a learner's name: that of its id, and what differs from the default.

    >>> label_of("procedural:gamma=0.6;alpha=2"), label_of("uniform (2)")
    ('Algorithm 1 gamma=0.6 alpha=2', 'Uniform (2)')
    """
    id, settings = parsed(name)
    number = NUMBERED.search(name)
    shown = [LEARNERS[id].label, *(f"{key}={setting_text(value)}" for key, value in settings.items())]
    return " ".join(shown) + (number.group() if number else "")


def name_of(learner: Learner, among: Iterable[str] | None = None) -> str:
    """A learner's id with the settings, `among` these or all, that are not those of a plain one of its size.

    >>> from isegoria import ProceduralLearner
    >>> name_of(ProceduralLearner(2, 3, gamma=0.6)), name_of(ProceduralLearner(2, 3))
    ('procedural:gamma=0.6', 'procedural')
    """
    plain = type(learner)(len(learner.agents), len(learner.arms), seed=0)
    settings = {key: getattr(learner, key) for key in (learner.settings if among is None else among)}
    differ = [
        f"{key}={setting_text(value)}" for key, value in settings.items() if not _same(value, getattr(plain, key))
    ]
    return ":".join(filter(None, [learner.id, ";".join(differ)]))


def distinct(names: Iterable[str]) -> list[str]:
    """The names, those that are there already with a number behind them.

    >>> distinct(["guided", "uniform", "guided"])
    ['guided', 'uniform', 'guided (2)']
    """
    found: list[str] = []
    for name in names:
        number = next(n for n in range(1, len(found) + 2) if (name if n == 1 else f"{name} ({n})") not in found)
        found.append(name if number == 1 else f"{name} ({number})")
    return found


def _split(text: str, at: str) -> list[str]:
    """`text` cut at a character, but not inside brackets or quotes."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "[{") - (letter in "]}")
        if letter == at and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _value(text: str) -> Any:
    for read in (json.loads, float):
        with suppress(ValueError):
            return read(text)
    return text


def setting_text(value: Any) -> str:
    """A value as it stands in a name: words without quotes, all else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value.tolist() if isinstance(value, np.ndarray) else value, separators=(",", ":"))


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray | list | tuple) else bool(one == other)


def _example(id: str) -> str:
    first = next(iter(LEARNERS[id].settings), None)
    return id if first is None else f"{id}:{first}=0.5"
