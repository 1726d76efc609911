"""The interface of a preference model: a pure function from uniform numbers to rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class ModelParameter(NamedTuple):
    """The parameter of a model: its name, range and default; `whole` says that it must be an integer."""

    name: str
    low: float
    high: float
    default: float
    whole: bool = False


@dataclass(frozen=True)
class PreferenceModel:
    """A preference model.

    `draws(agents, arms, parameter)` is the number of uniform numbers that one instance needs. `rankings(uniforms,
    agents, arms, parameter)` maps (instances, draws) uniform numbers to (instances, agents, arms) rankings, best arm
    first.
    """

    id: str
    summary: str
    citation: str
    draws: Callable[[int, int, Any], int]
    rankings: Callable[[np.ndarray, int, int, Any], np.ndarray]
    parameter: ModelParameter | None = None
