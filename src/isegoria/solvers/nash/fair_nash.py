"""Maximise the Nash product over the procedurally fair policies."""

from __future__ import annotations

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.fair_set.simplicial_decomposition import simplicial_decomposition
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.flat_directions import fixed_directions
from isegoria.solvers.ties.selection import select_fair_optimum
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter
from isegoria.utils.threads import single_blas_thread


@single_blas_thread()
def solve_nash_within(rows: np.ndarray, shares: np.ndarray, fair: FairPolytope, choice: Selection) -> SolverResult:
    """Maximise Σ_i shares_i log(rows_i · p) over the fair p; the value of the `SolverResult` is the geometric mean.

    Optimal policies share every utility: they are those that keep it and whose slope is still the maximum.
    """

    def slope_at(policy: np.ndarray) -> np.ndarray:
        return (shares / (rows @ policy)) @ rows

    held = np.empty(0)  # the weights of the vertices so far

    def master(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal held
        seen = rows @ corners.T
        used = np.append(held > 0, np.ones(len(corners) - len(held), dtype=bool))
        held = _vertex_weights(seen, shares, used)
        policy = held @ corners
        return policy, slope_at(policy)

    policy, slope = simplicial_decomposition(fair, _initial_vertices(rows, fair, choice.direction), master)
    square_root = np.sqrt(shares)[:, None] * rows / (rows @ policy)[:, None]
    everywhere = np.ones(len(policy), dtype=bool)
    equal, margin = fixed_directions(square_root, policy, everywhere, tolerances.NASH_CURVATURE_TIE)
    if len(equal) < len(policy) - 1:
        chosen, sharpness = select_fair_optimum(fair, slope, tolerances.OPTIMUM_TIE, equal, choice, policy)
        margin = min(margin, sharpness)
        chosen = simplex_point(chosen)
        if sharpness > 0 and fair.contains(chosen):
            policy = chosen
        else:  # the set of optima is too thin for a choice
            margin = 0.0
    policy = simplex_point(policy)
    gap = max(fair.support(slope_at(policy)) - 1, 0.0)
    return SolverResult(policy, float(np.exp(shares @ np.log(rows @ policy))), gap, margin)


def _vertex_weights(seen: np.ndarray, shares: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Return the weights of the vertices in the best mixture; if they are too similar for that, of the `used` ones."""
    try:
        return maximise(np.ascontiguousarray(seen), shares)[0]
    except CertificationError:
        return scatter(maximise(np.ascontiguousarray(seen[:, used]), shares)[0], used, len(used))


def _initial_vertices(rows: np.ndarray, fair: FairPolytope, direction: np.ndarray) -> np.ndarray:
    """Return vertices (m, K) that leave no row at 0: one to begin with, and one for each row that it gives nothing."""
    corner = fair.corner(direction)
    nothing = rows @ corner == 0
    return np.vstack([corner, *(fair.corner(row) for row in rows[nothing])])
