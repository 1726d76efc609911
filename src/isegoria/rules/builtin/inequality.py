"""Inequality minimisation: the policy that minimises the differences between the agents' utilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isegoria.profiles import Instance, Profile, is_streamed, require_instance
from isegoria.rules.inputs import fair_polytope_within, make_selection, merge_agents
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers import method_limits
from isegoria.solvers.result import SolverResult
from isegoria.solvers.variance.least_variance import minimise_fair_variance, minimise_variance
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense

if TYPE_CHECKING:
    from isegoria.solvers.variance.moments import StreamingVariance


def evaluate(instance: Profile, policy: np.ndarray) -> float:
    """Return D(P): twice the sample variance of the W agents' utilities, their mean squared difference over pairs."""
    return utility_variance(instance).evaluate(np.require(policy, float, ["C", "A"]))[0]


def evaluate_batch(instance: Profile, policies: np.ndarray) -> np.ndarray:
    """Return (P,) the value D of each row of `policies` (P, K)."""
    return utility_variance(instance).values(policies)


def inequality_matrix(instance: Profile) -> np.ndarray:
    """Return the matrix G (K, K) of D(P) = pᵀGp."""
    return utility_variance(instance).matrix()


def arm_inequalities(instance: Profile) -> np.ndarray:
    """Return (K,) the value D of playing each arm alone: twice the sample variance of its means."""
    if is_streamed(instance):
        return np.asarray(inequality_matrix(instance).diagonal())
    instance = require_instance(instance)
    total = instance.total_weight
    if total == 1:
        return np.zeros(len(instance.arms))
    shares, means = instance.weights / total, instance.arm_means
    if instance.is_sparse:
        squares = shares @ instance.means.multiply(instance.means)
        return np.asarray(2 * np.maximum(squares - means**2, 0.0) * total / (total - 1))
    return np.asarray(2 * (shares @ (instance.means - means) ** 2) * total / (total - 1))


def optimise(instance: Profile, tie_break: str = "centre", within: str | None = None) -> Solution:
    """Minimise D(P); the gap is p·∇D − min ∇D·q over the policies q that are allowed."""
    found = (
        instance.answer("inequality", tie_break, within)
        if is_streamed(instance)
        else _search(require_instance(instance), tie_break, within)
    )
    return require_certificate(
        Solution(found.policy, "inequality", found.value, found.gap, tie_break, found.margin, within),
        tolerances.INEQUALITY_GAP,
    )


def _search(instance: Instance, tie_break: str, within: str | None) -> SolverResult:
    """Find the optimum: for many agents from the moments of the whole table, else from its distinct rows."""
    asked, fair = make_selection(instance, tie_break, within), fair_polytope_within(instance, within)
    if _is_large_group(instance):
        from isegoria.solvers.variance.covariance import minimise_variance_by_covariance

        found = minimise_variance_by_covariance(instance.means, instance.given_weights, asked, fair)
        if found.gap <= tolerances.INEQUALITY_GAP:
            return found
    variance = _variance_of_types(instance)
    return minimise_variance(variance, asked) if fair is None else minimise_fair_variance(variance, asked, fair)


def utility_variance(instance: Profile) -> Variance | StreamingVariance:
    """Return twice the sample variance of the agents' utilities, as a function of the policy."""
    if is_streamed(instance):
        from isegoria.solvers.variance.covariance import covariance_rows

        return Variance(covariance_rows(instance.utility_spread()))
    instance = require_instance(instance)
    return (
        _streaming_variance(instance.means, instance.given_weights)
        if _is_large_group(instance)
        else _variance_of_types(instance)
    )


def _is_large_group(instance: Instance) -> bool:
    """Return whether there are so many agents that sorting them does not pay."""
    agents, arms = instance.means.shape
    return not instance.is_sparse and arms <= method_limits.VARIANCE_ARMS and agents > method_limits.MAX_MERGED_AGENTS


def _variance_of_types(instance: Instance) -> Variance | StreamingVariance:
    rows, weights = merge_agents(instance)
    if rows.shape[1] > method_limits.VARIANCE_ARMS or (
        instance.is_sparse and rows.shape[0] > method_limits.MAX_MERGED_AGENTS
    ):
        return _streaming_variance(rows, weights)
    return Variance(to_dense(rows), weights)


def _streaming_variance(rows: np.ndarray, weights: np.ndarray | None) -> StreamingVariance:
    """Return the variance for many agents or many arms; imported here because few instances need it."""
    from isegoria.solvers.variance.moments import StreamingVariance

    return StreamingVariance(rows, weights)
