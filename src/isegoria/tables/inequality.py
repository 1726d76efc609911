"""Inequality of a large table: the K × K quadratic gives the policy, one more pass over the rows proves it."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.variance.least_variance import least_fair_variance, least_variance
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.tables.first import First
from isegoria.tables.questions import Question, total, varied
from isegoria.tables.spread import rows_of_spread

MOST_TURNS = 6


def inequality(first: First, tie_break: str, direction: np.ndarray, fair: Fair | None):
    """The policy of least D(P); value and gap come from the rows, not from the quadratic."""
    spread = first.spread
    for _ in range(MOST_TURNS):
        variance = Variance(rows_of_spread(spread))
        if fair is None:
            found = least_variance(variance, tie_break, direction)
        else:
            found = least_fair_variance(variance, tie_break, direction, fair)
        policy = np.ascontiguousarray(found.policy)
        level = float(policy @ first.means)
        answers = yield Question(varied, (policy, level))
        value, slopes = _variance(answers, first)
        gap = _gap(policy, slopes, fair)
        if gap <= tolerances.INEQUALITY_GAP:
            return Answer(policy, value, gap, found.margin)
        missed = slopes - 2 * first.spread @ policy  # what the quadratic has wrong there, added as a linear part
        spread = first.spread + (missed[:, None] + missed[None, :]) / 2
    raise CertificationError(
        f"no policy could be proved optimal for 'inequality': the best one found may be off by {gap:.3g}. Means that "
        "differ by many orders of magnitude cause this; rounding them to 9 decimals usually helps."
    )


def _variance(answers: list[tuple], first: First) -> tuple[float, np.ndarray]:
    """(D, ∇D) at the policy that was asked about."""
    one, two, slopes = (total(part) for part in zip(*answers, strict=True))
    scale = 2 / (first.weight - 1) if first.weight > 1 else 0.0
    mean = one / first.weight
    value = scale * max(float(two - one * mean), 0.0)
    return value, 2 * scale * (slopes - mean * first.weight * first.means)


def _gap(policy: np.ndarray, slopes: np.ndarray, fair: Fair | None) -> float:
    if fair is None:
        return max(float(policy @ (slopes - slopes.min())), 0.0)
    return max(fair.support(-slopes) + float(slopes @ policy), 0.0)
