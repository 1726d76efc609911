"""The table of preference models: how a group's rankings come about.

A model is a pure function from uniform numbers to rankings. So a NumPy generator is the only source of chance, one
call serves many instances at once, and which instances share a call cannot change any of them. A new model is one new
module beside this one, and one line in `MODELS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.preferences import euclidean, impartial, mallows, plackett_luce, single_peaked, urn


class Parameter(NamedTuple):
    """The one number that a model takes: its name, range, default, and whether it counts something."""

    name: str
    low: float
    high: float
    default: float
    whole: bool = False


@dataclass(frozen=True)
class Model:
    """One row of the table.

    `draws(agents, arms, parameter)` is how many uniform numbers one instance needs;
    `rankings(uniforms, agents, arms, parameter)` turns (instances, draws) of them into (instances, agents, arms)
    arms, best first.
    """

    id: str
    summary: str
    citation: str
    draws: Callable[[int, int, float | None], int]
    rankings: Callable[[np.ndarray, int, int, float | None], np.ndarray]
    parameter: Parameter | None = None


_ROWS = (
    Model(
        "uniform",
        "each ranking is equally likely, and every agent draws its own",
        "Guilbaud (1952)",
        impartial.draws,
        impartial.rankings,
    ),
    Model(
        "impartial",
        "impartial culture: the same law as uniform, drawn independently of it",
        "Guilbaud (1952)",
        impartial.draws,
        impartial.rankings,
    ),
    Model(
        "single-peaked",
        "arms on a line: a peak is drawn uniformly, then the walk goes left or right with equal chance (Conitzer)",
        "Conitzer (2009)",
        single_peaked.draws,
        single_peaked.conitzer,
    ),
    Model(
        "single-peaked-walsh",
        "arms on a line: each of the 2^(K-1) single-peaked rankings is equally likely (Walsh)",
        "Walsh (2015)",
        single_peaked.draws,
        single_peaked.walsh,
    ),
    Model(
        "mallows",
        "a ranking at Kendall distance d from a uniformly random centre has weight φ^d: 0 consensus, 1 discord",
        "Mallows (1957)",
        mallows.draws,
        mallows.rankings,
        Parameter("phi", 0.0, 1.0, 0.5),
    ),
    Model(
        "iac",
        "impartial anonymous culture: each count of voters per ranking is equally likely",
        "Gehrlein and Fishburn (1976)",
        urn.draws,
        urn.anonymous,
    ),
    Model(
        "urn",
        "each ranking drawn from the urn goes back with α·K! copies of itself: 0 is impartial culture",
        "Eggenberger and Pólya (1923), Berg (1985)",
        urn.draws,
        urn.rankings,
        Parameter("alpha", 0.0, math.inf, 0.5),
    ),
    Model(
        "plackett-luce",
        "arms are picked one by one in proportion to weights 1, r, r², … over a uniformly random order of the arms",
        "Plackett (1975), Luce (1959)",
        plackett_luce.draws,
        plackett_luce.rankings,
        Parameter("ratio", 1e-6, 1.0, 0.5),
    ),
    Model(
        "euclidean",
        "agents and arms are uniform points of a cube of some dimension; nearer is better",
        "Enelow and Hinich (1984)",
        euclidean.draws,
        euclidean.rankings,
        Parameter("dimension", 1, 64, 2, whole=True),
    ),
)

MODELS = {model.id: model for model in _ROWS}


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
    if id not in MODELS:
        raise unknown("preference model", id, MODELS)
    model = MODELS[id]
    if model.parameter is None:
        if colon:
            raise InputError(f"the model {name!r} takes no parameter; write {id}.")
        return Law(model, None)
    return Law(model, _parameter(name, model, text) if colon else float(model.parameter.default))


def _parameter(name: str, model: Model, text: str) -> float:
    rule = model.parameter
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (rule.low <= value <= rule.high and math.isfinite(value)) or (rule.whole and value != int(value)):
        kind = "a whole number " if rule.whole else ""
        bounds = f"[{rule.low:g}, {rule.high:g}]" if math.isfinite(rule.high) else f"[{rule.low:g}, ∞)"
        example = f"write for example {model.id}:{rule.default:g}"
        raise InputError(f"the model {name!r} needs {kind}{rule.name} in {bounds}; {example}.")
    return value
