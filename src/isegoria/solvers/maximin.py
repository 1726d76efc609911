"""The highest that the lowest cut can be raised, and the policy that raises it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.solvers.cuts import Cuts
from isegoria.solvers.matrix_game import play
from isegoria.solvers.projection import Projection
from isegoria.solvers.selection import choose
from isegoria.solvers.simplex import simplex_point


class Answer(NamedTuple):
    """A policy, its value, an upper bound on every policy's value, and how sharply the choice was determined."""

    policy: np.ndarray
    value: float
    bound: float
    margin: float


def maximin(cuts: Cuts, tie_break: str, direction: np.ndarray, tie: float = tolerances.OPTIMUM_TIE) -> Answer:
    """The policy with the highest lowest cut; `direction` (K,) is what `tie_break="utilitarian"` maximises."""
    policy, value, mixture, margin = play(cuts)
    if tie_break != "vertex":
        level = value - tie / 2

        def build(given: list) -> Projection:
            return Projection(cuts.arms, cuts, level, given=given)

        policy, margin = choose(build, tie_break, direction)
        policy = simplex_point(policy)
        value = cuts.value(policy)
    return Answer(policy, value, float(mixture.max()), margin)
