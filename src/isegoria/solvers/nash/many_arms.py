"""max Σ_i w_i log(Ap)_i over the simplex for a sparse table of many arms: a few passes over what is not 0.

Homogeneity drops the simplex: minimise −Σ w log(Ax) + Σx over x ≥ 0, and Σx = 1 at the optimum. Multiplicative (EM)
steps tell the arms that have a part in it from the rest. Where few are left, Newton's method works on those alone, with
their Hessian; where many are, a primal–dual interior point whose systems conjugate gradients solve, so that no K × K
matrix is ever formed. The certificate is taken over all arms, and an arm that was left out in error joins again.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.algebra.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.nash.interior_point import interior_point
from isegoria.solvers.nash.sparse_rows import SparseRows, fixed_arms
from isegoria.solvers.nash.working_set import newton_on
from isegoria.solvers.ties.face import pick

WARM_UP = 20
"""Multiplicative steps: by then the slope of an arm that has no part in the optimum is clearly below 1."""

IDLE = 0.9
"""An arm whose slope is below this after the warm-up is left out at first."""

FEW = 400
"""Arms up to which a Hessian is formed and factored: beyond, conjugate gradients were faster on every table tried."""


def maximise_sparse(table: SparseRows, weights: np.ndarray, tie_break="centre", direction=None) -> Answer:
    """The `Answer` of max Σ w_i log(Ap)_i, whose value is the mean of the logarithms; every row has a positive entry.

    `weights` (m,) are positive and sum to 1; `direction` (K,) is what `tie_break="utilitarian"` maximises.
    """
    policy, slopes = _warm(table, weights)
    arms = np.flatnonzero((slopes > IDLE) | (policy > IDLE / table.arms))
    while True:
        part = table if len(arms) == table.arms else table.on(arms)
        start = policy[arms] / policy[arms].sum()
        found = newton_on(part, weights, start) if len(arms) <= FEW else interior_point(part, weights, start)
        policy = np.zeros(table.arms)
        policy[arms] = found
        values, slopes = table.slopes(weights, policy)
        missing = np.setdiff1d(np.flatnonzero(slopes > 1 + tolerances.NEWTON_SETTLED), arms)
        if not len(missing):
            break
        arms = np.union1d(arms, missing)
        policy = 0.99 * policy
        policy[arms] += 0.01 / len(arms)
    return _chosen(table, weights, simplex_point(policy), values, slopes, tie_break, direction)


def _warm(table: SparseRows, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(policy, slopes) after some multiplicative steps from the uniform policy."""
    policy = np.full(table.arms, 1 / table.arms)
    for _ in range(WARM_UP):
        policy *= table.slopes(weights, policy)[1]
    return policy, table.slopes(weights, policy)[1]


def _chosen(table: SparseRows, weights, policy, values, slopes, tie_break: str, direction) -> Answer:
    """The optimum that `tie_break` asks for: the optima differ only on tight arms that the values do not fix."""
    slack = 1 - slopes
    tight = np.flatnonzero((slack <= tolerances.OPTIMUM_TIE) | (policy > tolerances.OPTIMUM_TIE))
    margin = float(slack[slack > tolerances.OPTIMUM_TIE].min(initial=np.inf))
    part = table.on(tight)
    curves = weights / values**2
    loose = np.arange(len(tight)) if len(tight) <= FEW else np.flatnonzero(~fixed_arms(part))
    if len(loose):
        arms = tight[loose]
        aim = None if direction is None else direction[arms]
        hessian = part.curvature(curves, loose)
        moved, sharpness = pick(hessian, policy[arms], slack[arms], tie_break, aim)
        candidate = policy.copy()
        candidate[arms] = moved
        margin = min(margin, sharpness)
        policy = simplex_point(candidate)
    if len(loose) < len(tight):
        margin = min(margin, float(part.diagonal(curves).min()))
    return _certified(table, weights, policy, margin)


def _certified(table: SparseRows, weights, policy, margin: float) -> Answer:
    values, slopes = table.slopes(weights, policy)
    return Answer(policy, float(weights @ np.log(values)), max(float(slopes.max()) - 1, 0.0), margin)
