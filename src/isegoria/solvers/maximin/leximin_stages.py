"""Leximin (max-min fairness): maximise the minimum utility, then the second smallest, and so on, in stages.

A stage raises the level t that all free rows reach while the settled ones keep what they have. The rows that hold it
down (those with a multiplier) get exactly t in *every* optimum, so they are settled; and so is every row that is a
combination of settled ones on the arms that are left: an arm that is worth less to the multipliers is played in no
optimum. Free rows are never such combinations, so each stage adds a dimension, and there are at most K.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers import method_limits
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.maximin.exact_stage import highest_level_by_program
from isegoria.solvers.maximin.levels import Level, highest_level
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.equation_face import Face, select_on_face
from isegoria.solvers.ties.selection import least_norm_equivalent
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter
from isegoria.utils.threads import single_blas_thread

MIN_HOLDING_MULTIPLIER = (
    1e-7  # relative to the largest multiplier; from this on, a multiplier fixes its row, others may wait a stage
)
STAGE_GAP = 1e-13  # a larger gap of the games is left to the linear program
SPAN_TOLERANCES = (1e-12, 1e-9, 1e-13, 1e-11)
"""A smaller residual of a row outside the span of the fixed rows is rounding. Where agents are so nearly alike that the
utilities of the answer miss those of the stages, the next one is tried."""


class Stage(NamedTuple):
    """A `level`, the `rows` settled at it, and the `multipliers` (N,) of all rows, which prove it.

    They prove that no policy that keeps what was settled before gives all others more. `gap` is how far the policy
    found is below the level.
    """

    level: float
    rows: np.ndarray
    multipliers: np.ndarray
    gap: float


def solve_leximin(rows: np.ndarray, fair: FairPolytope | None = None) -> tuple[SolverResult, list[Stage]]:
    """Return (answer, stages): the policy whose sorted utilities `rows` @ p are lexicographically largest.

    It is over all or the `fair` policies, and among those with the same utilities the one of minimum norm. The answer's
    gap is the largest of the stages'.

    >>> approvals = np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    >>> answer, stages = solve_leximin(approvals)
    >>> (approvals @ answer.policy).round(6).tolist(), len(stages)
    ([0.5, 0.75, 0.75, 0.75, 0.5], 2)
    """
    best: tuple[SolverResult, list[Stage]] | None = None
    for rounding in SPAN_TOLERANCES:
        found = _solve_stages(rows, fair, rounding)
        if found is not None and (best is None or found[0].gap < best[0].gap):
            best = found
        if best is not None and best[0].gap <= tolerances.LEXIMIN_GAP:
            break
    if best is None:
        raise CertificationError(
            "the stages of leximin do not end, as agents are tied whom only rounding tells apart; rounding the means "
            "to 9 decimals usually helps."
        )
    return best


@single_blas_thread()
def _solve_stages(
    rows: np.ndarray, fair: FairPolytope | None, rounding: float
) -> tuple[SolverResult, list[Stage]] | None:
    """Return the answer of `solve_leximin`, or None if there are more stages than arms."""
    count, width = rows.shape
    settled, implied = np.full(count, np.nan), np.zeros(count, dtype=bool)  # utilities; rows in the span of others
    arms, span = np.arange(width), np.full((1, width), width**-0.5)  # an orthonormal basis of the fixed rows and of Σp
    stages: list[Stage] = []
    policy = np.full(width, 1 / width)
    while np.isnan(settled).any():
        if len(stages) >= width:
            return None
        part, asked = np.ascontiguousarray(rows[~implied][:, arms]), np.flatnonzero(~implied)
        found = _solve_stage(part, settled[asked], fair)
        multipliers, free = np.zeros(count), np.isnan(settled)
        multipliers[asked] = found.multipliers
        holding = np.flatnonzero(free & (multipliers > MIN_HOLDING_MULTIPLIER * multipliers[free].max()))
        stages.append(Stage(found.level, holding, multipliers, max(found.gap, 0.0)))
        policy = scatter(found.policy, arms, width)
        settled[holding] = rows[holding] @ policy
        worth = found.multipliers @ part / multipliers[free].sum()
        open_arms = (worth >= worth.max() - rounding) | (found.policy > 0) | (fair is not None)
        if open_arms.all():
            span = _extend_basis(span, rows[holding][:, arms], rounding)
        else:  # the others are played in no optimum, so rows need to agree on these alone
            arms = arms[open_arms]
            bound = rows[~np.isnan(settled) & ~implied][:, arms]
            span = _extend_basis(np.full((1, len(arms)), len(arms) ** -0.5), bound, rounding)
        inner = rows[:, arms]
        inside = np.linalg.norm(inner - (inner @ span.T) @ span, axis=1) <= rounding
        implied |= inside & np.isnan(settled)
        settled[implied & np.isnan(settled)] = (rows @ policy)[implied & np.isnan(settled)]
    chosen, margin = _choose(rows, policy, arms, span, fair)
    if np.abs(rows @ chosen - settled).max() <= tolerances.OPTIMUM_TIE / 2:
        policy = chosen
    else:  # agents or arms are so nearly alike that rounding cannot tell what is fixed
        margin = 0.0
    missed = float(np.abs(rows @ policy - settled).max())
    return SolverResult(policy, float("nan"), max([missed, *(stage.gap for stage in stages)]), margin), stages


def _choose(
    rows: np.ndarray, policy: np.ndarray, arms: np.ndarray, span: np.ndarray, fair: FairPolytope | None
) -> tuple[np.ndarray, float]:
    """Return (policy, margin): the policy of minimum norm on these arms that keeps what all optima have in common."""
    if fair is not None:
        return least_norm_equivalent(rows, policy, fair)
    face = Face(arms, span[1:], span[1:] @ policy[arms], policy, np.inf)
    chosen = select_on_face(face, Selection(TieBreak.CENTRE, np.zeros(len(policy))))
    return (policy, 0.0) if chosen is None else (simplex_point(chosen[0]), chosen[1])


def _solve_stage(rows: np.ndarray, held: np.ndarray, fair: FairPolytope | None) -> Level:
    """Return the highest level, by matrix games or by a linear program: first by the quicker, then by the other.

    The second is asked only where the first does not prove its level.
    """
    if fair is not None:
        return highest_level(rows, held, fair)
    methods: list[Callable[[np.ndarray, np.ndarray], Level | None]] = [highest_level, highest_level_by_program]
    best = None
    whole = rows.size > method_limits.GAME_ENTRIES and bool(np.isnan(held).all())
    for method in reversed(methods) if whole else methods:
        found = method(rows, held)
        if found is not None and (best is None or found.gap < best.gap):
            best = found
        if best is not None and best.gap <= STAGE_GAP:
            break
    assert best is not None
    return best


def _extend_basis(span: np.ndarray, rows: np.ndarray, rounding: float) -> np.ndarray:
    """Extend the orthonormal basis `span` to one of `span` and `rows`."""
    left = rows - (rows @ span.T) @ span
    _, sizes, directions = np.linalg.svd(left, full_matrices=False)
    return np.vstack([span, directions[sizes > rounding]])
