"""Which coalition gains by leaving: the core as a sorted prefix for one deviation, and as a mixed-integer program.

Everything here is in units of each type's best: `rows` (m, K) are scaled to a maximum of 1, `shares` (m,) sum to 1, and
`values` (m,) are what the types have now, `rows @ policy`. A coalition is a boolean mask over types. It blocks with a
deviation Q when `gains` is nowhere below -CORE_LOSS and somewhere at least CORE_GAIN.
"""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.solvers.algebra.simplex import simplex_point


class Search(NamedTuple):
    """What the program found: a blocking coalition and its deviation, or a proved `bound` on any coalition's gain."""

    members: np.ndarray | None
    deviation: np.ndarray | None
    bound: float


def gains(rows, shares, values, members, deviation) -> np.ndarray:
    """(m,) what each type would gain if `members` left with their share of the policy and played `deviation`."""
    return shares[members].sum() * (rows @ deviation) - values


def blocks(rows, shares, values, members, deviation) -> bool:
    """Whether `members` block with `deviation`, by plain arithmetic."""
    if not members.any():
        return False
    gained = gains(rows, shares, values, members, deviation)[members]
    return bool(gained.min() >= -tolerances.CORE_LOSS and gained.max() >= tolerances.CORE_GAIN)


def largest_coalition(rows, shares, values, deviation) -> np.ndarray:
    """The largest coalition in which nobody loses by `deviation`; all its members gain more than in any smaller one.

    A type joins a coalition of share α when values / (rows @ Q) ≤ α, so the candidates are the prefixes of the types
    sorted by that ratio.
    """
    worth = rows @ deviation
    ratio = np.where(values > 0, np.inf, 0.0)
    with np.errstate(over="ignore"):  # an infinite ratio is right: no share is as large
        np.divide(values, worth, out=ratio, where=worth > 0)
    order = np.argsort(ratio, kind="stable")
    joins = ratio[order] <= np.cumsum(shares[order]) + tolerances.CORE_LOSS
    members = np.zeros(len(rows), dtype=bool)
    if joins.any():
        members[order[: np.flatnonzero(joins)[-1] + 1]] = True
    return members


def single_arm(rows, shares, values) -> tuple[np.ndarray, np.ndarray] | None:
    """A coalition that blocks by playing one arm only, with that deviation; None when there is none.

    A type with nothing now, or with less than its share of its best, is found here: it blocks alone with its favourite.
    """
    for deviation in np.eye(rows.shape[1]):
        members = largest_coalition(rows, shares, values, deviation)
        if blocks(rows, shares, values, members, deviation):
            return members, deviation
    return None


def best_deviation(rows, shares, values, members) -> np.ndarray | None:
    """(K,) the policy with which `members` gain most in total while none of them loses; None when there is none.

    The solver lets a constraint slip by LINEAR_PROGRAM. So all members are first asked to gain a little more than that;
    where they cannot, a loss of one rounding may be left, for `blocks` to judge.
    """
    for margin in (2 * tolerances.LINEAR_PROGRAM, 0.0):
        deviation = _linear_program(shares[members].sum() * rows[members], values[members] + margin)
        if deviation is not None:
            return deviation
    return None


def _linear_program(offers, least) -> np.ndarray | None:
    """(K,) the policy of largest total offers·Q under which every member is offered at least `least`."""
    from scipy.optimize import linprog

    answer = linprog(
        -offers.sum(axis=0),
        A_ub=-offers,
        b_ub=-least,
        A_eq=np.ones((1, offers.shape[1])),
        b_eq=[1.0],
        method="highs-ds",
        options={"primal_feasibility_tolerance": tolerances.LINEAR_PROGRAM, "presolve": False},
    )
    return simplex_point(answer.x) if answer.x is not None else None


