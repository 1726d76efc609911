"""Does a coalition gain by leaving? By plain arithmetic, as a sorted prefix for one deviation, as a linear program.

Everything is in units of each type's best: `rows` (m, K), dense or sparse, are scaled to a maximum of 1, `shares` (m,)
sum to 1, `values` (m,) are what the types have now, `rows @ policy`, and `worth` (m,) is what a deviation Q gives in
full, `rows @ Q`. A coalition is a boolean mask over types. It blocks with Q if `member_gains` is nowhere below
-CORE_LOSS and
somewhere at least CORE_GAIN.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from isegoria.solvers.algebra.pair_products import products
from isegoria.solvers.coalition.dual_simplex_tableau import maximise_total_gain
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense


def member_gains(worth: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return what each member gains if they leave with their share and play a deviation of that `worth`."""
    return shares[members].sum() * worth[members] - values[members]


def is_blocking(worth: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> bool:
    """Return whether `members` block, by plain arithmetic."""
    if not members.any():
        return False
    gained = member_gains(worth, shares, values, members)
    return bool(gained.min() >= -tolerances.CORE_LOSS and gained.max() >= tolerances.CORE_GAIN)


def largest_coalition(worth: Any, shares: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the largest coalition in which nobody loses by the deviation; members gain more than in any smaller one.

    A type joins a coalition of share α if values / worth ≤ α, so the candidates are the prefixes of the types sorted by
    that ratio.
    """
    ratio = np.where(values > 0, np.inf, 0.0)
    with np.errstate(over="ignore"):  # an infinite ratio is correct: no share is as large
        np.divide(values, worth, out=ratio, where=worth > 0)
    order = np.argsort(ratio, kind="stable")
    joins = ratio[order] <= np.cumsum(shares[order]) + tolerances.CORE_LOSS
    members = np.zeros(len(values), dtype=bool)
    if joins.any():
        members[order[: np.flatnonzero(joins)[-1] + 1]] = True
    return members


def find_single_arm_block(question: Any, deadline: float = np.inf) -> tuple[np.ndarray, np.ndarray] | None:
    """Find a coalition that blocks by playing one arm, with that deviation; None if none is found by the `deadline`.

    `question` has `rows` (m, K), each in units of its `best` (m,), `shares` and `values`. A type with nothing now, or
    with less than its share of its best, is found here: it blocks alone with its favourite.
    """
    rows, best, shares, values = question.rows, question.best, question.shares, question.values
    columns: Any = rows if isinstance(rows, np.ndarray) else rows.tocsc()
    for arm in range(rows.shape[1]):
        if monotonic() > deadline:
            return None
        column = columns[:, arm] if columns is rows else columns[:, [arm]].toarray().ravel()
        worth = column / best
        members = largest_coalition(worth, shares, values)
        if is_blocking(worth, shares, values, members):
            return members, np.eye(1, rows.shape[1], arm)[0]
    return None


class CoalitionSearchResult(NamedTuple):
    """Result of a search: a blocking coalition and its deviation, or a proved `bound` on any coalition's gain."""

    members: np.ndarray | None
    deviation: np.ndarray | None
    bound: float


class Deviation(NamedTuple):
    """Best deviation of a coalition: a `policy` (K,), or None if someone loses under every policy; and a `bound`.

    The bound is on the total gain of this coalition under any policy by which nobody loses. It is proved by arithmetic
    from the multipliers.
    """

    policy: np.ndarray | None
    bound: float


def best_deviation(rows: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> Deviation:
    """Maximise the total gain of `members` while none of them loses; return the policy and a bound on that gain.

    The solver violates constraints by up to LINEAR_PROGRAM. So all members must first gain a little more than that.
    Where they cannot, a loss of one rounding may remain, which `is_blocking` judges.
    """
    offers, now = shares[members].sum() * rows[members], values[members]
    answer = _linear_program(offers, now + 2 * tolerances.LP_FEASIBILITY)
    if answer.x is None:
        answer = _linear_program(offers, now)
    return Deviation(None if answer.x is None else simplex_point(answer.x), _max_gain(offers, now, answer))


def _linear_program(offers: Any, least: np.ndarray) -> Any:
    """Maximise the total offers·Q such that every member is offered at least `least`; by SciPy where there is one."""
    try:
        from scipy.optimize import linprog
    except ModuleNotFoundError:
        return maximise_total_gain(to_dense(offers) - least[:, None])

    return linprog(
        -np.asarray(offers.sum(axis=0)).ravel(),
        A_ub=-offers,
        b_ub=-least,
        A_eq=np.ones((1, offers.shape[1])),
        b_eq=[1.0],
        method="highs-ds",
        options={
            "primal_feasibility_tolerance": tolerances.LP_FEASIBILITY,
            "dual_feasibility_tolerance": tolerances.LP_FEASIBILITY,
            "presolve": False,
        },
    )


def _max_gain(offers: Any, now: np.ndarray, answer: Any) -> float:
    """Return an upper bound on the total gain Σ_i g_i under any policy Q by which nobody loses.

    With multipliers λ ≥ 0 the total is at most Σ_i (1 + λ_i) g_i, and Q is a mixture of arms. The bound is 0 if there
    is no such Q. Multipliers are large where data are nearly tied, so the sums are computed in pairs of doubles.
    """
    if answer.status == 2:  # infeasible: the solver proved that every policy makes some member worse off
        return 0.0
    if answer.status != 0:
        return np.inf
    factors = 1 + np.maximum(-answer.ineqlin.marginals, 0.0)
    offers = to_dense(offers)
    return max(float(products(np.ascontiguousarray((offers - now[:, None]).T), factors).max()), 0.0)
