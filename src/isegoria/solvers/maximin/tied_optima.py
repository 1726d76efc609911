"""Choose among the optima of a maximin program over many arms.

The optima are a polytope: the policies whose lowest cut reaches the optimum. Its point of minimum norm is found in the
dual, whose variables are cuts, since few of them matter (`ties/least_norm`). The largest total comes first from a
second program, in which every row gains a small multiple ε of the total. If its policy is an optimum of the first, its
bound less the value, divided by ε, bounds the total of every optimum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare, MinimumWelfare
from isegoria.solvers.result import Selection
from isegoria.solvers.rows.simplex import inner, simplex_point
from isegoria.solvers.ties.least_norm import least_norm_of_cuts
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter, to_dense

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import FairPolytope

IDLE_ARM_SLACK = 1e-7  # arms worth less than the mixture's best by more have negligible probability
TOTAL_WEIGHTS = (1 / 16, 1 / 1024, 1 / 65536)  # ε; powers of two, so that only the sum is rounded
TOTAL_SLACKS = (tolerances.OPTIMUM_TIE / 2, 5 * tolerances.OPTIMUM_TIE)
CUTS_PER_ROUND = 16
ROUNDING_SLACK = tolerances.OPTIMUM_ROUNDING  # a smaller slack is rounding

Cuts = tuple[np.ndarray, np.ndarray]
Program = Callable[[np.ndarray], BoundedPolicy | None]
"""Maximises the welfare of other rows (N, n) over the same policies."""


def choose_tied_optimum(
    welfare: MinimumWelfare | GiniWelfare,
    rows: Any,
    found: BoundedPolicy,
    choice: Selection,
    program: Program,
    fair: FairPolytope | None = None,
) -> tuple[np.ndarray, float]:
    """Return (policy, margin): the optimum of minimum norm, or first of maximum direction·p, near the one `found`.

    `rows` (N, K) are dense or sparse. If the set of optima is too thin to choose from, the margin is 0 and the policy
    is the one found. `program` solves the second program, on the arms that can be played.
    """
    slack = found.bound - np.asarray(found.mixture @ rows).ravel() if fair is None else np.zeros(rows.shape[1])
    arms = np.flatnonzero((slack <= IDLE_ARM_SLACK) | (found.policy > tolerances.NEAR_TIE))
    margin = min(_doubtful(slack), float(np.delete(slack, arms).min(initial=np.inf)))
    if found.margin > 0 and (found.policy[arms] > 0).all():  # it is the only optimum
        return found.policy, min(margin, found.margin)
    part = np.ascontiguousarray(to_dense(rows[:, arms]))
    level, aim = found.value - tolerances.FACE_DEPTH, choice.direction[arms]
    held = part[found.mixture > tolerances.NEAR_TIE]
    if isinstance(welfare, GiniWelfare):
        held = (found.mixture @ part)[None] if fair is None else part[:0]

    def nearest(some: np.ndarray, total: float | None = None) -> tuple[np.ndarray, float] | None:
        """Return the choice on `some` of the arms, of at least this total."""
        kept = np.ascontiguousarray(part[:, some])
        given = np.ascontiguousarray(held[:, some])
        counts = np.ones(len(arms[some])) if choice.copies is None else choice.copies[arms[some]].astype(float)
        bounds = np.full(len(given), level)
        if total is not None:
            given, bounds = np.vstack([aim[some], given]), np.append(total, bounds)
        point = least_norm_of_cuts(given, bounds, counts, 0, _cutter(welfare, kept, level, fair))
        if point is None:
            return None
        return simplex_point(scatter(counts * point.point, arms[some], len(slack))), min(margin, point.margin)

    everything = np.ones(len(arms), dtype=bool)
    if choice.tie_break != TieBreak.UTILITARIAN:
        return nearest(everything) or (found.policy, 0.0)
    best = aim >= aim.max() - tolerances.OPTIMUM_TIE / 2
    if fair is None and welfare.value(part[:, best].max(axis=1)) >= level:
        alone = nearest(best)
        if alone is not None:  # nothing else is as useful as the best arms
            return alone[0], min(alone[1], float((aim.max() - aim[~best]).min(initial=np.inf)))
    top = _maximise_total(welfare, part, found.value, aim, program)
    if top is None:
        return found.policy, 0.0
    total, apart = top
    near = everything
    if fair is None:
        near = apart <= IDLE_ARM_SLACK
        margin = min(margin, _doubtful(apart), float(apart[~near].min(initial=np.inf)))
    for room in TOTAL_SLACKS:  # the first leaves a set that may be too thin for rounding
        chosen = nearest(near, total - room)
        if chosen is not None:
            return chosen
    return found.policy, 0.0


def _cutter(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, level: float, fair: FairPolytope | None
) -> Callable[[np.ndarray], Cuts]:
    """Return a function that finds cuts below the `level`, and what a policy lacks to be `fair`."""
    cuts = welfare(rows) if isinstance(welfare, GiniWelfare) else None

    def violated(policy: np.ndarray) -> Cuts:
        if cuts is None:
            utilities = rows @ policy
            low = np.flatnonzero(utilities < level - tolerances.CUT_VIOLATION)
            low = low[np.argsort(utilities[low], kind="stable")[:CUTS_PER_ROUND]]
            normals = rows[low]
        else:
            value, normal = cuts.cut(policy)
            normals = normal[None, :] if value < level - tolerances.CUT_VIOLATION else rows[:0]
        bounds = np.full(len(normals), level)
        unfair = None if fair is None else fair.separate(policy)
        if unfair is not None and unfair[1] - inner(unfair[0], policy) > tolerances.CUT_VIOLATION:
            return np.vstack([normals, unfair[0]]), np.append(bounds, unfair[1])
        return normals, bounds

    return violated


def _maximise_total(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, value: float, direction: np.ndarray, program: Program
) -> tuple[float, np.ndarray] | None:
    """Return (total, slack (n,)): the largest direction·p of an optimum, and how far each arm is from such an optimum.

    None if it is not proved.
    """
    for little in TOTAL_WEIGHTS:
        tried = program(rows + little * direction)
        if tried is None:
            continue
        reached = inner(direction, tried.policy)
        short = value - welfare.value(rows @ tried.policy)
        if short <= tolerances.FACE_DEPTH and tried.bound - value - little * reached <= tolerances.FACE_DEPTH:
            return reached, tried.bound - tried.mixture @ (rows + little * direction)
    return None


def _doubtful(slack: np.ndarray) -> float:
    """Return the smallest slack above rounding that was counted as 0, or infinity: a choice may depend on it."""
    return float(slack[(slack > ROUNDING_SLACK) & (slack <= IDLE_ARM_SLACK)].min(initial=np.inf))
