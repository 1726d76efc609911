"""Inequality minimisation: the policy under which the agents' utilities differ least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.rows.views import dense
from isegoria.rules.inputs import agents, choice, fair_policies
from isegoria.rules.solution import Solution, certified
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer
from isegoria.solvers.variance.least_variance import least_fair_variance, least_variance
from isegoria.solvers.variance.primal_active_set import Variance

if TYPE_CHECKING:
    from isegoria.solvers.variance.moments import Moments


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """D(P): twice the sample variance of the W agents' utilities, their mean squared difference over pairs."""
    return utility_variance(instance).evaluate(np.require(policy, float, ["C", "A"]))[0]


def evaluate_all(instance: Instance, policies: np.ndarray) -> np.ndarray:
    """(P,) D of each row of `policies` (P, K)."""
    return utility_variance(instance).values(policies)


def spread(instance: Instance) -> np.ndarray:
    """(K, K) the matrix G of D(P) = pᵀGp."""
    return utility_variance(instance).matrix()


def arm_inequalities(instance: Instance) -> np.ndarray:
    """(K,) D of playing each arm alone: twice the sample variance of its means."""
    told = instance.utility_spread()
    if told is not None:
        return np.asarray(spread(instance).diagonal())
    total = instance.total_weight
    if total == 1:
        return np.zeros(len(instance.arms))
    shares, means = instance.weights / total, instance.arm_means
    if instance.is_sparse:
        squares = shares @ instance.means.multiply(instance.means)
        return np.asarray(2 * np.maximum(squares - means**2, 0.0) * total / (total - 1))
    return np.asarray(2 * (shares @ (instance.means - means) ** 2) * total / (total - 1))


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of least D(P); the gap is p·∇D − min ∇D·q over the policies q that are allowed."""
    found = instance.searched("inequality", tie_break, within) or _found(instance, tie_break, within)
    return certified(
        Solution(found.policy, "inequality", found.value, found.gap, tie_break, found.margin, within),
        tolerances.INEQUALITY_GAP,
    )


def _found(instance: Instance, tie_break: str, within: str | None) -> Answer:
    """The optimum: of a crowd from how it varies as a whole, else from its distinct rows."""
    asked, fair = choice(instance, tie_break, within), fair_policies(instance, within)
    if _is_crowd(instance):
        from isegoria.solvers.variance.spread import in_memory

        found = in_memory(instance.means, instance.given_weights, asked, fair)
        if found.gap <= tolerances.INEQUALITY_GAP:
            return found
    variance = _of_types(instance)
    return least_variance(variance, asked) if fair is None else least_fair_variance(variance, asked, fair)


def utility_variance(instance: Instance) -> Variance | Moments:
    """Twice the sample variance of the agents' utilities, as a function of the policy."""
    spread = instance.utility_spread()
    if spread is not None:
        from isegoria.solvers.variance.spread import rows_of_spread

        return Variance(rows_of_spread(spread))
    return _moments(instance.means, instance.given_weights) if _is_crowd(instance) else _of_types(instance)


def _is_crowd(instance: Instance) -> bool:
    """Whether there are so many agents that they are better not sorted."""
    agents, arms = instance.means.shape
    return not instance.is_sparse and arms <= sizes.VARIANCE_ARMS and agents > sizes.CROWD


def _of_types(instance: Instance) -> Variance | Moments:
    rows, weights = agents(instance)
    if rows.shape[1] > sizes.VARIANCE_ARMS or (instance.is_sparse and rows.shape[0] > sizes.CROWD):
        return _moments(rows, weights)
    return Variance(dense(rows), weights)


def _moments(rows: np.ndarray, weights: np.ndarray | None) -> Moments:
    """The variance of a crowd, or over many arms, which few instances need."""
    from isegoria.solvers.variance.moments import Moments

    return Moments(rows, weights)
