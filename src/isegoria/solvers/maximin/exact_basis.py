"""Exact vertex of a maximin linear program, computed from its basis and not from its numbers.

The program says which arms are played and which agents are tight. At a vertex those agents get the same, and those arms
are worth the same to their mixture: as many equations as unknowns, solved by a factorisation and refined once with
residuals in pairs of doubles. Where the program is degenerate, more agents than arms may be tied, or more arms than
agents; a pivoted QR then selects as many as are independent.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from isegoria.solvers.algebra.pair_products import products
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter, to_dense

Factors = tuple[np.ndarray, np.ndarray]

LP_TIE_TOLERANCE = 1e-7  # feasibility tolerance of HiGHS: rows and arms within it may belong to the basis


def bound_policy(table: Any, policy: np.ndarray, mixture: np.ndarray, margin: float = 0.0) -> BoundedPolicy:
    """Return what a policy and a mixture of agents prove, both scaled to the simplex, for a table (N, K).

    The table is dense or sparse.
    """
    point, mixed = simplex_point(np.maximum(policy, 0.0)), np.maximum(mixture, 0.0)
    mixed /= mixed.sum()
    value = min(float((table @ point).min()), 1.0)  # no mean is above 1, but their sum may be, by a rounding
    return BoundedPolicy(point, value, float(np.asarray(mixed @ table).max()), mixed, margin)


def refine_basis(table: Any, near: BoundedPolicy) -> BoundedPolicy:
    """Return the vertex close to a program's solution `near`, if its gap is not larger; else `near`."""
    arms, rows = np.flatnonzero(near.policy > tolerances.NEAR_TIE), np.flatnonzero(near.mixture > tolerances.NEAR_TIE)
    found = _solve_square_basis(table, arms, rows) if len(arms) == len(rows) else None
    if found is None:
        utilities, worth = table @ near.policy, np.asarray(near.mixture @ table).ravel()
        tied = np.flatnonzero(utilities <= utilities.min() + LP_TIE_TOLERANCE)
        liked = np.flatnonzero(worth >= worth.max() - LP_TIE_TOLERANCE)
        policy, mixture = (
            _solve_equations(to_dense(table[tied][:, arms])),
            _solve_equations(to_dense(table[rows][:, liked]).T),
        )
        found = bound_policy(
            table,
            near.policy if policy is None else scatter(policy, arms, table.shape[1]),
            near.mixture if mixture is None else scatter(mixture, rows, table.shape[0]),
        )
    return found if found.gap <= near.gap else near


def _solve_square_basis(table: Any, arms: np.ndarray, rows: np.ndarray) -> BoundedPolicy | None:
    """Return the vertex where as many agents are tied as arms are played; None if they do not determine it."""
    bordered = _border(to_dense(table[rows][:, arms]))
    factors = _factorise(bordered)
    if factors is None:
        return None
    last = np.append(np.zeros(len(arms)), 1.0)
    policy = _refine_solution(bordered, factors, last, 0)[:-1]
    mixture = _refine_solution(np.ascontiguousarray(bordered.T), factors, -last, 1)[:-1]
    if min(policy.min(), mixture.min()) <= tolerances.NEAR_ACTIVE:
        return None
    found = bound_policy(table, scatter(policy, arms, table.shape[1]), scatter(mixture, rows, table.shape[0]))
    return found._replace(margin=_margin(table, found, arms, rows, factors))


def _margin(table: Any, found: BoundedPolicy, arms: np.ndarray, rows: np.ndarray, factors: Factors) -> float:
    """Return how far the vertex is from having a rival; 0 if that is negligible.

    It is the minimum of the weights played and mixed, of the slacks of other agents and arms, and of an estimate of the
    smallest squared singular value of the basis.
    """
    from scipy.linalg import lu_solve

    spare = np.delete(table @ found.policy, rows).min(initial=np.inf) - found.value
    short = found.bound - np.delete(np.asarray(found.mixture @ table).ravel(), arms).max(initial=-np.inf)
    largest = np.abs(lu_solve(factors, np.eye(len(arms) + 1), check_finite=False)).max()
    sharp = [found.policy[arms].min(), found.mixture[rows].min(), spare, short, 1 / largest**2]
    return float(min(sharp)) if min(sharp) > tolerances.NEAR_TIE else 0.0


def _solve_equations(part: np.ndarray) -> np.ndarray | None:
    """Return x (n,) of sum 1 for which `part` x is the same in every row, or None.

    `part` (m, n) has m ≥ n rows, of which n independent ones are selected; None if there are fewer.
    """
    from scipy.linalg import qr

    if len(part) < part.shape[1]:
        return None
    equations = np.column_stack([part, -np.ones(len(part))])
    order = qr(equations.T, mode="r", pivoting=True, check_finite=False)[1][: part.shape[1]]
    bordered = _border(part[np.sort(order)])
    factors = _factorise(bordered)
    if factors is None:
        return None
    return _refine_solution(bordered, factors, np.append(np.zeros(part.shape[1]), 1.0), 0)[:-1]


def _border(square: np.ndarray) -> np.ndarray:
    """Return the matrix (n + 1, n + 1) of the equations `square` x − v = 0 and Σx = 1."""
    bordered = np.zeros((len(square) + 1, len(square) + 1))
    bordered[:-1, :-1], bordered[:-1, -1], bordered[-1, :-1] = square, -1.0, 1.0
    return bordered


def _factorise(matrix: np.ndarray) -> Factors | None:
    """Return the LU factors, or None if the matrix is singular."""
    from scipy.linalg import LinAlgWarning, lu_factor

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)
        factors = lu_factor(matrix, check_finite=False)
    pivots = np.abs(np.diag(factors[0]))
    return factors if pivots.min() > tolerances.GAME_PIVOT * pivots.max() else None


def _refine_solution(matrix: np.ndarray, factors: Factors, aim: np.ndarray, transposed: int) -> np.ndarray:
    """Solve matrix x = aim, refined once; with `transposed` the factors are those of the transposed matrix."""
    from scipy.linalg import lu_solve

    x = lu_solve(factors, aim, trans=transposed, check_finite=False)
    missed = products(np.column_stack([matrix, aim]), np.append(x, -1.0))
    return x - lu_solve(factors, missed, trans=transposed, check_finite=False)
