"""The corner in which a linear program for the least utility ended, exactly: from its basis, not from its numbers.

A program says which arms are played and which agents hold the least down. At a corner those agents get the same, and to
their mixture those arms are worth the same: as many equations as unknowns, solved by a factorisation and refined once
with residuals in pairs of doubles. Where the program is degenerate, more agents than arms may be tied, or more arms
than agents; a pivoted QR then picks as many as are independent.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import dense, placed
from isegoria.solvers.algebra.pair_products import products
from isegoria.solvers.maximin.welfare import Proved

Factors = tuple[np.ndarray, np.ndarray]

TIED = 1e-7  # HiGHS lets a constraint slip by this: closer to it, rows and arms may belong to the basis


def proved(table: Any, policy: np.ndarray, mixture: np.ndarray, margin: float = 0.0) -> Proved:
    """What a policy and a mixture of agents prove, both scaled to the simplex, for a dense or sparse table (N, K)."""
    point, mixed = simplex_point(np.maximum(policy, 0.0)), np.maximum(mixture, 0.0)
    mixed /= mixed.sum()
    value = min(float((table @ point).min()), 1.0)  # no mean is above 1, but their sum may be, by a rounding
    return Proved(point, value, float(np.asarray(mixed @ table).max()), mixed, margin)


def exact_basis(table: Any, near: Proved) -> Proved:
    """The corner that a program's answer is `near`, if it is proved better; else that answer."""
    arms, rows = np.flatnonzero(near.policy > tolerances.NEAR_TIE), np.flatnonzero(near.mixture > tolerances.NEAR_TIE)
    found = _square(table, arms, rows) if len(arms) == len(rows) else None
    if found is None:
        utilities, worth = table @ near.policy, np.asarray(near.mixture @ table).ravel()
        tied = np.flatnonzero(utilities <= utilities.min() + TIED)
        liked = np.flatnonzero(worth >= worth.max() - TIED)
        policy, mixture = _solved(dense(table[tied][:, arms])), _solved(dense(table[rows][:, liked]).T)
        found = proved(
            table,
            near.policy if policy is None else placed(policy, arms, table.shape[1]),
            near.mixture if mixture is None else placed(mixture, rows, table.shape[0]),
        )
    return found if found.gap <= near.gap else near


def _square(table: Any, arms: np.ndarray, rows: np.ndarray) -> Proved | None:
    """The corner where as many agents are tied as arms are played; None if they do not determine it."""
    bordered = _bordered(dense(table[rows][:, arms]))
    factors = _factored(bordered)
    if factors is None:
        return None
    last = np.append(np.zeros(len(arms)), 1.0)
    policy = _refined(bordered, factors, last, 0)[:-1]
    mixture = _refined(np.ascontiguousarray(bordered.T), factors, -last, 1)[:-1]
    if min(policy.min(), mixture.min()) <= tolerances.NEAR_ACTIVE:
        return None
    found = proved(table, placed(policy, arms, table.shape[1]), placed(mixture, rows, table.shape[0]))
    return found._replace(margin=_margin(table, found, arms, rows, factors))


def _margin(table: Any, found: Proved, arms: np.ndarray, rows: np.ndarray, factors: Factors) -> float:
    """How far the corner is from having a rival: the least that is played, holds, gets more or is worth less, and about
    the smallest squared singular value of the basis; 0 where that is next to nothing."""
    from scipy.linalg import lu_solve

    spare = np.delete(table @ found.policy, rows).min(initial=np.inf) - found.value
    short = found.bound - np.delete(np.asarray(found.mixture @ table).ravel(), arms).max(initial=-np.inf)
    largest = np.abs(lu_solve(factors, np.eye(len(arms) + 1), check_finite=False)).max()
    sharp = [found.policy[arms].min(), found.mixture[rows].min(), spare, short, 1 / largest**2]
    return float(min(sharp)) if min(sharp) > tolerances.NEAR_TIE else 0.0


def _solved(part: np.ndarray) -> np.ndarray | None:
    """(n,) the x of sum 1 with `part` x the same in every row, part (m, n) of m ≥ n rows, of which n independent ones
    are taken; None where there are not as many."""
    from scipy.linalg import qr

    if len(part) < part.shape[1]:
        return None
    equations = np.column_stack([part, -np.ones(len(part))])
    order = qr(equations.T, mode="r", pivoting=True, check_finite=False)[1][: part.shape[1]]
    bordered = _bordered(part[np.sort(order)])
    factors = _factored(bordered)
    if factors is None:
        return None
    return _refined(bordered, factors, np.append(np.zeros(part.shape[1]), 1.0), 0)[:-1]


def _bordered(square: np.ndarray) -> np.ndarray:
    """(n + 1, n + 1) the equations `square` x − v = 0 and Σx = 1."""
    bordered = np.zeros((len(square) + 1, len(square) + 1))
    bordered[:-1, :-1], bordered[:-1, -1], bordered[-1, :-1] = square, -1.0, 1.0
    return bordered


def _factored(matrix: np.ndarray) -> Factors | None:
    """The LU factors, or None if the matrix is singular."""
    from scipy.linalg import LinAlgWarning, lu_factor

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)
        factors = lu_factor(matrix, check_finite=False)
    pivots = np.abs(np.diag(factors[0]))
    return factors if pivots.min() > tolerances.PIVOT * pivots.max() else None


def _refined(matrix: np.ndarray, factors: Factors, aim: np.ndarray, transposed: int) -> np.ndarray:
    """The x of matrix x = aim, refined once; with `transposed` the factors are those of the transposed matrix."""
    from scipy.linalg import lu_solve

    x = lu_solve(factors, aim, trans=transposed, check_finite=False)
    missed = products(np.column_stack([matrix, aim]), np.append(x, -1.0))
    return x - lu_solve(factors, missed, trans=transposed, check_finite=False)
