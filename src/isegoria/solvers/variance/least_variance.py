"""The policy under which utilities vary least, among all or among the procedurally fair ones, and the choice of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import dense
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.simplicial_decomposition import climb
from isegoria.solvers.ties.face import pick_on
from isegoria.solvers.ties.flat_directions import fixed_directions
from isegoria.solvers.ties.selection import choose_fair
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.threads import one_thread

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import Fair, ScoreFloor
    from isegoria.solvers.variance.moments import Moments


def least_variance(variance: Variance | Moments, choice: Selection) -> Answer:
    """The optimum among all policies: a vertex of the tied arms first, and then the choice if it is not unique."""
    if not isinstance(variance, Variance):
        from isegoria.solvers.variance.many_arms import least_variance_of_many

        found = _clearly_least(variance) or least_variance_of_many(variance, choice)
        if found is not None:
            return found
        rows = dense(variance.rows)
        variance = Variance(np.ascontiguousarray(rows), variance.weights)
    found, reduced, curvature = variance.minimise(tolerances.SLOPE_TIE)
    if curvature > tolerances.SURELY_CURVED:
        return found
    policy = found.policy
    slack = min((above for above in reduced.tolist() if above > tolerances.SLOPE_TIE / 2), default=np.inf)
    equal, curvature = fixed_directions(variance.square_root(), policy, reduced <= tolerances.SLOPE_TIE)
    found = Answer(policy, found.value, found.gap, min(curvature, slack))
    if len(equal) >= len(policy) - 1:
        return found
    chosen, sharpness = pick_on(np.vstack([np.ones(len(policy) + 1), equal]), policy, *choice)
    return _trusted(variance, chosen, None, min(found.margin, sharpness), found)


def _clearly_least(variance: Moments) -> Answer | None:
    """The optimum of a dense table with as many agents as arms, and not too many, if it clearly is the only one."""
    agents, arms = variance.rows.shape
    if arms > min(agents, sizes.VARIANCE_SIDE) or not isinstance(variance.rows, np.ndarray):
        return None
    found = Variance(variance.rows, variance.weights).minimise(tolerances.SLOPE_TIE, patient=False)
    return found[0] if found is not None and found[2] > tolerances.SURELY_CURVED else None


def _trusted(
    variance: Variance | Moments, chosen: np.ndarray, fair: Fair | None, margin: float, found: Answer
) -> Answer:
    """The chosen policy if it is proved optimal; else the optimum that was `found` first, with a margin of 0: the
    optima are then so thin a set that rounding cannot tell them apart."""
    policy = simplex_point(chosen)
    value, gap, slopes = variance.evaluate(policy)
    if fair is not None:
        gap = max(fair.support(-slopes) + float(slopes @ policy), 0.0)
    if found.gap < np.inf and (not gap <= tolerances.INEQUALITY_GAP or margin == 0):
        return found._replace(margin=0.0)
    played = [p for p in policy.tolist() if p > tolerances.NEAR_ACTIVE]
    return Answer(policy, value, gap, min([margin, *played]))  # an arm that is hardly played might as well be idle


@one_thread()
def least_fair_variance(variance: Variance | Moments, choice: Selection, fair: Fair) -> Answer:
    """The optimum among the `fair` policies, which share its utilities (up to a common shift) and its slope."""
    policy, slope = climb(fair, fair.corner(choice.direction)[None, :], _in_hull(variance))
    everywhere = np.ones(len(policy), dtype=bool)
    equal, curvature = fixed_directions(variance.square_root(), policy, everywhere)
    chosen, sharpness = choose_fair(fair, slope, tolerances.SLOPE_TIE, equal, choice, policy)
    found = _trusted(variance, policy, fair, curvature, Answer(policy, 0.0, np.inf, 0.0))
    return _trusted(variance, chosen, fair, min(curvature, sharpness), found)


@one_thread()
def least_heard_variance(variance: Variance | Moments, direction: np.ndarray, heard: ScoreFloor) -> Answer:
    """An optimum among the policies of the voice that `heard` asks for; which one, nobody asked."""
    policy = simplex_point(climb(heard, heard.corner(direction)[None, :], _in_hull(variance))[0])
    value, _, slopes = variance.evaluate(policy)
    return Answer(policy, value, max(float(slopes @ (policy - heard.corner(-slopes))), 0.0), 0.0)


def _in_hull(variance: Variance | Moments) -> Callable[..., Any]:
    """For `climb`: the policy of least variance in the hull of some corners, and the slope there."""

    def master(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = Variance(np.ascontiguousarray(variance.rows @ corners.T), variance.weights).minimise(0)[0].policy
        policy = weights @ corners
        return policy, -variance.evaluate(policy)[2]

    return master
