"""max Σ_i w_i log(Ap)_i over the simplex for a sparse table of many arms: a few passes over what is not 0.

Homogeneity drops the simplex: minimise −Σ w log(Ax) + Σx over x ≥ 0, and Σx = 1 at the optimum. Multiplicative (EM)
steps tell the arms that have a part in it from the rest. Where few are left, Newton's method works on those alone, with
their Hessian; where many are, a primal–dual interior point whose systems conjugate gradients solve, so that no K × K
matrix is ever formed. The certificate is taken over all arms, and an arm that was left out in error joins again.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.rows.equal_arms import Kinds, alike_in_lists
from isegoria.rows.listed import Listed
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import placed
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.nash.interior_point import interior_point
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.sparse_rows import SparseRows, fixed_arms
from isegoria.solvers.nash.working_set import newton_on
from isegoria.solvers.ties.face import pick
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.threads import one_thread

WARM_UP = 20
"""Multiplicative steps: by then the slope of an arm that has no part in the optimum is clearly below 1."""

IDLE = 0.9
"""An arm whose slope is below this after the warm-up is left out at first."""

FLAT = 1e-60
"""Curvature that is none."""

INVERSE_TURNS = 2
ROUGH = 1e-2
MOST_TURNS = 200
DENSELY = 250_000  # entries of a table that Newton's method in pairs of doubles may try where nothing else is proved
MOST_FINISHING = 2_000  # steps to a witness; nearly always one
MOST_JOINS = 5  # times that arms join in the last resort

FEW = 400
"""Arms up to which a Hessian is formed and factored: beyond, conjugate gradients were faster on every table tried."""


def maximise_sparse(table: SparseRows, weights: np.ndarray, choice: Selection) -> Answer:
    """The `Answer` of max Σ w_i log(Ap)_i, whose value is the mean of the logarithms; every row has a positive entry,
    and the `weights` (m,) are positive and sum to 1."""
    policy, slopes = _warm(table, weights)
    arms = _enough_for_all(table, np.flatnonzero((slopes > IDLE) | (policy > IDLE / table.arms)))
    while True:
        part = table if len(arms) == table.arms else table.on(arms)
        start = policy[arms] / policy[arms].sum()
        found = newton_on(part, weights, start) if len(arms) <= FEW else interior_point(part, weights, start)
        policy = placed(found, arms, table.arms)
        values, slopes = table.slopes(weights, policy)
        if values.min() <= 0:
            break
        missing = np.setdiff1d(np.flatnonzero(slopes > 1 + tolerances.NEWTON_SETTLED), arms)
        if not len(missing):
            break
        arms = np.union1d(arms, missing)
        policy = 0.99 * policy
        policy[arms] += 0.01 / len(arms)
    if float(slopes.max()) - 1 > tolerances.NASH_GAP or values.min() <= 0:
        policy = _densely(table, weights, policy, arms)
        values, slopes = table.slopes(weights, policy)
    chosen = _chosen(table, weights, simplex_point(policy), values, slopes, choice)
    if chosen.gap <= tolerances.NASH_GAP:
        return chosen
    return _certified(table, weights, simplex_point(policy), 0.0)  # too thin a set of optima to choose from


def _densely(table: SparseRows, weights: np.ndarray, policy: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """(K,) the best policy by Newton's method that ends in pairs of doubles, the last resort: on the `arms` at hand and
    those that turn out to be missing, so that it costs little more than what failed on them."""
    policy = (policy + 1 / table.arms) / 2  # no row has nothing, should it stay
    for _ in range(MOST_JOINS):
        with suppress(CertificationError):
            policy = placed(maximise(_dense(table.on(arms)), weights).policy, arms, table.arms)
        slopes = table.slopes(weights, policy)[1]
        missing = np.setdiff1d(np.flatnonzero(slopes > 1 + tolerances.NASH_GAP), arms)
        if not len(missing):
            break
        arms = np.union1d(arms, missing)
    return policy


def _dense(table: SparseRows) -> np.ndarray:
    """(m, n) the table with its zeros."""
    whole = np.zeros((table.rows, table.arms))
    rows = np.repeat(np.arange(table.rows), np.diff(table.starts))
    whole[rows, table.items] = 1.0 if table.entries is None else table.entries
    return whole


def _enough_for_all(table: SparseRows, arms: np.ndarray) -> np.ndarray:
    """The arms, and all those of every row to which they would leave next to nothing."""
    kept = placed(1.0, arms, table.arms)
    without = table.values(kept) <= tolerances.NEAR_TIE
    if not without.any():
        return arms
    kept[table.items[np.repeat(without, np.diff(table.starts))]] = 1.0
    return np.flatnonzero(kept)


@one_thread()
def sets_of_many_arms(sets: Listed, weights: np.ndarray, choice: Selection) -> Answer:
    """The `Answer` of the largest product of decision shares, whose value is their geometric mean, for m favourite sets
    as lists of arms, each counted `weights` (m,) times; a list that is empty stands for all arms.

    Its last step p_k ← p_k s_k makes y_ik = w_i p_k 1{k ∈ F_i} / d_i, from the p before it, a witness of the policy.

    >>> pair = Listed(np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32), None, 2)
    >>> sets_of_many_arms(pair, np.array([2, 1]), Selection("centre", np.zeros(2))).policy.round(6).tolist()
    [0.666667, 0.333333]
    """
    choosy = np.flatnonzero(np.diff(sets.starts) > 0)
    if not len(choosy):
        return everything_is_best(sets.arms, choice)._replace(value=1.0)
    part = weights[choosy].sum() / weights.sum()
    rows = sets if len(choosy) == sets.rows else sets.take(choosy)
    kinds = Kinds.of(alike_in_lists(rows), choice.direction if choice.tie_break == TieBreak.UTILITARIAN else None)
    rows, shares = kinds.told_once(rows), weights[choosy] / weights[choosy].sum()
    table = SparseRows(rows.starts, rows.items, None, rows.arms)
    asked = Selection(
        choice.tie_break, np.zeros(rows.arms) if kinds.direction is None else kinds.direction, kinds.copies
    )
    found = maximise_sparse(table, shares, asked)
    last = _witnessed(table, shares, found._replace(margin=min(found.margin, kinds.margin)))
    if last.gap > tolerances.NASH_GAP and rows.rows * rows.arms <= DENSELY:
        with suppress(CertificationError):
            dense = maximise(rows.dense().astype(float), shares, *asked)
            last = _witnessed(table, shares, dense._replace(margin=min(dense.margin, kinds.margin)))
    shared = simplex_point(kinds.shared(last.policy, choice.tie_break == TieBreak.VERTEX))
    return last._replace(policy=shared, value=float(np.exp(part * last.value)), gap=float(part * last.gap))


def _witnessed(table: SparseRows, weights: np.ndarray, found: Answer) -> Answer:
    """`found` after a step p_k ← p_k s_k. Where weights span ten decades that step moves the shares of the lightest,
    and some more bring them back, none of which is worse."""
    step = found
    for turn in range(MOST_FINISHING):
        policy = simplex_point(step.policy * table.slopes(weights, step.policy)[1])
        step = _certified(table, weights, policy, 0.0 if turn else found.margin)
        if step.gap <= tolerances.NASH_GAP:
            break
    return step


@one_thread()
def rows_of_many_arms(rows: Listed, weights: np.ndarray, choice: Selection) -> Answer:
    """The `Answer` of max Σ w_i log(rows p)_i, whose value is the geometric mean of the values, for sparse rows, each
    counted `weights` (m,) times; rows of zeros do not count, but some row must.

    >>> pair = Listed(np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32), np.array([1.0, 0.5]), 2)
    >>> rows_of_many_arms(pair, np.array([2, 1]), Selection("centre", np.zeros(2))).policy.round(6).tolist()
    [0.666667, 0.333333]
    """
    counted = np.flatnonzero(np.diff(rows.starts) > 0)
    rows, weights = (rows, weights) if len(counted) == rows.rows else (rows.take(counted), weights[counted])
    entries = np.ones(len(rows.items)) if rows.entries is None else rows.entries
    best, shares = np.maximum.reduceat(entries, rows.starts[:-1]), weights / weights.sum()
    scaled = rows.divided(best)
    table = SparseRows(scaled.starts, scaled.items, scaled.entries, rows.arms)
    found = maximise_sparse(table, shares, choice)
    return found._replace(value=float(np.exp(found.value + shares @ np.log(best))))


def everything_is_best(arms: int, choice: Selection) -> Answer:
    """The `Answer` where every policy is optimal, with a value of 0: the most even one, or the first corner."""
    even = np.ones(arms) if choice.copies is None else choice.copies.astype(float)
    policy = np.eye(1, arms)[0] if choice.tie_break == "vertex" else simplex_point(even)
    return Answer(policy, 0.0, 0.0, float("inf"))


def _warm(table: SparseRows, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(policy, slopes) after some multiplicative steps from the uniform policy."""
    policy = np.full(table.arms, 1 / table.arms)
    for _ in range(WARM_UP):
        policy *= table.slopes(weights, policy)[1]
    return policy, table.slopes(weights, policy)[1]


