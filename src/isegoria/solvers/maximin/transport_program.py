"""Maximise a Gini welfare of few agents over many arms where all ranks matter: a linear program with transports.

A mixture of orders gives agent i the fraction Π_ir of rank r; each agent gets as many ranks as it stands for, and each
rank is used once (Birkhoff). So y_i = Σ_r g_r Π_ir. The minimum over these of what the best arm is worth to y is the
maximum welfare; the prices of the arms are the policy.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.maximin.permutahedron import hull_excess
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare
from isegoria.utils import tolerances


def solve_by_transports(welfare: GiniWelfare, rows: np.ndarray) -> BoundedPolicy | None:
    """Return the best policy for `rows` (n, K), with a mixture that proves it; None if HiGHS does not find it."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    (agents, arms), ranks = rows.shape, welfare.deep
    weights, own = np.diff(welfare.prefix), eye_array(agents)
    transports = vstack(
        [kron(own, np.ones((1, ranks))), kron(np.ones((1, agents)), eye_array(ranks)), kron(own, weights[None])]
    )
    mixed = vstack([csr_array((agents + ranks, agents)), -own])
    equations = hstack([transports, mixed, csr_array((2 * agents + ranks, 1))], format="csr")
    worth = hstack([csr_array((arms, agents * ranks)), rows.T, -np.ones((arms, 1))], format="csr")
    cost = np.zeros(equations.shape[1])
    cost[-1] = 1.0
    solved = linprog(
        cost,
        A_ub=worth,
        b_ub=np.zeros(arms),
        A_eq=equations,
        b_eq=np.concatenate([welfare.weights, np.ones(ranks), np.zeros(agents)]),
        bounds=[(0, None)] * (len(cost) - 1) + [(None, None)],
        method="highs-ipm",
        options={
            "primal_feasibility_tolerance": tolerances.LP_FEASIBILITY,
            "dual_feasibility_tolerance": tolerances.LP_FEASIBILITY,
        },
    )
    if solved.status != 0:
        return None
    policy, mixture = np.maximum(-solved.ineqlin.marginals, 0.0), solved.x[-1 - agents : -1]
    policy /= policy.sum()
    bound = float((mixture @ rows).max()) + hull_excess(mixture, welfare.weights, welfare.prefix)
    return BoundedPolicy(policy, welfare.value(rows @ policy), bound, mixture)
