"""Does this coalition gain by leaving: by plain arithmetic, as a sorted prefix for one deviation, as a linear program.

Everything here is in units of each type's best: `rows` (m, K), dense or sparse, are scaled to a maximum of 1, `shares`
(m,) sum to 1, `values` (m,) are what the types have now, `rows @ policy`, and `worth` (m,) is what a deviation Q gives
in full, `rows @ Q`. A coalition is a boolean mask over types. It blocks with Q when `gains` is nowhere below
-CORE_LOSS and somewhere at least CORE_GAIN.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import dense
from isegoria.solvers.algebra.pair_products import products


def gains(worth: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> np.ndarray:
    """What each of the `members` gains if they leave with their share of the policy and play what is `worth` that."""
    return shares[members].sum() * worth[members] - values[members]


def blocks(worth: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> bool:
    """Whether `members` block, by plain arithmetic."""
    if not members.any():
        return False
    gained = gains(worth, shares, values, members)
    return bool(gained.min() >= -tolerances.CORE_LOSS and gained.max() >= tolerances.CORE_GAIN)


def largest_coalition(worth: Any, shares: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The largest coalition in which nobody loses by the deviation; all members gain more than in any smaller one.

    A type joins a coalition of share α when values / worth ≤ α, so the candidates are the prefixes of the types sorted
    by that ratio.
    """
    ratio = np.where(values > 0, np.inf, 0.0)
    with np.errstate(over="ignore"):  # an infinite ratio is right: no share is as large
        np.divide(values, worth, out=ratio, where=worth > 0)
    order = np.argsort(ratio, kind="stable")
    joins = ratio[order] <= np.cumsum(shares[order]) + tolerances.CORE_LOSS
    members = np.zeros(len(values), dtype=bool)
    if joins.any():
        members[order[: np.flatnonzero(joins)[-1] + 1]] = True
    return members


def single_arm(question: Any, deadline: float = np.inf) -> tuple[np.ndarray, np.ndarray] | None:
    """A coalition that blocks by playing one arm only, with that deviation; None when none is found by the `deadline`.

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
        if blocks(worth, shares, values, members):
            return members, np.eye(1, rows.shape[1], arm)[0]
    return None


class Search(NamedTuple):
    """What a search found: a blocking coalition and its deviation, or a proved `bound` on any coalition's gain."""

    members: np.ndarray | None
    deviation: np.ndarray | None
    bound: float


class Deviation(NamedTuple):
    """The best that a coalition can do: a policy (K,), None when someone must lose by every one; and a `bound`, proved
    by arithmetic from the multipliers, on the total gain of this coalition under any policy by which nobody loses."""

    policy: np.ndarray | None
    bound: float


def best_deviation(rows: Any, shares: np.ndarray, values: np.ndarray, members: np.ndarray) -> Deviation:
    """The policy with which `members` gain most in total while none of them loses, and the bound on that.

    The solver lets a constraint slip by LINEAR_PROGRAM. So all members are first asked to gain a little more than that;
    where they cannot, a loss of one rounding may be left, for `blocks` to judge.
    """
    offers, now = shares[members].sum() * rows[members], values[members]
    answer = _linear_program(offers, now + 2 * tolerances.LINEAR_PROGRAM)
    if answer.x is None:
        answer = _linear_program(offers, now)
    return Deviation(None if answer.x is None else simplex_point(answer.x), _bound(offers, now, answer))


def _linear_program(offers: Any, least: np.ndarray) -> Any:
    """SciPy's answer: the policy of largest total offers·Q under which every member is offered at least `least`."""
    from scipy.optimize import linprog

    return linprog(
        -np.asarray(offers.sum(axis=0)).ravel(),
        A_ub=-offers,
        b_ub=-least,
        A_eq=np.ones((1, offers.shape[1])),
        b_eq=[1.0],
        method="highs-ds",
        options={
            "primal_feasibility_tolerance": tolerances.LINEAR_PROGRAM,
            "dual_feasibility_tolerance": tolerances.LINEAR_PROGRAM,
            "presolve": False,
        },
    )


def _bound(offers: Any, now: np.ndarray, answer: Any) -> float:
    """No policy Q by which nobody loses gives a larger total gain Σ_i g_i: with multipliers λ ≥ 0 that is at most
    Σ_i (1 + λ_i) g_i, and Q is a mixture of arms. 0 where there is no such Q at all.

    Multipliers are as large as data are nearly tied, so the sums are taken in pairs of doubles."""
    if answer.status == 2:  # the solver has a proof that someone loses by every policy
        return 0.0
    if answer.status != 0:
        return np.inf
    factors = 1 + np.maximum(-answer.ineqlin.marginals, 0.0)
    offers = dense(offers)
    return max(float(products(np.ascontiguousarray((offers - now[:, None]).T), factors).max()), 0.0)
