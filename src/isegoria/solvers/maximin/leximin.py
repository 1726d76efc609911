"""The max-min fair point: the largest least utility, then the largest second least, and so on, stage by stage.

A stage raises the level t that all unsettled rows reach while the settled ones keep what they have. The rows that hold
it down (those with a multiplier) get exactly t in *every* optimum, so they are settled; and so is every row that is a
combination of settled ones. Unsettled rows are none, so each stage adds a dimension, and there are at most K.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.maximin.levels import highest_level
from isegoria.solvers.ties.selection import shortest

HOLDS = 1e-7  # the part of the largest multiplier from which on one settles its row; smaller ones may wait a stage
SPANNED = 1e-9  # what is left of a row outside the span of the settled ones that is nothing but rounding


class Stage(NamedTuple):
    """A `level`, the `rows` that are settled at it, and the `multipliers` (N,) of all rows, which prove that no policy
    that keeps what was settled before gives all others more; `gap` is how far the policy that was found is below it."""

    level: float
    rows: np.ndarray
    multipliers: np.ndarray
    gap: float


def leximin(rows: np.ndarray, fair: Fair | None = None) -> tuple[Answer, list[Stage]]:
    """(answer, stages): the policy of the lexicographically largest sorted utilities `rows` @ p, among all or the
    `fair` ones, and of those the one of least norm; the answer's gap is the largest of the stages'.

    >>> approvals = np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    >>> answer, stages = leximin(approvals)
    >>> (approvals @ answer.policy).round(6).tolist(), len(stages)
    ([0.5, 0.75, 0.75, 0.75, 0.5], 2)
    """
    count, arms = rows.shape
    settled = np.full(count, np.nan)  # what each settled row gets
    span = np.full((1, arms), arms**-0.5)  # an orthonormal basis of the settled rows and of Σp
    stages: list[Stage] = []
    policy = np.full(arms, 1 / arms)
    while np.isnan(settled).any():
        if len(stages) >= arms:
            raise CertificationError(
                "the stages of leximin do not end, as agents are tied whom only rounding tells apart; rounding the "
                "means to 9 decimals usually helps."
            )
        found, free = highest_level(rows, settled, fair), np.isnan(settled)
        holding = np.flatnonzero(free & (found.multipliers > HOLDS * found.multipliers[free].max()))
        stages.append(Stage(found.level, holding, found.multipliers, max(found.level - found.value, 0.0)))
        policy = found.policy
        settled[holding] = rows[holding] @ policy
        span = _spanned(span, rows[holding])
        inside = np.isnan(settled) & (np.linalg.norm(rows - (rows @ span.T) @ span, axis=1) <= SPANNED)
        settled[inside] = rows[inside] @ policy
    policy, margin = shortest(rows, policy, None if fair is None else fair.separate)
    missed = float(np.abs(rows @ policy - settled).max())
    return Answer(policy, float("nan"), max([missed, *(stage.gap for stage in stages)]), margin), stages


def _spanned(span: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis of `span`, which is one, and of `rows`."""
    left = rows - (rows @ span.T) @ span
    _, sizes, directions = np.linalg.svd(left, full_matrices=False)
    return np.vstack([span, directions[sizes > SPANNED]])
