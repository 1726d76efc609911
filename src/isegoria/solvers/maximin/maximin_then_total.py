"""Maximin, then maximum total among its optima: two games, and a projection where ties remain.

The second game adds a small multiple ε of the total to every row. If its policy is an optimum of the first game, its
multipliers y prove that no optimum has a larger total: a policy q that gives every row the value v has y·Mq ≥ v, so ε
c·q is at most the bound of the second game minus v. If it is not, ε is made smaller.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.result import SolverResult
from isegoria.solvers.rows.simplex import inner, simplex_point
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.utils import tolerances

TOTAL_WEIGHTS = (1 / 16, 1 / 1024)  # powers of two, so that adding the weighted total is exact except for one rounding
GAP_TOLERANCE = tolerances.FACE_DEPTH / 5
ROUNDING_SLACK = (
    tolerances.OPTIMUM_ROUNDING / 2
)  # points on the boundary fall on either side of it if the order of summation changes
DOUBTFUL_SLACK = 100 * tolerances.NEAR_TIE  # dividing rounding by a smaller slack moves a choice by over 1e-9


def maximin_then_total(rows: np.ndarray, total: np.ndarray, copies: np.ndarray | None = None) -> SolverResult | None:
    """Maximise the minimum of `rows` @ p, then `total`·p, then minimise the norm; None if not found at once.

    None means that a slower search is needed. Column k stands for `copies[k]` arms.

    >>> maximin_then_total(np.array([[1.0, 0, 0], [0, 1, 0.5], [0, 1, 1]]), np.array([0.3, 0.7, 0.5])).policy.tolist()
    [0.5, 0.5, 0.0]
    """
    found, mixture = play(RowCuts(rows, True))
    if found.gap > GAP_TOLERANCE:
        return None
    margin, doubt = _uniqueness_margin(mixture, rows.shape[1]), doubtful_slack(mixture, rows.shape[1])
    if margin > 0:
        return found._replace(margin=min(found.margin, margin, doubt))
    cuts = RowCuts(rows)
    for little in TOTAL_WEIGHTS:
        tried, mixture = play(RowCuts(rows + little * total, True))
        least = cuts.value(tried.policy)  # BLAS would sum in a different order
        if least < found.value - GAP_TOLERANCE:
            continue
        reached = inner(total, tried.policy)
        if float(mixture[: len(total)].max()) - found.value - little * reached > GAP_TOLERANCE:
            continue
        margin = _uniqueness_margin(mixture, len(total))
        if margin > 0:
            return _certified_result(tried.policy, least, found, min(tried.margin, margin, doubt))
        short = _least_norm(cuts, total, reached, found, copies)
        return None if short is None else short._replace(margin=min(short.margin, doubt))
    return None


def doubtful_slack(mixture: np.ndarray, arms: int) -> float:
    """Return a tenth of the smallest slack or mixture weight that is above rounding but negligible; else infinity.

    Such a number could count as zero or not, and the choice depends on that.
    """
    parts = np.concatenate([mixture[:arms].max() - mixture[:arms], mixture[arms:]])
    return float(parts[(parts > ROUNDING_SLACK) & (parts <= DOUBTFUL_SLACK)].min(initial=np.inf)) / 10


def _uniqueness_margin(mixture: np.ndarray, arms: int) -> float:
    """Return a margin by which the policy of a game is its only optimum; 0 if it may not be.

    The game ends in a basis of as many columns as there are arms: slacks of arms that are not worth playing, and rows
    that are tight. If each is clearly above 0, no other policy is as good.
    """
    worth = mixture[:arms]
    parts = np.concatenate([worth.max() - worth, mixture[arms:]])
    clear = parts[parts > tolerances.NEAR_TIE]
    return float(clear.min()) ** 2 if len(clear) == arms else 0.0  # the depth of a face moves others by its inverse


def _least_norm(
    cuts: RowCuts, total: np.ndarray, reached: float, found: SolverResult, copies: np.ndarray | None
) -> SolverResult | None:
    """Return the optimum of minimum norm among those of maximum total."""
    held = (total, reached - tolerances.OPTIMUM_TIE / 2)
    polytope = Projection(len(total), cuts, found.value - tolerances.FACE_DEPTH, None, [held], None, copies)
    policy = simplex_point(polytope.nearest(np.zeros(len(total))))
    if polytope.empty or polytope.margin == 0:
        return None
    return _certified_result(policy, cuts.value(policy), found, polytope.margin)


def _certified_result(policy: np.ndarray, least: float, found: SolverResult, margin: float) -> SolverResult | None:
    gap = max(found.value + found.gap - least, 0.0)
    return SolverResult(policy, least, gap, margin) if gap <= tolerances.OPTIMUM_TIE / 2 else None
