"""Nash welfare of a large table: Newton's method, with the worst-off agents of each policy kept exactly.

A pass gives the gradient s and the curvature H of Σ w log(a·p) at a policy, and the rows that get least of their best.
The next model keeps these rows exactly and approximates all others by a quadratic, because they are the ones that make
plain Newton steps fail. Near the optimum a sample represents the other rows, corrected by that quadratic; the remaining
error is the sample's error in the third-order term. The certificate max s/W − 1 is computed over all rows.
"""

from __future__ import annotations

import numpy as np

from isegoria.errors import CertificationError
from isegoria.out_of_core.map_tasks import (
    AgentRows,
    MapTask,
    NewtonSums,
    Search,
    compute_newton_sums,
    concat_agents,
    exact_sum,
)
from isegoria.out_of_core.newton_model import NewtonModel
from isegoria.out_of_core.profile_summary import ProfileSummary
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.sparse_log_sum import all_policies_optimal
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.face import pick
from isegoria.utils import tolerances

MAX_PASSES = 30
MAX_KEPT_ROWS = 4096
"""Rows that the model keeps as they are: of all that ever came back, those that got least of their best."""
NEWTON_TRUST_GAP = 0.5
"""A gap from which Newton's parabola says too little: arms that are played far too rarely only double at each step."""
SAMPLE_TRUST_GAP = 0.1
"""A gap below which the sample stands for those who are not kept: farther away it may bend the wrong way."""
REUSE_HESSIAN_GAP = 1e-6
"""A gap after which the next policy is the last but for rounding: its own curvature need not be asked for."""
UNIFORM_MIX = 1e-3
"""How much of the even policy the first one has, so that nobody it did not see gets nothing."""


def maximise_nash(first: ProfileSummary, tie_break: str, direction: np.ndarray) -> Search[SolverResult]:
    """Find the policy that maximises the product of utilities, leaving out agents whose means are all 0."""
    counted = first.weight - first.nothing
    k = len(first.means)
    if not counted:
        return all_policies_optimal(k, Selection(tie_break, direction, first.copies))
    policy, settled = _find_start(first), False
    best: _PassSums | None = None
    at: _PassSums | None = None
    kept: dict[int, tuple[float, np.ndarray, int]] = {}
    for _ in range(MAX_PASSES):
        policy = simplex_point(policy)
        curve = None if at is None or at.gap > REUSE_HESSIAN_GAP else at.curve
        answers: list[NewtonSums] = yield MapTask(compute_newton_sums, (policy, curve is None))
        at = _PassSums(answers, policy, counted, curve)
        if best is None or at.gap < best.gap:
            best = at
        if best.gap <= tolerances.NEWTON_CONVERGED or (best.gap <= tolerances.NASH_GAP and settled):
            return (yield from _break_tie(best, counted, tie_break, direction, first.copies))
        settled = best.gap <= tolerances.NASH_GAP
        if NEWTON_TRUST_GAP < at.gap < np.inf:
            policy = policy * at.slope / counted  # multiplicative update: never worse, and soon close
            continue
        _update_kept_rows(
            kept, concat_agents([unit.extreme for unit in answers]), np.concatenate([unit.ratios for unit in answers])
        )
        policy = _take_step(at, kept, first)
    off = np.inf if best is None else best.gap
    raise CertificationError(
        f"no policy could be proved optimal for 'nash': the best one found may be off by {off:.3g}. Means that "
        "differ by many orders of magnitude cause this; rounding them to 9 decimals usually helps."
    )


class _PassSums:
    """The sums of one pass at a policy, reduced over the chunks; the curvature may be that of the previous policy."""

    def __init__(
        self, answers: list[NewtonSums], policy: np.ndarray, counted: float, curve: np.ndarray | None = None
    ) -> None:
        self.policy = policy
        self.slope = exact_sum([unit.slope for unit in answers])
        lower = exact_sum([unit.curve for unit in answers])
        self.curve = np.tril(lower) + np.tril(lower, -1).T if curve is None else curve
        self.starved = float(exact_sum([unit.starved for unit in answers]))
        self.value = float(np.exp(exact_sum([unit.log for unit in answers]) / counted)) if not self.starved else 0.0
        self.gap = max(float(self.slope.max()) / counted - 1.0, 0.0) if not self.starved else np.inf


def _find_start(first: ProfileSummary) -> np.ndarray:
    """Return the optimum for a sample of the agents, mixed with a little of the uniform policy."""
    rows = np.concatenate([first.sample.rows, first.worst.rows])
    weights = np.concatenate([_scale_sample_weights(first), first.worst.weights])
    some = rows.max(axis=1) > 0
    if not some.any():
        return np.full(rows.shape[1], 1 / rows.shape[1])
    rows = rows[some] / rows[some].max(axis=1, keepdims=True)
    policy = maximise(np.ascontiguousarray(rows), weights[some], "centre", None).policy
    return (1 - UNIFORM_MIX) * policy + UNIFORM_MIX / len(policy)


def _scale_sample_weights(first: ProfileSummary) -> np.ndarray:
    """Return how many agents each one in the sample represents."""
    return first.sample.weights * (first.weight / first.sample.weights.sum())


def _take_step(at: _PassSums, kept: dict[int, tuple[float, np.ndarray, int]], first: ProfileSummary) -> np.ndarray:
    """Return the next policy: the maximum of the model, with the sample where that helps."""
    rows = np.array([row for _, row, _ in kept.values()])
    weights = np.array([weight for _, _, weight in kept.values()], dtype=float)
    if at.gap <= SAMPLE_TRUST_GAP:
        others = ~np.isin(first.sample.places, list(kept))
        every = (
            np.concatenate([rows, first.sample.rows[others]]),
            np.concatenate([weights, _scale_sample_weights(first)[others]]),
        )
        model = NewtonModel(at.policy, at.slope, at.curve, *every)
        found = model.maximum()
        if model.rises_to(found):
            return found
    return NewtonModel(at.policy, at.slope, at.curve, rows, weights).maximum()


def _update_kept_rows(kept: dict[int, tuple[float, np.ndarray, int]], agents: AgentRows, ratios: np.ndarray) -> None:
    """Add the agents who got least of their best, and drop the mildest cases if there are more than `MAX_KEPT_ROWS`."""
    for ratio, row, weight, place in zip(
        ratios.tolist(), agents.rows, agents.weights, agents.places.tolist(), strict=True
    ):
        before = kept[place][0] if place in kept else np.inf
        kept[place] = (min(ratio, before), row, weight)
    if len(kept) > MAX_KEPT_ROWS:
        for place in sorted(kept, key=lambda place: (kept[place][0], place))[MAX_KEPT_ROWS:]:
            del kept[place]


def _break_tie(
    at: _PassSums, counted: float, tie_break: str, direction: np.ndarray, copies: np.ndarray | None
) -> Search[SolverResult]:
    """Return the optimum that `tie_break` selects, certified by one more pass if it differs from the current one."""
    slack = np.maximum(1.0 - at.slope / counted, 0.0)
    policy, margin = pick(at.curve / counted, at.policy, slack, tie_break, direction, copies=copies)
    policy = simplex_point(policy)
    if np.abs(policy - at.policy).max() <= tolerances.NEWTON_CONVERGED:
        return SolverResult(at.policy, at.value, at.gap, margin)
    again = _PassSums((yield MapTask(compute_newton_sums, (policy, False))), policy, counted, at.curve)
    if again.gap <= tolerances.NASH_GAP:
        return SolverResult(again.policy, again.value, again.gap, margin)
    return SolverResult(at.policy, at.value, at.gap, 0.0)
