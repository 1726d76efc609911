"""max Σ_i w_i log(Ap)_i over the simplex for a sparse table with many arms, in a few passes over its nonzeros.

Homogeneity removes the simplex constraint: minimise −Σ w log(Ax) + Σx over x ≥ 0, and Σx = 1 at the optimum.
Multiplicative (EM) steps separate the arms in the support from the rest. If few remain, Newton's method works on those
alone, with their Hessian. If many remain, a primal–dual interior-point method solves its systems by conjugate
gradients, so that no K × K matrix is formed. The certificate covers all arms, and an arm that was left out in error is
added again.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers.nash.interior_point import interior_point
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.sparse_newton import sparse_newton
from isegoria.solvers.nash.sparse_rows import SparseRows, fixed_arms
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.csr_rows import CsrRows
from isegoria.solvers.rows.duplicate_arms import DuplicateArms, group_equal_columns_sparse
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.equation_face import Face, select_on_face
from isegoria.solvers.ties.face import pick
from isegoria.solvers.ties.flat_directions import fixed_directions
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.utils import tolerances
from isegoria.utils.arrays import repeat_values, scatter
from isegoria.utils.threads import single_blas_thread

WARM_UP_STEPS = 20
"""Number of multiplicative steps. After them, the slope of an arm outside the optimum is clearly below 1."""

IDLE_SLOPE = 0.9
"""An arm whose slope is below this after the warm-up is left out initially."""

ZERO_CURVATURE = 1e-60
"""A curvature this small counts as zero."""

INVERSE_ITERATIONS = 2
ROUGH_CG_TOLERANCE = 1e-2
MAX_CG_ITERATIONS = 200
MAX_DENSE_FALLBACK_ENTRIES = (
    250_000  # maximum entries for Newton's method in double-double arithmetic, if nothing else is certified
)
MAX_PICKED_ARMS = 100
"""The choice among more tied arms than this, and than rows, is made in the dual of the rows: a Hessian of 1,000 arms
took 1.5 s."""

MAX_WITNESS_STEPS = 2_000  # steps to a witness; nearly always one
MAX_ARM_ADDITIONS = 5  # number of times that arms are added in the last resort

MAX_HESSIAN_ARMS = 400
"""Up to this many arms, the Hessian is formed and factored; with more, conjugate gradients were faster on every table
tried."""


def maximise_log_sum_sparse(table: SparseRows, weights: np.ndarray, choice: Selection) -> SolverResult:
    """Maximise Σ w_i log(Ap)_i; the value of the `SolverResult` is the mean of the logarithms.

    Every row has a positive entry, and the `weights` (m,) are positive and sum to 1.
    """
    policy, slopes = _warm_up(table, weights)
    arms = _cover_all_rows(table, np.flatnonzero((slopes > IDLE_SLOPE) | (policy > IDLE_SLOPE / table.arms)))
    while True:
        part = table if len(arms) == table.arms else table.on(arms)
        start = policy[arms] / policy[arms].sum()
        found = (
            sparse_newton(part, weights, start)
            if len(arms) <= MAX_HESSIAN_ARMS
            else interior_point(part, weights, start)
        )
        policy = scatter(found, arms, table.arms)
        values, slopes = table.slopes(weights, policy)
        if values.min() <= 0:
            break
        missing = np.setdiff1d(np.flatnonzero(slopes > 1 + tolerances.NEWTON_CONVERGED), arms)
        if not len(missing):
            break
        arms = np.union1d(arms, missing)
        policy = 0.99 * policy
        policy[arms] += 0.01 / len(arms)
    if float(slopes.max()) - 1 > tolerances.NASH_GAP or values.min() <= 0:
        policy = _solve_densely(table, weights, policy, arms)
        values, slopes = table.slopes(weights, policy)
    chosen = _break_ties(table, weights, simplex_point(policy), values, slopes, choice)
    if chosen.gap <= tolerances.NASH_GAP:
        return chosen
    return _certify(table, weights, simplex_point(policy), 0.0)  # the set of optima is too thin for a choice


def _solve_densely(table: SparseRows, weights: np.ndarray, policy: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """Return the best policy (K,) by Newton's method in pairs of doubles on a dense table, the last resort.

    It runs on the given `arms` and those that turn out to be missing, so that it costs little more than the method that
    failed on them.
    """
    policy = (policy + 1 / table.arms) / 2  # every row has a positive value, even if this policy is kept
    for _ in range(MAX_ARM_ADDITIONS):
        with suppress(CertificationError):
            policy = scatter(maximise(_to_dense(table.on(arms)), weights).policy, arms, table.arms)
        slopes = table.slopes(weights, policy)[1]
        missing = np.setdiff1d(np.flatnonzero(slopes > 1 + tolerances.NASH_GAP), arms)
        if not len(missing):
            break
        arms = np.union1d(arms, missing)
    return policy


def _to_dense(table: SparseRows) -> np.ndarray:
    """Return the table (m, n) as a dense array."""
    whole = np.zeros((table.rows, table.arms))
    rows = repeat_values(np.arange(table.rows), np.diff(table.starts))
    whole[rows, table.items] = 1.0 if table.entries is None else table.entries
    return whole


def _cover_all_rows(table: SparseRows, arms: np.ndarray) -> np.ndarray:
    """Extend `arms` by all arms of every row whose total over them is negligible, so that every row keeps a value."""
    kept = scatter(1.0, arms, table.arms)
    without = table.values(kept) <= tolerances.NEAR_TIE
    if not without.any():
        return arms
    kept[table.items[repeat_values(without, np.diff(table.starts))]] = 1.0
    return np.flatnonzero(kept)


@single_blas_thread()
def solve_sparse_sets(sets: CsrRows, weights: np.ndarray, choice: Selection) -> SolverResult:
    """Maximise the product of decision shares for m favourite sets as lists of arms; an empty list means all arms.

    Each set counts `weights` (m,) times; the value of the `SolverResult` is the geometric mean of the shares. The last
    step
    p_k ← p_k s_k makes y_ik = w_i p_k 1{k ∈ F_i} / d_i, from the p before it, a witness of the policy.

    >>> pair = CsrRows(np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32), None, 2)
    >>> solve_sparse_sets(pair, np.array([2, 1]), Selection("centre", np.zeros(2))).policy.round(6).tolist()
    [0.666667, 0.333333]
    """
    choosy = np.flatnonzero(np.diff(sets.starts) > 0)
    if not len(choosy):
        return all_policies_optimal(sets.arms, choice)._replace(value=1.0)
    part = weights[choosy].sum() / weights.sum()
    rows = sets if len(choosy) == sets.rows else sets.take(choosy)
    kinds = DuplicateArms.of(
        group_equal_columns_sparse(rows), choice.direction if choice.tie_break == TieBreak.UTILITARIAN else None
    )
    rows, shares = kinds.told_once(rows), weights[choosy] / weights[choosy].sum()
    table = SparseRows(rows.starts, rows.items, None, rows.arms)
    asked = Selection(
        choice.tie_break, np.zeros(rows.arms) if kinds.direction is None else kinds.direction, kinds.copies
    )
    found = maximise_log_sum_sparse(table, shares, asked)
    last = _make_witness(table, shares, found._replace(margin=min(found.margin, kinds.margin)))
    if last.gap > tolerances.NASH_GAP and rows.rows * rows.arms <= MAX_DENSE_FALLBACK_ENTRIES:
        with suppress(CertificationError):
            dense = maximise(rows.dense().astype(float), shares, *asked)
            last = _make_witness(table, shares, dense._replace(margin=min(dense.margin, kinds.margin)))
    shared = simplex_point(kinds.shared(last.policy, choice.tie_break == TieBreak.VERTEX))
    return last._replace(policy=shared, value=float(np.exp(part * last.value)), gap=float(part * last.gap))


def _make_witness(table: SparseRows, weights: np.ndarray, found: SolverResult) -> SolverResult:
    """Apply a step p_k ← p_k s_k to the policy that was `found`, and more until it is certified.

    Where weights span ten decades that step moves the shares of the lightest sets; further steps bring them back, none
    of which is worse.
    """
    step = found
    for turn in range(MAX_WITNESS_STEPS):
        policy = simplex_point(step.policy * table.slopes(weights, step.policy)[1])
        step = _certify(table, weights, policy, 0.0 if turn else found.margin)
        if step.gap <= tolerances.NASH_GAP:
            break
    return step


@single_blas_thread()
def solve_sparse_rows(rows: CsrRows, weights: np.ndarray, choice: Selection) -> SolverResult:
    """Maximise Σ w_i log(rows p)_i for sparse rows; the value of the `SolverResult` is the geometric mean of the
    values.

    Each row counts `weights` (m,) times. Rows of zeros do not count, but at least one row must.

    >>> pair = CsrRows(np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32), np.array([1.0, 0.5]), 2)
    >>> solve_sparse_rows(pair, np.array([2, 1]), Selection("centre", np.zeros(2))).policy.round(6).tolist()
    [0.666667, 0.333333]
    """
    counted = np.flatnonzero(np.diff(rows.starts) > 0)
    rows, weights = (rows, weights) if len(counted) == rows.rows else (rows.take(counted), weights[counted])
    entries = np.ones(len(rows.items)) if rows.entries is None else rows.entries
    best, shares = np.maximum.reduceat(entries, rows.starts[:-1]), weights / weights.sum()
    scaled = rows.divided(best)
    table = SparseRows(scaled.starts, scaled.items, scaled.entries, rows.arms)
    found = maximise_log_sum_sparse(table, shares, choice)
    return found._replace(value=float(np.exp(found.value + shares @ np.log(best))))


def all_policies_optimal(arms: int, choice: Selection) -> SolverResult:
    """Return the `SolverResult` if every policy is optimal, with value 0: the most even policy, or the first vertex."""
    even = np.ones(arms) if choice.copies is None else choice.copies.astype(float)
    policy = np.eye(1, arms)[0] if choice.tie_break == "vertex" else simplex_point(even)
    return SolverResult(policy, 0.0, 0.0, float("inf"))


def _warm_up(table: SparseRows, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (policy, slopes) after some multiplicative steps from the uniform policy."""
    policy = np.full(table.arms, 1 / table.arms)
    for _ in range(WARM_UP_STEPS):
        policy *= table.slopes(weights, policy)[1]
    return policy, table.slopes(weights, policy)[1]


