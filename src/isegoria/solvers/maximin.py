"""The highest that the lowest cut can be raised, and the policy that raises it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isegoria import tolerances
from isegoria.solvers.answer import Answer
from isegoria.solvers.cuts import Cuts
from isegoria.solvers.fair import Fair, climb
from isegoria.solvers.matrix_game import play
from isegoria.solvers.projection import Projection
from isegoria.solvers.selection import choose
from isegoria.solvers.simplex import simplex_point


def maximin(
    cuts: Callable[..., Cuts],
    rows: np.ndarray,
    tie_break: str,
    direction: np.ndarray,
    tie: float = tolerances.OPTIMUM_TIE,
    fair: Fair | None = None,
) -> Answer:
    """The policy whose lowest cut is highest, among all or among the `fair` ones.

    `cuts(rows, carried=0)` are the cuts of a matrix of utilities (N, K), in which `carried` columns at the end are no
    arms; `direction` (K,) is what `tie_break="utilitarian"` maximises; values closer than `tie` are ties.
    """
    whole = cuts(rows)
    if fair is None:
        policy, value, mixture, margin = play(whole)
        bound = float(mixture.max())
        if tie_break == "vertex":
            return Answer(policy, value, max(bound - value, 0.0), margin)
    else:
        policy, mixture = climb(fair, fair.corner(direction), lambda corners: _in_hull(cuts, rows, corners))
        value, bound = whole.value(simplex_point(policy)), fair.support(mixture)
    separate = None if fair is None else fair.separate

    def build(given: list) -> Projection:
        return Projection(len(direction), whole, value - tie / 2, given=given, separate=separate)

    policy, margin = choose(build, tie_break, direction)
    policy = simplex_point(policy)
    value = whole.value(policy)
    return Answer(policy, value, max(bound - value, 0.0), margin)


def _in_hull(cuts: Callable[..., Cuts], rows: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best policy in the hull of `corners`, and the mixture of cuts that bounds it there."""
    seen = np.hstack([rows @ corners.T, rows])  # a corner is an arm of a smaller game; the rows come along
    weights, _, mixture, _ = play(cuts(seen, carried=rows.shape[1]))
    return weights @ corners, mixture[len(corners) :]
