"""Learner names with settings, such as "elimination:explore=0.1;lend=0.5", and their labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.learning.base.learner import Learner
from isegoria.learning.registry import LEARNERS

NUMBER_SUFFIX = re.compile(r" \(\d+\)$")
"""What is put behind a name that is there already: " (2)"."""


def split_names(text: str) -> list[str]:
    """Split a list such as "elimination:explore=0.1,thompson" into names; ignore commas inside brackets and quotes.

    >>> split_names("reward-fair:guarantees=[0.2,0.3], nash")
    ['reward-fair:guarantees=[0.2,0.3]', 'nash']
    """
    return [name.strip() for name in _split(text, ",")]


def parse_name(name: str) -> tuple[str, dict[str, Any]]:
    """Parse a learner's name into (id, settings).

    The name is the id, optionally followed by a colon and settings joined by ";", with values as in JSON. Numbers may
    begin with a decimal point. Any other value that is not JSON is taken as text, so that words need no quotes.

    >>> parse_name("procedural:gamma=.6;tie_break=vertex")
    ('procedural', {'gamma': 0.6, 'tie_break': 'vertex'})
    """
    id, _, text = NUMBER_SUFFIX.sub("", name).partition(":")
    kind = LEARNERS[id.strip()]
    return id.strip(), parse_settings(name, text, kind.settings, _example_name(id.strip()))


def parse_settings(name: str, text: str, known: Iterable[str], example: str) -> dict[str, Any]:
    """Parse the settings in the `text` after the colon of a `name`.

    Parameters
    ----------
    name : str
        The whole name, for error messages.
    text : str
        The settings, joined by ";".
    known : iterable of str
        The settings that exist.
    example : str
        A valid name, for the error message.

    Raises
    ------
    InputError
        If `text` is malformed or names an unknown setting.

    Examples
    --------
    >>> parse_settings("nash:tie_break=vertex", "tie_break=vertex", ["tie_break"], "nash:tie_break=vertex")
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
        if key not in known:
            raise unknown_name_error(f"setting of {name.partition(':')[0].strip()}", key, list(known))
        settings[key] = _parse_value(value)
    return settings


def format_label(name: str) -> str:
    """Return the label of a learner's name: the label of its id, and the settings in the name.

    >>> format_label("procedural:gamma=0.6;alpha=2"), format_label("uniform (2)")
    ('Algorithm 1 gamma=0.6 alpha=2', 'Uniform (2)')
    """
    id, settings = parse_name(name)
    number = NUMBER_SUFFIX.search(name)
    shown = [LEARNERS[id].label, *(f"{key}={format_setting(value)}" for key, value in settings.items())]
    return " ".join(shown) + (number.group() if number else "")


def format_name(learner: Learner, among: Iterable[str] | None = None) -> str:
    """Return a learner's id with the settings, all or those in `among`, that differ from the defaults for its size.

    >>> from isegoria import ProceduralLearner
    >>> format_name(ProceduralLearner(2, 3, gamma=0.6)), format_name(ProceduralLearner(2, 3))
    ('procedural:gamma=0.6', 'procedural')
    """
    plain = type(learner)(len(learner.agents), len(learner.arms), seed=0)
    settings = {key: getattr(learner, key) for key in (learner.settings if among is None else among)}
    differ = [
        f"{key}={format_setting(value)}" for key, value in settings.items() if not _is_equal(value, getattr(plain, key))
    ]
    return ":".join(filter(None, [learner.id, ";".join(differ)]))


def number_duplicates(names: Iterable[str]) -> list[str]:
    """Return the names, with a number appended to repeated ones.

    >>> number_duplicates(["elimination", "uniform", "elimination"])
    ['elimination', 'uniform', 'elimination (2)']
    """
    found: list[str] = []
    for name in names:
        number = next(n for n in range(1, len(found) + 2) if (name if n == 1 else f"{name} ({n})") not in found)
        found.append(name if number == 1 else f"{name} ({number})")
    return found


def _split(text: str, at: str) -> list[str]:
    """Split `text` at a character, but not inside brackets or quotes."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "[{") - (letter in "]}")
        if letter == at and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _parse_value(text: str) -> Any:
    for read in (json.loads, float):
        with suppress(ValueError):
            return read(text)
    return text


def format_setting(value: Any) -> str:
    """Format a value as it appears in a name: text without quotes, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value.tolist() if isinstance(value, np.ndarray) else value, separators=(",", ":"))


def _is_equal(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray | list | tuple) else bool(one == other)


def _example_name(id: str) -> str:
    first = next(iter(LEARNERS[id].settings), None)
    return id if first is None else f"{id}:{first}=0.5"