def _break_ties(
    table: SparseRows,
    weights: np.ndarray,
    policy: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray,
    choice: Selection,
) -> SolverResult:
    """Choose the optimum that `tie_break` asks for: optima differ only on tight arms that the values do not fix."""
    slack = 1 - slopes
    tight = np.flatnonzero((slack <= tolerances.OPTIMUM_TIE) | (policy > tolerances.OPTIMUM_TIE))
    margin = float(slack[slack > tolerances.OPTIMUM_TIE].min(initial=np.inf))
    part = table.on(tight)
    policy = np.where(np.isin(np.arange(table.arms), tight), policy, 0.0)  # the other probabilities are negligible
    curves = weights / values / values
    loose = np.flatnonzero(~fixed_arms(part))
    if len(loose):
        arms = tight[loose]
        asked = choice.on(arms)
        if len(arms) > max(MAX_PICKED_ARMS, table.rows):
            square_root = np.sqrt(curves)[:, None] * _to_dense(table.on(arms))
            policy[arms], sharpness = _choose_by_rows(square_root, policy[arms], asked)
        else:
            tie_break, aim, alike = asked
            hessian = part.curvature(curves, loose.astype(np.int64, copy=False))
            if len(arms) > MAX_PICKED_ARMS and _is_definite(hessian):
                sharpness = tolerances.UNIQUE_CURVATURE
            else:
                policy[arms], sharpness = pick(hessian, policy[arms], slack[arms], tie_break, aim, copies=alike)
        margin = min(margin, sharpness)
    if len(loose) < len(tight):
        margin = min(margin, _min_curvature(part, curves))
    return _certify(table, weights, simplex_point(policy), margin)