def _chosen(
    table: SparseRows,
    weights: np.ndarray,
    policy: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray,
    choice: Selection,
) -> Answer:
    """The optimum that `tie_break` asks for: the optima differ only on tight arms that the values do not fix."""
    slack = 1 - slopes
    tight = np.flatnonzero((slack <= tolerances.OPTIMUM_TIE) | (policy > tolerances.OPTIMUM_TIE))
    margin = float(slack[slack > tolerances.OPTIMUM_TIE].min(initial=np.inf))
    part = table.on(tight)
    policy = np.where(np.isin(np.arange(table.arms), tight), policy, 0.0)  # what is left elsewhere is dust
    curves = weights / values / values
    loose = np.flatnonzero(~fixed_arms(part))
    if len(loose):
        arms = tight[loose]
        tie_break, aim, alike = choice.on(arms)
        hessian = part.curvature(curves, loose)
        moved, sharpness = pick(hessian, policy[arms], slack[arms], tie_break, aim, copies=alike)
        policy[arms] = moved
        margin = min(margin, sharpness)
    if len(loose) < len(tight):
        margin = min(margin, _least_curvature(part, curves))
    return _certified(table, weights, simplex_point(policy), margin)


def _least_curvature(part: SparseRows, curves: np.ndarray) -> float:
    """About the smallest eigenvalue of the Hessian, by inverse iteration with conjugate gradients."""
    turned, length = 1.0 + np.arange(part.arms) % 3 - 2 * (np.arange(part.arms) % 2), 1.0
    for _ in range(INVERSE_TURNS):
        turned /= np.linalg.norm(turned)
        turned = part.conjugate_gradients(curves, np.zeros(part.arms), turned, ROUGH, MOST_TURNS)[0]
        if not np.abs(turned).max() < 1 / FLAT:  # along a direction without curvature the gradients run away
            return 0.0
        length = float(np.linalg.norm(turned))
    return 1 / length if length > 0 else 0.0


def _certified(table: SparseRows, weights: np.ndarray, policy: np.ndarray, margin: float) -> Answer:
    values, slopes = table.slopes(weights, policy)
    return Answer(policy, float(weights @ np.log(values)), max(float(slopes.max()) - 1, 0.0), margin)
