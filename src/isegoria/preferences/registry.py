"""The registry of preference models: how the rankings of a group are sampled.

A model is a pure function from uniform numbers to rankings. So a NumPy generator is the only source of randomness, one
call can sample many instances, and batching instances does not change any of them. To add a model, add a module to this
package and an entry to `MODELS`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.preferences.euclidean import EUCLIDEAN
from isegoria.preferences.impartial import IMPARTIAL, UNIFORM
from isegoria.preferences.mallows import MALLOWS
from isegoria.preferences.model import ModelParameter, PreferenceModel
from isegoria.preferences.plackett_luce import PLACKETT_LUCE
from isegoria.preferences.single_peaked import CONITZER, WALSH
from isegoria.preferences.urn import ANONYMOUS, URN
from isegoria.utils.registry import Registry


def _require_model(id: str, found: object) -> PreferenceModel:
    if not isinstance(found, PreferenceModel) or found.id != id:
        raise InputError(f"expected an isegoria.preferences.Model with the id '{id}', not {found!r}")
    return found


MODELS: Registry[PreferenceModel] = Registry(
    "preference model",
    [UNIFORM, IMPARTIAL, CONITZER, WALSH, MALLOWS, ANONYMOUS, URN, PLACKETT_LUCE, EUCLIDEAN],
    group="isegoria.preferences",
    adapt=_require_model,
)
"""Preference models by id."""


class Distribution(NamedTuple):
    """A preference model with a fixed parameter; `name` contains both, as in "mallows:0.3"."""

    model: PreferenceModel
    parameter: float | None

    @property
    def name(self) -> str:
        return self.model.id if self.parameter is None else f"{self.model.id}:{self.parameter:g}"

    def draws(self, agents: int, arms: int) -> int:
        """Return how many uniform numbers one instance needs."""
        return self.model.draws(agents, arms, self.parameter)

    def rankings(self, uniforms: np.ndarray, agents: int, arms: int) -> np.ndarray:
        """Map (instances, draws) uniform numbers to (instances, agents, arms) rankings, best arm first."""
        return self.model.rankings(uniforms, agents, arms, self.parameter)


def parse_distribution(name: str | PreferenceModel | Distribution) -> Distribution:
    """Parse a model with its parameter, such as "urn:0.5"; "urn" or a model alone takes the default parameter.

    >>> parse_distribution("mallows:0.3").parameter, parse_distribution("euclidean").name
    (0.3, 'euclidean:2')
    >>> parse_distribution("mallows:3")
    Traceback (most recent call last):
        ...
    isegoria.errors.InputError: the model 'mallows:3' needs phi in [0, 1]; write for example mallows:0.5.
    """
    if isinstance(name, Distribution):
        return name
    if isinstance(name, PreferenceModel):
        return Distribution(name, None if name.parameter is None else float(name.parameter.default))
    id, colon, text = str(name).strip().partition(":")
    model = MODELS[id]
    if model.parameter is None:
        if colon:
            raise InputError(f"the model {name!r} takes no parameter; write {id}.")
        return Distribution(model, None)
    return Distribution(
        model, parse_parameter(name, model.id, model.parameter, text) if colon else float(model.parameter.default)
    )


def parse_parameter(name: str, id: str, rule: ModelParameter, text: str) -> float:
    """Parse and validate the parameter after the colon of a model's name; raise `InputError` if it is out of range."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (rule.low <= value <= rule.high and math.isfinite(value)) or (rule.whole and value != int(value)):
        kind = "a whole number " if rule.whole else ""
        bounds = f"[{rule.low:g}, {rule.high:g}]" if math.isfinite(rule.high) else f"[{rule.low:g}, ∞)"
        example = f"write for example {id}:{rule.default:g}"
        raise InputError(f"the model {name!r} needs {kind}{rule.name} in {bounds}; {example}.")
    return value
