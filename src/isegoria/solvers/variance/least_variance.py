"""Minimise the variance of utilities over all or the procedurally fair policies, and choose among the optima."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.solvers import method_limits
from isegoria.solvers.fair_set.simplicial_decomposition import simplicial_decomposition
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.face import pick_on
from isegoria.solvers.ties.flat_directions import fixed_directions
from isegoria.solvers.ties.selection import select_fair_optimum
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense
from isegoria.utils.threads import single_blas_thread

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import FairPolytope, MinimumScorePolytope
    from isegoria.solvers.variance.moments import StreamingVariance


def minimise_variance(variance: Variance | StreamingVariance, choice: Selection) -> SolverResult:
    """Minimise over all policies: find a vertex of the tied arms, then choose if the optimum is not unique."""
    if not isinstance(variance, Variance):
        from isegoria.solvers.variance.high_dimensional import minimise_variance_high_dimensional

        found = _try_unique_optimum(variance) or minimise_variance_high_dimensional(variance, choice)
        if found is not None:
            return found
        rows = to_dense(variance.rows)
        variance = Variance(np.ascontiguousarray(rows), variance.weights)
    found, reduced, curvature = variance.minimise(tolerances.SLOPE_TIE)
    if curvature > tolerances.UNIQUE_CURVATURE:
        return found
    policy = found.policy
    slack = min((above for above in reduced.tolist() if above > tolerances.SLOPE_TIE / 2), default=np.inf)
    equal, curvature = fixed_directions(variance.square_root(), policy, reduced <= tolerances.SLOPE_TIE)
    found = SolverResult(policy, found.value, found.gap, min(curvature, slack))
    if len(equal) >= len(policy) - 1:
        return found
    chosen, sharpness = pick_on(np.vstack([np.ones(len(policy) + 1), equal]), policy, *choice)
    return _accept_choice(variance, chosen, None, min(found.margin, sharpness), found)


def _try_unique_optimum(variance: StreamingVariance) -> SolverResult | None:
    """Return the optimum of a dense table with no more arms than agents, and not too many, if it is clearly unique."""
    agents, arms = variance.rows.shape
    if arms > min(agents, method_limits.SQUARE_VARIANCE_ARMS) or not isinstance(variance.rows, np.ndarray):
        return None
    found = Variance(variance.rows, variance.weights).minimise(tolerances.SLOPE_TIE, patient=False)
    return found[0] if found is not None and found[2] > tolerances.UNIQUE_CURVATURE else None


def _accept_choice(
    variance: Variance | StreamingVariance,
    chosen: np.ndarray,
    fair: FairPolytope | None,
    margin: float,
    found: SolverResult,
) -> SolverResult:
    """Return the chosen policy if it is proved optimal; else the optimum `found` first, with a margin of 0.

    The optima are then so thin a set that rounding cannot tell them apart.
    """
    policy = simplex_point(chosen)
    value, gap, slopes = variance.evaluate(policy)
    if fair is not None:
        gap = max(fair.support(-slopes) + float(slopes @ policy), 0.0)
        if found.gap < np.inf and not fair.contains(policy):
            margin = 0.0
    if found.gap < np.inf and (not gap <= tolerances.INEQUALITY_GAP or margin == 0):
        return found._replace(margin=0.0)
    played = [p for p in policy.tolist() if p > tolerances.NEAR_ACTIVE]
    return SolverResult(
        policy, value, gap, min([margin, *played])
    )  # an arm of tiny probability might as well be unplayed


@single_blas_thread()
def minimise_fair_variance(
    variance: Variance | StreamingVariance, choice: Selection, fair: FairPolytope
) -> SolverResult:
    """Minimise over the `fair` policies; optima share their utilities (up to a common shift) and slope."""
    policy, slope = simplicial_decomposition(fair, fair.corner(choice.direction)[None, :], _hull_master(variance))
    everywhere = np.ones(len(policy), dtype=bool)
    equal, curvature = fixed_directions(variance.square_root(), policy, everywhere)
    chosen, sharpness = select_fair_optimum(fair, slope, tolerances.SLOPE_TIE, equal, choice, policy)
    found = _accept_choice(variance, policy, fair, curvature, SolverResult(policy, 0.0, np.inf, 0.0))
    return _accept_choice(variance, chosen, fair, min(curvature, sharpness), found)


@single_blas_thread()
def minimise_variance_at_score(
    variance: Variance | StreamingVariance, direction: np.ndarray, heard: MinimumScorePolytope
) -> SolverResult:
    """Minimise over the policies of the procedural score that `heard` requires; no choice among optima is made."""
    policy = simplex_point(simplicial_decomposition(heard, heard.corner(direction)[None, :], _hull_master(variance))[0])
    value, _, slopes = variance.evaluate(policy)
    return SolverResult(policy, value, max(float(slopes @ (policy - heard.corner(-slopes))), 0.0), 0.0)


def _hull_master(variance: Variance | StreamingVariance) -> Callable[..., Any]:
    """Return the `master` of `simplicial_decomposition`: the minimiser in the hull of some vertices, and the slope
    there."""

    def master(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = Variance(np.ascontiguousarray(variance.rows @ corners.T), variance.weights).minimise(0)[0].policy
        policy = weights @ corners
        return policy, -variance.evaluate(policy)[2]

    return master
