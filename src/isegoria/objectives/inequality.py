"""Inequality minimisation: the policy under which the agents' utilities differ least."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.objectives.solution import Solution, certified, scanned
from isegoria.objectives.voices import agents, direction, fair_policies
from isegoria.solvers import sizes
from isegoria.solvers.variance.least_variance import least_fair_variance, least_variance
from isegoria.solvers.variance.moments import Moments
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.tables.spread import rows_of_spread


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """D(P): twice the sample variance of the W agents' utilities, their mean squared difference over pairs."""
    return utility_variance(instance).evaluate(np.require(policy, float, "CA"))[0]


def evaluate_all(instance: Instance, policies: np.ndarray) -> np.ndarray:
    """(P,) D of each row of `policies` (P, K)."""
    return utility_variance(instance).values(policies)


def spread(instance: Instance) -> np.ndarray:
    """(K, K) the matrix G of D(P) = pᵀGp."""
    return utility_variance(instance).matrix()


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of least D(P); the gap is p·∇D − min ∇D·q over the policies q that are allowed."""
    if instance.is_scan:
        return scanned(instance, "inequality", tie_break, within, tolerances.INEQUALITY_GAP)
    variance, towards = utility_variance(instance), direction(instance, tie_break, within)
    fair = fair_policies(instance, within)
    found = (
        least_variance(variance, tie_break, towards)
        if fair is None
        else least_fair_variance(variance, tie_break, towards, fair)
    )
    return certified(
        Solution(found.policy, "inequality", found.value, found.gap, tie_break, found.margin, within),
        tolerances.INEQUALITY_GAP,
    )


def utility_variance(instance: Instance) -> Variance | Moments:
    """Twice the sample variance of the agents' utilities, as a function of the policy."""
    if instance.is_scan:
        return Variance(rows_of_spread(instance.first.spread))
    few = not instance.is_sparse and len(instance.arms) <= sizes.VARIANCE_ARMS
    return (Variance if few else Moments)(*agents(instance))
