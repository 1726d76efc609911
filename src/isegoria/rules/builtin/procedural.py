"""Procedural objective: equal voice, by maximising the product of decision shares (Definition 4, Theorem 1)."""

from __future__ import annotations

import numpy as np

from isegoria.errors import CertificationError
from isegoria.profiles import Profile
from isegoria.rules.inputs import make_selection
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers.nash.decision_shares import policy_of_codes
from isegoria.solvers.result import SolverResult
from isegoria.utils import tolerances


def evaluate(instance: Profile, policy: np.ndarray) -> float:
    """Return the geometric mean of the decision shares β_i(P), by weight."""
    return instance.nash_welfare(policy, payoff="shares").geometric_mean


def optimise(instance: Profile, tie_break: str = "centre", within: str | None = None) -> Solution:
    """Maximise the product of decision shares; `within="fair"` gives the same policy."""
    if instance.favourite_codes is None:
        found = _solve_sparse(instance, tie_break)
    else:
        codes, weights = instance.favourite_counts
        direction = instance.arm_means if tie_break == "utilitarian" else None
        try:
            found = policy_of_codes(codes, weights, len(instance.arms), tie_break, direction)
        except CertificationError:
            found = _solve_sparse(instance, tie_break)
    return require_certificate(
        Solution(found.policy, "procedural", found.value, found.gap, tie_break, found.margin, within),
        tolerances.NASH_GAP,
    )


def _solve_sparse(instance: Profile, tie_break: str) -> SolverResult:
    """Solve for many arms; also the fallback for few."""
    from isegoria.solvers.nash.sparse_log_sum import solve_sparse_sets

    sets, weights, _ = instance.favourite_sets
    return solve_sparse_sets(sets, weights, make_selection(instance, tie_break))