def _choose_by_rows(square_root: np.ndarray, played: np.ndarray, choice: Selection) -> tuple[np.ndarray, float]:
    """Return (probabilities of the arms, margin): the choice with the values of all rows of a factor of the Hessian."""
    arms, share = len(played), float(played.sum())
    everywhere = np.ones(arms, dtype=bool)
    equal, margin = fixed_directions(square_root, played / share, everywhere, tolerances.NASH_CURVATURE_TIE)
    face = Face(np.arange(arms), np.ascontiguousarray(equal[:, :-1]), equal[:, -1].copy(), played / share, margin)
    chosen = select_on_face(face, choice)
    return (played, 0.0) if chosen is None else (share * chosen[0], chosen[1])


def _is_definite(hessian: np.ndarray) -> bool:
    """Return whether all curvatures are clearly above 0, so that there is one optimum and nothing to choose."""
    rounding = len(hessian) * np.finfo(float).eps * float(hessian.diagonal().max())
    try:
        np.linalg.cholesky(hessian - max(tolerances.UNIQUE_CURVATURE, 10 * rounding) * np.eye(len(hessian)))
    except np.linalg.LinAlgError:
        return False
    return True


def _min_curvature(part: SparseRows, curves: np.ndarray) -> float:
    """Estimate the smallest eigenvalue of the Hessian, by inverse iteration with conjugate gradients."""
    turned, length = 1.0 + np.arange(part.arms) % 3 - 2 * (np.arange(part.arms) % 2), 1.0
    for _ in range(INVERSE_ITERATIONS):
        turned /= np.linalg.norm(turned)
        turned = part.conjugate_gradients(curves, np.zeros(part.arms), turned, ROUGH_CG_TOLERANCE, MAX_CG_ITERATIONS)[0]
        if not np.abs(turned).max() < 1 / ZERO_CURVATURE:  # gradients diverge along a flat direction
            return 0.0
        length = float(np.linalg.norm(turned))
    return 1 / length if length > 0 else 0.0


def _certify(table: SparseRows, weights: np.ndarray, policy: np.ndarray, margin: float) -> SolverResult:
    values, slopes = table.slopes(weights, policy)
    return SolverResult(policy, float(weights @ np.log(values)), max(float(slopes.max()) - 1, 0.0), margin)
