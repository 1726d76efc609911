"""What a solver of any problem is asked for where there are several optima, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np


class Selection(NamedTuple):
    """Which of several optima: `tie_break` says it, any will do if that is None; "utilitarian" takes the largest
    `direction`·p, and arm k stands for `copies[k]` equal ones, which share its probability evenly."""

    tie_break: str | None
    direction: np.ndarray
    copies: np.ndarray | None = None

    def on(self, arms: np.ndarray) -> Selection:
        """The same on some of the arms."""
        return Selection(self.tie_break, self.direction[arms], None if self.copies is None else self.copies[arms])


class Answer(NamedTuple):
    """A policy, its value, how far that can be from the best, and how sharply the choice was determined.

    A margin of infinity is an optimum without rivals; one of 0 was not chosen among its rivals at all.
    """

    policy: np.ndarray
    value: float
    gap: float
    margin: float


answered: Callable[[tuple[Any, ...]], Answer] = partial(tuple.__new__, Answer)
"""The `Answer` of these four, for kernels: without the Python function that makes one, which costs a tenth of them."""
