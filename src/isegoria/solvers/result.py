"""Input and output shared by all solvers: which of several optima is wanted, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np


class Selection(NamedTuple):
    """Choice among several optima.

    `tie_break` names it; None accepts any. "utilitarian" maximises `direction`·p. Arm k stands for `copies[k]`
    duplicate arms, which share its probability evenly.
    """

    tie_break: str | None
    direction: np.ndarray
    copies: np.ndarray | None = None

    def on(self, arms: np.ndarray) -> Selection:
        """Return the same selection restricted to some arms."""
        return Selection(self.tie_break, self.direction[arms], None if self.copies is None else self.copies[arms])


class SolverResult(NamedTuple):
    """Policy, its value, a bound on its suboptimality, and a margin that says how sharply the choice is determined.

    A margin of infinity means that the optimum has no rivals; a margin of 0, that no choice was made among them.
    """

    policy: np.ndarray
    value: float
    gap: float
    margin: float


make_result: Callable[[tuple[Any, ...]], SolverResult] = partial(tuple.__new__, SolverResult)
"""Build a `SolverResult` from its four fields; kernels call it because it skips the slower Python-level constructor."""
