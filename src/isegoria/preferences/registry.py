"""The table of preference models: how a group's rankings come about.

A model is a pure function from uniform numbers to rankings. So a NumPy generator is the only source of chance, one
call serves many instances at once, and which instances share a call cannot change any of them. A new model is one new
module beside this one, and one line in `MODELS`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.preferences.model import Model, Parameter
from isegoria.registry import Table


def _checked(id: str, found: object) -> Model:
    if not isinstance(found, Model) or found.id != id:
        raise InputError(f"expected an isegoria.preferences.Model with the id '{id}', not {found!r}")
    return found


MODELS: Table[Model] = Table(
    "preference model",
    {
        "uniform": "isegoria.preferences.impartial:UNIFORM",
        "impartial": "isegoria.preferences.impartial:IMPARTIAL",
        "single-peaked": "isegoria.preferences.single_peaked:CONITZER",
        "single-peaked-walsh": "isegoria.preferences.single_peaked:WALSH",
        "mallows": "isegoria.preferences.mallows:MALLOWS",
        "iac": "isegoria.preferences.urn:ANONYMOUS",
        "urn": "isegoria.preferences.urn:URN",
        "plackett-luce": "isegoria.preferences.plackett_luce:PLACKETT_LUCE",
        "euclidean": "isegoria.preferences.euclidean:EUCLIDEAN",
    },
    group="isegoria.preferences",
    adapt=_checked,
)
"""Every model by its id."""


class Law(NamedTuple):
    """A model with its parameter settled; `name` writes both, as in "mallows:0.3"."""

    model: Model
    parameter: float | None

    @property
    def name(self) -> str:
        return self.model.id if self.parameter is None else f"{self.model.id}:{self.parameter:g}"

    def draws(self, agents: int, arms: int) -> int:
        """How many uniform numbers one instance needs."""
        return self.model.draws(agents, arms, self.parameter)

    def rankings(self, uniforms: np.ndarray, agents: int, arms: int) -> np.ndarray:
        """(instances, agents, arms) rankings, best first, from (instances, draws) uniform numbers."""
        return self.model.rankings(uniforms, agents, arms, self.parameter)


def law(name: str) -> Law:
    """The model and parameter written as "urn:0.5", or "urn" for the default parameter.

    >>> law("mallows:0.3").parameter, law("euclidean").name
    (0.3, 'euclidean:2')
    >>> law("mallows:3")
    Traceback (most recent call last):
        ...
    isegoria.errors.InputError: the model 'mallows:3' needs phi in [0, 1]; write for example mallows:0.5.
    """
    id, colon, text = str(name).strip().partition(":")
    model = MODELS[id]
    if model.parameter is None:
        if colon:
            raise InputError(f"the model {name!r} takes no parameter; write {id}.")
        return Law(model, None)
    return Law(model, parameter_of(name, model.id, model.parameter, text) if colon else float(model.parameter.default))


def parameter_of(name: str, id: str, rule: Parameter, text: str) -> float:
    """The number that stands behind the colon of a model's name, checked."""
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
