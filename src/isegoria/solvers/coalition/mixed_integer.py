"""Which coalition blocks, as one mixed-integer program, for more types than can be tried one by one.

max Σ s over x ≥ 0, z ∈ {0,1}^m, 0 ≤ s ≤ z with Σ x = shares·z and rows·x ≥ values z + s: x is the coalition's scaled
policy, z its members, s what they gain. Σ s is capped, since any coalition that gains more can also gain the cap: the
solver then stops at the first coalition that clearly blocks.

HiGHS, as SciPy offers it, lets a row or a price slip by 1e-7 and an integer by 1e-6. So x, s and the objective are
scaled up by PROGRAM_SCALE: what slips is then below 1e-9 of an agent's best. A dual bound does not depend on how whole
the z are, and holds as it is. The coalition that the program points at does, and is only a suggestion: it is rounded,
its linear program is solved again and checked by arithmetic, and a coalition that fails is cut off.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.solvers.coalition.blocking import Search, best_deviation, blocks, largest_coalition

SCALE = tolerances.PROGRAM_SCALE


def by_program(rows: Any, shares: np.ndarray, values: np.ndarray, deadline: float) -> Search:
    """A blocking coalition, or the best bound on the total gain of any coalition that could be proved in time."""
    program, bound, doubt = _Program(rows, shares, values), np.inf, 0.0
    while True:
        suggestion, proved = program.solve(max(deadline - monotonic(), 0.0))
        bound = min(bound, proved)
        if suggestion is not None:
            found = best_deviation(rows, shares, values, suggestion)
            members = _blocking(rows, shares, values, suggestion, found.policy)
            if members is not None:
                return Search(members, found.policy, np.inf)
            doubt = max(doubt, found.bound)
        if suggestion is None or bound <= tolerances.CORE_GAIN or monotonic() >= deadline:
            return Search(None, None, max(bound, doubt))
        program.exclude(suggestion)


def _blocking(
    rows: Any, shares: np.ndarray, values: np.ndarray, suggestion: np.ndarray, deviation: np.ndarray | None
) -> np.ndarray | None:
    """The suggested coalition, or the largest one that the deviation suits, if it blocks."""
    if deviation is None:
        return None
    worth = rows @ deviation
    for members in (suggestion, largest_coalition(worth, shares, values)):
        if blocks(worth, shares, values, members):
            return members
    return None


class _Program:
    """The mixed-integer program in SciPy's form; variables in the order x (K), z (m), s (m), x and s times SCALE."""

    def __init__(self, rows: Any, shares: np.ndarray, values: np.ndarray) -> None:
        from scipy import sparse

        types, arms = rows.shape
        one, none = np.ones((1, types)), np.zeros((1, types))
        unit, zero = sparse.identity(types), sparse.csr_array((types, arms))
        self.types, self.arms = types, arms
        self.matrix = sparse.vstack(
            [
                np.hstack([np.ones((1, arms)), -SCALE * shares[None, :], none]),
                sparse.hstack([sparse.csr_array(rows), -sparse.diags(SCALE * values), -unit]),
                sparse.hstack([zero, SCALE * unit, -unit]),
                np.hstack([np.zeros((1, arms)), one, none]),  # a coalition is not empty
                np.hstack([np.zeros((1, arms)), none, -one]),  # and a gain of CORE_ENOUGH is enough
            ],
            format="csr",
        )
        self.lower = np.concatenate([np.zeros(1 + 2 * types), [1.0, -SCALE * tolerances.CORE_ENOUGH]])
        self.upper = np.concatenate([[0.0], np.full(2 * types + 2, np.inf)])

    def solve(self, seconds: float) -> tuple[np.ndarray | None, float]:
        """The best coalition found (None if none) and the dual bound on the total gain."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        x, z, s = np.zeros(self.arms), np.ones(self.types), np.ones(self.types)
        answer = milp(
            np.concatenate([x, 0 * z, -SCALE * s]),
            integrality=np.concatenate([x, z, 0 * s]),
            bounds=Bounds(0, np.concatenate([x + SCALE, z, SCALE * s])),
            constraints=LinearConstraint(self.matrix, self.lower, self.upper),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        if answer.status == 2:  # infeasible: every coalition that nobody loses by was cut off, having gained nothing
            return None, 0.0
        bound = np.inf if answer.mip_dual_bound is None else -float(answer.mip_dual_bound) / SCALE**2
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
