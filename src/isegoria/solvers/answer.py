"""What a solver returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Answer(NamedTuple):
    """A policy, its value, how far that can be from the best, and how sharply the choice was determined."""

    policy: np.ndarray
    value: float
    gap: float
    margin: float
