"""Inequality of a large table: `solvers/variance/spread`, with passes over the files as its oracle."""

from __future__ import annotations

import numpy as np

from isegoria.errors import CertificationError
from isegoria.out_of_core.map_tasks import MapTask, Search, compute_variation, exact_sum
from isegoria.out_of_core.profile_summary import ProfileSummary
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.variance.covariance import UtilityMoments, solve_by_covariance
from isegoria.utils import tolerances


def minimise_inequality(
    first: ProfileSummary, tie_break: str, direction: np.ndarray, fair: FairPolytope | None
) -> Search[SolverResult]:
    """Find the policy that minimises D(P); its value and gap are computed from the rows, not the quadratic form."""
    search = solve_by_covariance(first.spread, Selection(tie_break, direction, first.copies), fair)
    asked = next(search)
    while True:
        answers = yield MapTask(compute_variation, asked)
        one, two, slopes = (exact_sum(part) for part in zip(*answers, strict=True))
        try:
            asked = search.send(UtilityMoments(float(one), float(two), slopes))
        except StopIteration as done:
            return _require_certificate(done.value)


def _require_certificate(answer: SolverResult) -> SolverResult:
    if answer.gap > tolerances.INEQUALITY_GAP:
        raise CertificationError(
            f"no policy could be proved optimal for 'inequality': the best one found may be off by {answer.gap:.3g}. "
            "Means that differ by many orders of magnitude cause this; rounding them to 9 decimals usually helps."
        )
    return answer