def search(rows, shares, values, time_limit: float) -> Search:
    """A blocking coalition, or the best bound on the total gain of any coalition that could be proved in time.

    max Σ s over x ≥ 0, z ∈ {0,1}^m, 0 ≤ s ≤ z with Σ x = shares·z and rows·x ≥ values z + s: x is the coalition's
    scaled policy, z its members. Σ s is capped, since any coalition that gains more can also gain the cap: the solver
    then stops at the first coalition that clearly blocks. Its answer is only a suggestion: the coalition is rounded,
    its linear program is solved again and checked by arithmetic, and a coalition that fails is cut off.
    """
    deadline = monotonic() + time_limit
    program, bound, doubt = _Program(rows, shares, values), np.inf, 0.0
    while True:
        suggestion, proved = program.solve(max(deadline - monotonic(), 0.0))
        bound = min(bound, proved)
        if suggestion is not None:
            deviation = best_deviation(rows, shares, values, suggestion)
            if deviation is not None:
                if blocks(rows, shares, values, suggestion, deviation):
                    return Search(suggestion, deviation, bound)
                gained = gains(rows, shares, values, suggestion, deviation)[suggestion]
                if gained.max() >= tolerances.CORE_GAIN:  # one gains and one loses a rounding: neither yes nor no
                    doubt = max(doubt, float(gained.sum()))
        if suggestion is None or bound <= tolerances.CORE_BOUND or monotonic() >= deadline:
            return Search(None, None, max(bound, doubt))
        program.exclude(suggestion)


class _Program:
    """The mixed-integer program of `search` in SciPy's form; variables in the order x (K), z (m), s (m)."""

    def __init__(self, rows, shares, values):
        from scipy import sparse

        types, arms = rows.shape
        one, none = np.ones((1, types)), np.zeros((1, types))
        unit, zero = sparse.identity(types), sparse.csr_array((types, arms))
        self.types, self.arms = types, arms
        self.matrix = sparse.vstack(
            [
                np.hstack([np.ones((1, arms)), -shares[None, :], none]),
                sparse.hstack([sparse.csr_array(rows), -sparse.diags(values), -unit]),
                sparse.hstack([zero, unit, -unit]),
                np.hstack([np.zeros((1, arms)), one, none]),  # a coalition is not empty
                np.hstack([np.zeros((1, arms)), none, -one]),  # and a gain of CORE_ENOUGH is enough
            ],
            format="csr",
        )
        self.lower = np.concatenate([np.zeros(1 + 2 * types), [1.0, -tolerances.CORE_ENOUGH]])
        self.upper = np.concatenate([[0.0], np.full(2 * types + 2, np.inf)])

    def solve(self, seconds: float) -> tuple[np.ndarray | None, float]:
        """The best coalition found (None if none) and the dual bound on the total gain."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        x, z, s = np.zeros(self.arms), np.ones(self.types), np.ones(self.types)
        answer = milp(
            np.concatenate([x, 0 * z, -s]),
            integrality=np.concatenate([x, z, 0 * s]),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(self.matrix, self.lower, self.upper),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        if answer.status == 2:  # infeasible: every coalition that nobody loses by was cut off, having gained nothing
            return None, 0.0
        bound = np.inf if answer.mip_dual_bound is None else -float(answer.mip_dual_bound)
        if bound >= tolerances.CORE_ENOUGH / 2:
            bound = np.inf  # the cap speaks, not the coalitions: larger gains were never looked for
        if answer.x is None:
            return None, bound
        return answer.x[self.arms : self.arms + self.types] > 0.5, bound

    def exclude(self, members: np.ndarray) -> None:
        """Cut off exactly the coalition `members`: at least one type must change sides."""
        from scipy import sparse

        cut = np.concatenate([np.zeros(self.arms), np.where(members, -1.0, 1.0), np.zeros(self.types)])
        self.matrix = sparse.vstack([self.matrix, cut[None, :]], format="csr")
        self.lower = np.append(self.lower, 1.0 - members.sum())
        self.upper = np.append(self.upper, np.inf)
