"""The validated options for reading a table of ratings: its scale, gaps, columns and words."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from isegoria.errors import InputError, unknown_name_error
from isegoria.profiles.stated_ratings import MissingChoice
from isegoria.utils.formatting import describe_type

MISSING_CHOICES: tuple[MissingChoice, ...] = get_args(MissingChoice)
COLUMN_ROLES = ("agent", "arm", "value", "weight")


@dataclass(frozen=True)
class ReadOptions:
    """The options for reading ratings, in the form that the readers use.

    - `scale`: (low, high), or None for (0, 1); `missing`: one of `MISSING_CHOICES`, or a value on the scale.
    - `agent`: the heading of the agents' names; `ignore`: headings that are not arms; `columns`: the role of each
      heading.
    - `answers`: the value on the scale of each word, by the word in lower case.

    >>> ReadOptions.checked(scale=(1, 5), answers="Good=5,Bad=1").answers
    {'good': 5.0, 'bad': 1.0}
    """

    scale: tuple[float, float] | None = None
    missing: str | float = "refuse"
    agent: str | None = None
    ignore: tuple[str, ...] = ()
    columns: Mapping[str, str] | None = None
    answers: Mapping[str, float] | None = None

    @classmethod
    def checked(
        cls,
        scale: Any = None,
        missing: Any = "refuse",
        agent: Any = None,
        ignore: Any = (),
        columns: Any = None,
        answers: Any = None,
    ) -> ReadOptions:
        """Validate and normalise the options that a user gave, in Python or on the command line."""
        scale = parse_scale(scale)
        words = _parse_answers(answers)
        if agent is not None and not (isinstance(agent, str) and agent.strip()):
            raise InputError(f"agent is {agent!r}; give the heading of the column with the agents' names.")
        return cls(
            scale, _parse_missing(missing, scale, words), agent, _parse_headings(ignore), _parse_columns(columns), words
        )

    @property
    def ends(self) -> tuple[float, float]:
        """The given scale; else the range of the answers if it exceeds [0, 1]; else (0, 1)."""
        return self.scale or self.answers_scale or (0.0, 1.0)

    @property
    def fill(self) -> float | None:
        """The rating that a gap counts as; None if gaps are refused."""
        if isinstance(self.missing, float):
            return self.missing
        return None if self.missing == "refuse" else self.ends[0]

    @property
    def answers_scale(self) -> tuple[float, float] | None:
        """The range of the words' values, if no scale was given and one of them is outside [0, 1]."""
        values = list((self.answers or {}).values())
        if self.scale is not None or not values or (min(values) >= 0 and max(values) <= 1):
            return None
        return min(values), max(values)


def parse_scale(scale: Any) -> tuple[float, float] | None:
    """Validate the two ends of a scale, the lower first; None, the unit interval, is returned as it is."""
    if scale is None:
        return None
    try:
        low, high = map(float, scale)
    except (TypeError, ValueError):
        raise InputError(f"scale is {scale!r}; give its two ends, such as 1,5.") from None
    if not math.isfinite(high - low):
        raise InputError(
            f"scale runs from {low:g} to {high:g}; both ends must be finite, and their distance too. "
            "Give the lowest and the highest rating that were possible, such as 1,5."
        )
    if not low < high:
        raise InputError(f"scale runs from {low:g} to {high:g}; give the lower end first, then the higher.")
    return low, high


def parse_pairs(text: str, option: str, example: str) -> list[tuple[str, str]]:
    """Parse the (name, value) pairs of `name=value,…`; a name that contains a comma must be quoted.

    >>> parse_pairs('"No, never"=0,Yes=1', "answers", "No=0,Yes=1")
    [('No, never', '0'), ('Yes', '1')]
    """
    found = []
    for part in next(csv.reader([_quote_whole_pairs(text)], skipinitialspace=True), []):
        name, equals, value = (piece.strip() for piece in part.rpartition("="))
        if not equals or not name or not value:
            raise InputError(f"{option} has {part!r} among its name=value pairs; write it as {example}.")
        found.append((name.strip('"'), value))
    if not found:
        raise InputError(f"{option} is empty; give name=value pairs such as {example}, or leave it out.")
    return found


def _quote_whole_pairs(text: str) -> str:
    """Move the quotes of `"No, never"=0` around the whole pair, as CSV requires."""
    parts, inside, start = [], False, 0
    for place, character in enumerate(text + ","):
        inside ^= character == '"'
        if character == "," and not inside:
            part = text[start:place].strip()
            parts.append('"' + part.replace('"', "") + '"' if '"' in part else part)
            start = place + 1
    return ",".join(parts)


def _parse_headings(ignore: Any) -> tuple[str, ...]:
    if isinstance(ignore, str):
        return (ignore,)
    if not isinstance(ignore, Iterable) or not all(isinstance(name, str) for name in ignore):
        raise InputError(f"ignore is {ignore!r}; give the heading of a column, or a list of headings.")
    return tuple(ignore)


def _parse_columns(columns: Any) -> dict[str, str] | None:
    if columns is None:
        return None
    example = "user=agent,item=arm,rating=value"
    given = (
        parse_pairs(columns, "columns", example)
        if isinstance(columns, str)
        else _require_items(columns, "columns", example)
    )
    roles = [role for _, role in given]
    for heading, role in given:
        if role not in COLUMN_ROLES:
            raise InputError(f"columns gives '{heading}' the role {role!r}; the roles are {', '.join(COLUMN_ROLES)}.")
        if roles.count(role) > 1:
            raise InputError(f"columns gives the role '{role}' twice; give each role one column.")
    return dict(given)


def _parse_answers(answers: Any) -> dict[str, float] | None:
    if answers is None:
        return None
    example = '"No=0,Yes=1"'
    given = (
        parse_pairs(answers, "answers", example)
        if isinstance(answers, str)
        else _require_items(answers, "answers", example)
    )
    values: dict[str, float] = {}
    for word, text in given:
        try:
            value = float(text)
        except (TypeError, ValueError):
            raise InputError(f"answers gives {word!r} the value {text!r}; give a number, such as {example}.") from None
        if not math.isfinite(value):
            raise InputError(f"answers gives {word!r} the value {text!r}; give a finite number.")
        if values.setdefault(str(word).casefold(), value) != value:
            raise InputError(f"answers gives {word!r} two values; give each word one.")
    return values


def _require_items(given: Any, option: str, example: str) -> list[tuple[Any, ...]]:
    if not isinstance(given, Mapping):
        raise InputError(f"{option} is {describe_type(given)}; give a dict, or text such as {example}.")
    return list(given.items())


def _parse_missing(missing: Any, scale: Any, answers: Any) -> str | float:
    if missing in MISSING_CHOICES:
        return missing
    try:
        value = float(missing)
    except (TypeError, ValueError):
        raise unknown_name_error("missing", missing, (*MISSING_CHOICES, "a value on the scale")) from None
    low, high = ReadOptions(scale=scale, answers=answers).ends
    if not low <= value <= high:
        raise InputError(
            f"missing is {value:g}, which lies off the scale from {low:g} to {high:g}; give a value on it."
        )
    return value
