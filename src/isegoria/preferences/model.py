"""What a preference model is: a pure function from uniform numbers to rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


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
    draws: Callable[[int, int, Any], int]
    rankings: Callable[[np.ndarray, int, int, Any], np.ndarray]
    parameter: Parameter | None = None
