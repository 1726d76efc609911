"""Nash welfare of a large table: Newton's method, with those whom a policy treats worst kept exactly.

A pass gives the slope s and the curvature H of Σ w log(a·p) at a policy, and the rows that get least of their best. In
the model that is maximised next these rows count as they are, and all others as a parabola: it is they who make plain
Newton steps go astray. Near the optimum a sample stands for the others, corrected by that parabola: what is left of the
error is the part of the third order that the sample has wrong. The certificate max s/W − 1 is that of all rows.
"""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.rows.simplex import simplex_point
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.many_arms import everything_is_best
from isegoria.solvers.ties.face import pick
from isegoria.tables.first_pass import FirstPass
from isegoria.tables.newton_model import NewtonModel
from isegoria.tables.questions import AgentRows, Asking, NewtonSums, Question, joined, newton_sums, total

MOST_TURNS = 30
KEPT = 4096
"""Rows that the model keeps as they are: of all that ever came back, those that got least of their best."""
FAR = 0.5
"""A gap from which Newton's parabola says too little: arms that are played far too rarely only double at each step."""
NEAR = 0.1
"""A gap below which the sample stands for those who are not kept: farther away it may bend the wrong way."""
STRAIGHT = 1e-6
"""A gap after which the next policy is the last but for rounding: its own curvature need not be asked for."""
SHY = 1e-3
"""How much of the even policy the first one has, so that nobody it did not see gets nothing."""


def nash(first: FirstPass, tie_break: str, direction: np.ndarray) -> Asking[Answer]:
    """The policy of the largest product of utilities; agents whose means are all 0 are left out of it."""
    counted = first.weight - first.nothing
    k = len(first.means)
    if not counted:
        return everything_is_best(k, Selection(tie_break, direction, first.copies))
    policy, settled = _beginning(first), False
    best: _Pass | None = None
    at: _Pass | None = None
    kept: dict[int, tuple[float, np.ndarray, int]] = {}
    for _ in range(MOST_TURNS):
        policy = simplex_point(policy)
        curve = None if at is None or at.gap > STRAIGHT else at.curve
        answers: list[NewtonSums] = yield Question(newton_sums, (policy, curve is None))
        at = _Pass(answers, policy, counted, curve)
        if best is None or at.gap < best.gap:
            best = at
        if best.gap <= tolerances.NEWTON_SETTLED or (best.gap <= tolerances.NASH_GAP and settled):
            return (yield from _chosen(best, counted, tie_break, direction, first.copies))
        settled = best.gap <= tolerances.NASH_GAP
        if FAR < at.gap < np.inf:
            policy = policy * at.slope / counted  # each arm in proportion to what it is worth: never worse, soon near
            continue
        _keep(kept, joined([unit.extreme for unit in answers]), np.concatenate([unit.ratios for unit in answers]))
        policy = _step(at, kept, first)
    off = np.inf if best is None else best.gap
    raise CertificationError(
        f"no policy could be proved optimal for 'nash': the best one found may be off by {off:.3g}. Means that "
        "differ by many orders of magnitude cause this; rounding them to 9 decimals usually helps."
    )


class _Pass:
    """What a pass says of a policy, added up over the units; the curvature may be that of a policy just before."""

    def __init__(
        self, answers: list[NewtonSums], policy: np.ndarray, counted: float, curve: np.ndarray | None = None
    ) -> None:
        self.policy = policy
        self.slope = total([unit.slope for unit in answers])
        lower = total([unit.curve for unit in answers])
        self.curve = np.tril(lower) + np.tril(lower, -1).T if curve is None else curve
        self.starved = float(total([unit.starved for unit in answers]))
        self.value = float(np.exp(total([unit.log for unit in answers]) / counted)) if not self.starved else 0.0
        self.gap = max(float(self.slope.max()) / counted - 1.0, 0.0) if not self.starved else np.inf


def _beginning(first: FirstPass) -> np.ndarray:
    """The optimum of a sample of the agents, with a little of everything."""
    rows = np.concatenate([first.sample.rows, first.worst.rows])
    weights = np.concatenate([_stands_for(first), first.worst.weights])
    some = rows.max(axis=1) > 0
    if not some.any():
        return np.full(rows.shape[1], 1 / rows.shape[1])
    rows = rows[some] / rows[some].max(axis=1, keepdims=True)
    policy = maximise(np.ascontiguousarray(rows), weights[some], "centre", None).policy
    return (1 - SHY) * policy + SHY / len(policy)


def _stands_for(first: FirstPass) -> np.ndarray:
    """How many agents each one of the sample stands for."""
    return first.sample.weights * (first.weight / first.sample.weights.sum())


def _step(at: _Pass, kept: dict[int, tuple[float, np.ndarray, int]], first: FirstPass) -> np.ndarray:
    """The next policy: the maximum of the model, with the sample where that helps."""
    rows = np.array([row for _, row, _ in kept.values()])
    weights = np.array([weight for _, _, weight in kept.values()], dtype=float)
    if at.gap <= NEAR:
        others = ~np.isin(first.sample.places, list(kept))
        every = np.concatenate([rows, first.sample.rows[others]]), np.concatenate([weights, _stands_for(first)[others]])
        model = NewtonModel(at.policy, at.slope, at.curve, *every)
        found = model.maximum()
        if model.rises_to(found):
            return found
    return NewtonModel(at.policy, at.slope, at.curve, rows, weights).maximum()


def _keep(kept: dict[int, tuple[float, np.ndarray, int]], agents: AgentRows, ratios: np.ndarray) -> None:
    """Take in those who got least of their best, and let go of the mildest where there are too many."""
    for ratio, row, weight, place in zip(
        ratios.tolist(), agents.rows, agents.weights, agents.places.tolist(), strict=True
    ):
        before = kept[place][0] if place in kept else np.inf
        kept[place] = (min(ratio, before), row, weight)
    if len(kept) > KEPT:
        for place in sorted(kept, key=lambda place: (kept[place][0], place))[KEPT:]:
            del kept[place]


def _chosen(
    at: _Pass, counted: float, tie_break: str, direction: np.ndarray, copies: np.ndarray | None
) -> Asking[Answer]:
    """The optimum that `tie_break` asks for, proved by one more pass if it is another one."""
    slack = np.maximum(1.0 - at.slope / counted, 0.0)
    policy, margin = pick(at.curve / counted, at.policy, slack, tie_break, direction, copies=copies)
    policy = simplex_point(policy)
    if np.abs(policy - at.policy).max() <= tolerances.NEWTON_SETTLED:
        return Answer(at.policy, at.value, at.gap, margin)
    again = _Pass((yield Question(newton_sums, (policy, False))), policy, counted, at.curve)
    if again.gap <= tolerances.NASH_GAP:
        return Answer(again.policy, again.value, again.gap, margin)
    return Answer(at.policy, at.value, at.gap, 0.0)
