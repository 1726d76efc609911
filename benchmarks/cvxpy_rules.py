"""What a user would write instead: each objective as a convex program for cvxpy, the score as a linear program."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array


def _solve(objective, policy) -> np.ndarray:
    cp.Problem(objective, [cp.sum(policy) == 1]).solve(solver="CLARABEL")
    return policy.value


def nash(values: np.ndarray) -> np.ndarray:
    """The policy of the largest Σ log of `values` @ policy."""
    policy = cp.Variable(values.shape[1], nonneg=True)
    return _solve(cp.Maximize(cp.sum(cp.log(values @ policy))), policy)


def inequality(means: np.ndarray) -> np.ndarray:
    """The policy of the least variance of utilities."""
    policy = cp.Variable(means.shape[1], nonneg=True)
    return _solve(cp.Minimize(cp.sum_squares((means - means.mean(axis=0)) @ policy)), policy)


def utilitarian(means: np.ndarray) -> np.ndarray:
    """The policy of the largest total utility."""
    policy = cp.Variable(means.shape[1], nonneg=True)
    return _solve(cp.Maximize(means.sum(axis=0) @ policy), policy)


def egalitarian(means: np.ndarray) -> np.ndarray:
    """The policy of the largest least utility."""
    policy = cp.Variable(means.shape[1], nonneg=True)
    return _solve(cp.Maximize(cp.min(means @ policy)), policy)


def gini(means: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The policy of the largest Σ g_i u_(i), by the sums of the least j utilities; g_i = 2^-(i-1) unless given, as far
    as doubles can see it."""
    policy = cp.Variable(means.shape[1], nonneg=True)
    utilities = means @ policy
    weights = 0.5 ** np.arange(min(len(means), 54)) if weights is None else weights
    steps = weights - np.append(weights[1:], 0)
    sums = [step * cp.sum_smallest(utilities, j + 1) for j, step in enumerate(steps)]
    return _solve(cp.Maximize(cp.sum(cp.hstack(sums))), policy)


def conic_score(favourites: np.ndarray, policy: np.ndarray) -> float:
    """The procedural score by cvxpy: mass from agents of 1/N to their favourites, into the policy."""
    mass = cp.Variable(favourites.shape, nonneg=True)
    sent = cp.multiply(mass, favourites)
    limits = [cp.sum(mass, axis=1) <= 1 / len(favourites), cp.sum(mass, axis=0) <= policy]
    problem = cp.Problem(cp.Maximize(cp.sum(sent)), limits)
    problem.solve(solver="CLARABEL")
    return problem.value


def score_program(favourites: np.ndarray, policy: np.ndarray) -> tuple:
    """(c, A, b) of the linear program for the procedural score: mass from agents of 1/N to their favourites."""
    agents, arms = np.nonzero(favourites)
    n, k = favourites.shape
    ones, columns = np.ones(len(agents)), np.arange(len(agents))
    matrix = csr_array(
        (np.r_[ones, ones], (np.r_[agents, n + arms], np.r_[columns, columns])), shape=(n + k, len(agents))
    )
    return -ones, matrix, np.r_[np.full(n, 1 / n), policy]


def score(program: tuple) -> float:
    """The procedural score by HiGHS."""
    c, matrix, limits = program
    return -linprog(c, A_ub=matrix, b_ub=limits, method="highs").fun
