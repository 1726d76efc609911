"""The largest least utility and, among its optima, the largest total: two games, and a projection where ties remain.

The second game adds a little of the total to every row. If its policy is an optimum of the first game, its multipliers
y prove that none has a larger total: whoever gives every row the value v has y·Mq ≥ v, so ε c·q is at most the bound of
the second game minus v. If it is not, the little is made smaller.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import inner, simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.ties.goldfarb_idnani import Projection

LITTLE = (1 / 16, 1 / 1024)  # of the total: powers of two, so that adding it is exact but for one rounding
ENOUGH = tolerances.FACE_DEPTH / 5
ROUNDED = tolerances.OPTIMUM_ROUNDING / 2  # what lies at the line itself falls on either side of it in another order
DOUBTFUL = 100 * tolerances.NEAR_TIE  # a slack of less, by which rounding is divided, moves a choice by over 1e-9


def largest_total(rows: np.ndarray, total: np.ndarray, copies: np.ndarray | None = None) -> Answer | None:
    """The policy of the largest least of `rows` @ p, of those of largest `total`·p, of those of least norm; None if it
    is not seen at once, and a more patient search is called for. Column k stands for `copies[k]` arms.

    >>> largest_total(np.array([[1.0, 0, 0], [0, 1, 0.5], [0, 1, 1]]), np.array([0.3, 0.7, 0.5])).policy.tolist()
    [0.5, 0.5, 0.0]
    """
    found, mixture = play(RowCuts(rows, True))
    if found.gap > ENOUGH:
        return None
    margin, doubt = _lead(mixture, rows.shape[1]), in_doubt(mixture, rows.shape[1])
    if margin > 0:
        return found._replace(margin=min(found.margin, margin, doubt))
    cuts = RowCuts(rows)
    for little in LITTLE:
        tried, mixture = play(RowCuts(rows + little * total, True))
        least = cuts.value(tried.policy)  # products of BLAS would add up in an order of its own
        if least < found.value - ENOUGH:
            continue
        reached = inner(total, tried.policy)
        if float(mixture[: len(total)].max()) - found.value - little * reached > ENOUGH:
            continue
        margin = _lead(mixture, len(total))
        if margin > 0:
            return _answer(tried.policy, least, found, min(tried.margin, margin, doubt))
        short = _least_norm(cuts, total, reached, found, copies)
        return None if short is None else short._replace(margin=min(short.margin, doubt))
    return None


def in_doubt(mixture: np.ndarray, arms: int) -> float:
    """A tenth of the least slack of an arm, or part of a row in the mixture, that is more than rounding and yet next to
    nothing: whether it is one is a matter of depth, and so is what is chosen. Infinity if there is none."""
    parts = np.concatenate([mixture[:arms].max() - mixture[:arms], mixture[arms:]])
    return float(parts[(parts > ROUNDED) & (parts <= DOUBTFUL)].min(initial=np.inf)) / 10


def _lead(mixture: np.ndarray, arms: int) -> float:
    """By how much the policy of a game is its only optimum; 0 if it may not be.

    The game ends in a basis of as many columns as there are arms: slacks of arms that are not worth playing, and rows
    that hold the least down. If each is clearly above 0, no other policy is as good.
    """
    worth = mixture[:arms]
    parts = np.concatenate([worth.max() - worth, mixture[arms:]])
    clear = parts[parts > tolerances.NEAR_TIE]
    return float(clear.min()) if len(clear) == arms else 0.0


def _least_norm(
    cuts: RowCuts, total: np.ndarray, reached: float, found: Answer, copies: np.ndarray | None
) -> Answer | None:
    """Of the optima whose total is the largest, the one of least norm."""
    held = (total, reached - tolerances.OPTIMUM_TIE / 2)
    polytope = Projection(len(total), cuts, found.value - tolerances.FACE_DEPTH, None, [held], None, copies)
    policy = simplex_point(polytope.nearest(np.zeros(len(total))))
    if polytope.empty or polytope.margin == 0:
        return None
    return _answer(policy, cuts.value(policy), found, polytope.margin)


def _answer(policy: np.ndarray, least: float, found: Answer, margin: float) -> Answer | None:
    gap = max(found.value + found.gap - least, 0.0)
    return Answer(policy, least, gap, margin) if gap <= tolerances.OPTIMUM_TIE / 2 else None
