"""Groups of a study that the user's own function samples, and tables of given groups with columns of facts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from isegoria.errors import InputError, IsegoriaError, unknown_name_error
from isegoria.profiles import Instance
from isegoria.utils.code_digest import digest_code

RESERVED_COLUMNS = (
    *("id", "cell", "seed", "rule", "learner", "group", "environment", "noise", "rounds", "delay", "round"),
    *("measure", "value", "mean", "se", "low", "high", "count", "sd", "median"),
)
"""Columns of the rows and tables of every study."""


@dataclass(frozen=True)
class GroupSampler:
    """The user's function `(rng, **factors) -> Instance` with fixed factors; ratings need not come from rankings."""

    function: Callable[..., Any]
    factors: tuple[tuple[str, Any], ...]

    @property
    def name(self) -> str:
        """The name of the function with its factors.

        >>> def camps(rng, n, split=0.5): ...
        >>> GroupSampler(camps, (("n", 5), ("split", 0.6))).name
        'camps n=5 split=0.6'
        """
        own = getattr(self.function, "__name__", type(self.function).__name__)
        return " ".join(["model" if own == "<lambda>" else own, *(f"{key}={value}" for key, value in self.factors)])

    @property
    def digest(self) -> str:
        """A digest of the function's code and the factors."""
        return digest_code((self.function, self.factors))

    def sample(self, rng: np.random.Generator) -> Instance:
        """Return the group that the function makes with this generator."""
        made = self.function(rng, **dict(self.factors))
        if isinstance(made, Instance):
            return made
        try:
            return Instance(made)
        except IsegoriaError as error:
            raise InputError(f"{self.name} returned a {type(made).__name__} that is no group: {error}") from error


def parse_samplers(functions: Iterable[Callable[..., Any]], factors: Mapping[str, Any]) -> list[GroupSampler]:
    """Return a sampler for each function and combination of factors; a factor is one value or a list of them.

    >>> def camps(rng, n, split=0.5): ...
    >>> [each.name for each in parse_samplers([camps], {"n": [5, 11]})]
    ['camps n=5', 'camps n=11']
    """
    require_free_names(factors)
    found = []
    for function in functions:
        _require_parameters(function, factors)
        values = [_as_list(value) for value in factors.values()]
        found += [GroupSampler(function, tuple(zip(factors, row, strict=True))) for row in product(*values)]
    return found


def require_free_names(facts: Iterable[str]) -> None:
    """Raise `InputError` if a factor or fact has the name of a column of every study."""
    for name in facts:
        if name in RESERVED_COLUMNS:
            raise InputError(f"'{name}' is a column of every study; give that factor of the groups another name.")


def _require_parameters(function: Callable[..., Any], factors: Mapping[str, Any]) -> None:
    try:
        own = list(inspect.signature(function).parameters.values())
    except ValueError:  # a compiled function without a signature
        return
    name = getattr(function, "__name__", "the model")
    if not own:
        raise InputError(f"{name} takes nothing; a model takes a random generator first: {name}(rng, …).")
    known = [each.name for each in own[1:] if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if not any(each.kind is each.VAR_KEYWORD for each in own):
        for key in factors:
            if key not in known:
                raise unknown_name_error(f"factor of {name}", key, known)
    for each in own[1:]:
        if each.name in known and each.default is each.empty and each.name not in factors:
            raise InputError(
                f'{name} needs {each.name}; give it beside the model, such as {{"model": {name}, "{each.name}": …}}.'
            )


def parse_group_rows(given: Any) -> list[tuple[str, dict[str, Any], Instance]] | None:
    """Return (name, facts, instance) of each row of a table of groups, or None if `given` is no such table.

    A table is a data frame with a column of instances, or a list of mappings that each hold one.

    >>> [row[:2] for row in parse_group_rows([{"instance": Instance([[1, 0]]), "spread": 0.1}])]
    [('spread=0.1', {'spread': 0.1})]
    """
    if hasattr(given, "to_dicts"):
        given = given.to_dicts()
    elif hasattr(given, "to_dict") and hasattr(given, "columns"):
        given = given.to_dict("records")
    if not isinstance(given, list | tuple) or not given or not all(isinstance(row, Mapping) for row in given):
        return None
    found = []
    for number, row in enumerate(given, start=1):
        tables = [value for value in row.values() if isinstance(value, Instance)]
        if len(tables) != 1:
            return None
        facts = {str(key): value for key, value in row.items() if not isinstance(value, Instance)}
        require_free_names(facts)
        name = facts.pop("name", None) or " ".join(f"{key}={value}" for key, value in facts.items())
        found.append((str(name or f"group {number}"), facts, tables[0]))
    return found


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple | range | np.ndarray) else [value]
