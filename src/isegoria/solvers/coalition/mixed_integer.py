"""Find a blocking coalition by one mixed-integer program, for more types than can be enumerated.

max Σ s over x ≥ 0, z ∈ {0,1}^m, 0 ≤ s ≤ z with Σ x = shares·z and rows·x ≥ values z + s: x is the coalition's scaled
policy, z its members, s their gains. Σ s is capped, since any coalition that gains more can also gain the cap: the
solver then stops at the first coalition that clearly blocks.

HiGHS, as SciPy exposes it, has a tolerance of 1e-7 on rows and prices and 1e-6 on integers. So x, s and the objective
are scaled up by PROGRAM_SCALE: the error is then below 1e-9 of an agent's best. A dual bound does not depend on the
integrality of z, and holds as it is. The coalition that the program suggests does depend on it: it is rounded, its
linear program is solved again and checked by arithmetic, and a coalition that fails is cut off.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from isegoria.solvers.coalition.blocking import CoalitionSearchResult, best_deviation, is_blocking, largest_coalition
from isegoria.utils import tolerances

PROGRAM_SCALE = tolerances.MILP_SCALE


def search_by_milp(rows: Any, shares: np.ndarray, values: np.ndarray, deadline: float) -> CoalitionSearchResult:
    """Return a blocking coalition, or the best bound on the total gain of any coalition that was proved in time."""
    program, bound, doubt = _Program(rows, shares, values), np.inf, 0.0
    while True:
        suggestion, proved = program.solve(max(deadline - monotonic(), 0.0))
        bound = min(bound, proved)
        if suggestion is not None:
            found = best_deviation(rows, shares, values, suggestion)
            members = _blocking_members(rows, shares, values, suggestion, found.policy)
            if members is not None:
                return CoalitionSearchResult(members, found.policy, np.inf)
            doubt = max(doubt, found.bound)
        if suggestion is None or bound <= tolerances.CORE_GAIN or monotonic() >= deadline:
            return CoalitionSearchResult(None, None, max(bound, doubt))
        program.exclude(suggestion)


def _blocking_members(
    rows: Any, shares: np.ndarray, values: np.ndarray, suggestion: np.ndarray, deviation: np.ndarray | None
) -> np.ndarray | None:
    """Return the suggested coalition, or the largest one that the deviation suits, if it blocks; else None."""
    if deviation is None:
        return None
    worth = rows @ deviation
    for members in (suggestion, largest_coalition(worth, shares, values)):
        if is_blocking(worth, shares, values, members):
            return members
    return None


class _Program:
    """The mixed-integer program in SciPy's form, with variables x (K), z (m), s (m); x and s are scaled by SCALE."""

    def __init__(self, rows: Any, shares: np.ndarray, values: np.ndarray) -> None:
        from scipy import sparse

        types, arms = rows.shape
        one, none = np.ones((1, types)), np.zeros((1, types))
        unit, zero = sparse.identity(types), sparse.csr_array((types, arms))
        self.types, self.arms = types, arms
        self.matrix = sparse.vstack(
            [
                np.hstack([np.ones((1, arms)), -PROGRAM_SCALE * shares[None, :], none]),
                sparse.hstack([sparse.csr_array(rows), -sparse.diags(PROGRAM_SCALE * values), -unit]),
                sparse.hstack([zero, PROGRAM_SCALE * unit, -unit]),
                np.hstack([np.zeros((1, arms)), one, none]),  # a coalition is not empty
                np.hstack([np.zeros((1, arms)), none, -one]),  # and a gain of CORE_ENOUGH is enough
            ],
            format="csr",
        )
        self.lower = np.concatenate([np.zeros(1 + 2 * types), [1.0, -PROGRAM_SCALE * tolerances.CORE_CLEAR_GAIN]])
        self.upper = np.concatenate([[0.0], np.full(2 * types + 2, np.inf)])

    def solve(self, seconds: float) -> tuple[np.ndarray | None, float]:
        """Return the best coalition found (None if none) and the dual bound on the total gain."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        x, z, s = np.zeros(self.arms), np.ones(self.types), np.ones(self.types)
        answer = milp(
            np.concatenate([x, 0 * z, -PROGRAM_SCALE * s]),
            integrality=np.concatenate([x, z, 0 * s]),
            bounds=Bounds(0, np.concatenate([x + PROGRAM_SCALE, z, PROGRAM_SCALE * s])),
            constraints=LinearConstraint(self.matrix, self.lower, self.upper),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        if answer.status == 2:  # infeasible: every coalition without a losing member was cut off without a gain
            return None, 0.0
        bound = np.inf if answer.mip_dual_bound is None else -float(answer.mip_dual_bound) / PROGRAM_SCALE**2
        if bound >= tolerances.CORE_CLEAR_GAIN / 2:
            bound = np.inf  # the cap is binding: larger gains were not searched for
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
