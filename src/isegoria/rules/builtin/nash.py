"""Nash objective: maximise the product of the agents' utilities; agents whose means are all 0 are left out."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from isegoria.errors import CertificationError
from isegoria.profiles import Instance, Profile, is_streamed, require_instance
from isegoria.rules.inputs import fair_polytope, make_selection
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers import method_limits
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.merge import merge_rows
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense


def evaluate(instance: Profile, policy: np.ndarray) -> float:
    """Return the geometric mean of the utilities U_i(P) of the agents with a positive mean, by weight."""
    return instance.nash_welfare(policy).geometric_mean


def optimise(instance: Profile, tie_break: str = "centre", within: str | None = None) -> Solution:
    """Maximise the product of utilities; if every mean is 0, all policies are optimal, with value 0."""
    if is_streamed(instance):
        found = instance.answer("nash", tie_break, within)
        return require_certificate(
            Solution(found.policy, "nash", found.value, found.gap, tie_break, found.margin, within), tolerances.NASH_GAP
        )
    instance = require_instance(instance)
    if (instance.is_sparse or instance.means.item(0) == 0) and _is_all_zero(instance):
        return _solve_all_zero(instance, tie_break, within)
    asked = make_selection(instance, tie_break, within)
    if within is not None:
        found = _solve_fair(instance, asked)
    elif instance.is_sparse or _prefers_sparse(instance):
        found = _solve_sparse(instance, asked)
    else:
        found = _solve_dense(instance, asked)
    return require_certificate(
        Solution(found.policy, "nash", found.value, found.gap, tie_break, found.margin, within), tolerances.NASH_GAP
    )


def _solve_all_zero(instance: Profile, tie_break: str, within: str | None) -> Solution:
    """Return the solution if every mean is 0: all policies are optimal, and all arms are everybody's favourites."""
    from isegoria.solvers.nash.sparse_log_sum import all_policies_optimal

    found = all_policies_optimal(len(instance.arms), make_selection(instance, tie_break))
    return require_certificate(Solution(found.policy, "nash", 0.0, 0.0, tie_break, within=within), tolerances.NASH_GAP)


def _solve_dense(instance: Instance, asked: Selection) -> SolverResult:
    """Solve on the table as it is; where Newton's method fails, fall back to `_solve_sparse`."""
    try:
        if instance.means.size >= method_limits.SUBSAMPLED_NEWTON_ENTRIES:
            return _solve_large(instance, asked)
        rows, weights, _ = instance.types
        return maximise(rows, weights.astype(float), *asked)
    except CertificationError:
        return _solve_sparse(instance, asked)


def _is_all_zero(instance: Instance) -> bool:
    """Return whether every mean is 0."""
    return instance.means.nnz == 0 if instance.is_sparse else not instance.means.any()


def _prefers_sparse(instance: Instance) -> bool:
    """Return whether lists of the nonzero entries serve a dense table better than the table itself."""
    means = instance.means
    agents, arms = means.shape
    if arms > min(method_limits.SPARSE_NASH_ARMS, max(method_limits.WIDE_NASH_ARMS, 2 * agents)):
        return True
    if arms <= method_limits.DENSE_NASH_ARMS or means.size < method_limits.DENSE_NASH_ENTRIES:
        return False
    sample = means[:: len(means) // method_limits.REPEAT_SAMPLE_ROWS or 1]
    return np.count_nonzero(sample) <= method_limits.MAX_SPARSE_DENSITY * sample.size


def _solve_sparse(instance: Instance, asked: Selection) -> SolverResult:
    """Solve on the nonzero entries of the rows."""
    from isegoria.solvers.nash.sparse_log_sum import solve_sparse_rows
    from isegoria.solvers.rows.csr_rows import merge_csr_rows, to_csr_rows

    rows, weights, _ = merge_csr_rows(to_csr_rows(instance.means), instance.given_weights)
    return solve_sparse_rows(rows, weights, asked)


def _solve_large(instance: Instance, asked: Selection) -> SolverResult:
    """Solve a large table: merge its rows if they repeat, else read it in place in several passes.

    A table with a misleading sample (a few agents unlike all others) is merged and solved in memory.
    """
    from isegoria.solvers.nash.subsampled_newton import maximise_rows

    sample = np.ascontiguousarray(instance.means[:: len(instance.means) // method_limits.REPEAT_SAMPLE_ROWS or 1])
    if 2 * len(merge_rows(sample)[0]) > len(sample):
        with suppress(CertificationError):
            return maximise_rows(instance.means, instance.given_weights, *asked)
    rows, weights, _ = instance.types
    return maximise(rows, weights.astype(float), *asked)


def _solve_fair(instance: Instance, asked: Selection) -> SolverResult:
    """Solve among the procedurally fair policies."""
    from isegoria.solvers.nash.fair_nash import solve_nash_within

    rows, weights, _ = instance.types
    rows = to_dense(rows)
    best = rows.max(axis=1)
    counted = best > 0
    rows, shares = rows[counted] / best[counted, None], weights[counted] / weights[counted].sum()
    found = solve_nash_within(rows, shares, fair_polytope(instance), asked)
    logs = np.log(best[counted]) + np.log(rows @ found.policy)  # in two parts: their product may underflow
    return found._replace(value=float(np.exp(shares @ logs)))
