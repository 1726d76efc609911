"""Maximin with few agents and arms: all are considered together, as one matrix game."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from isegoria.solvers import method_limits
from isegoria.solvers.algebra.pair_products import products
from isegoria.solvers.fair_set.simplicial_decomposition import simplicial_decomposition
from isegoria.solvers.maximin.cuts import Cuts
from isegoria.solvers.maximin.maximin_then_total import doubtful_slack
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.tied_optima import IDLE_ARM_SLACK, choose_tied_optimum
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare, MinimumWelfare
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import Polytope, build_polytope, first_vertex_of_cuts, select_from_polytope
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter

if TYPE_CHECKING:
    from isegoria.solvers.fair_set.polytope import FairPolytope
    from isegoria.solvers.ties.selection import Cut

GAP_TOLERANCE = tolerances.FACE_DEPTH / 5  # a gap small enough to choose among ties
MAX_IDLE_GAMES = 8  # a vertex of the fair policies is left out of the games after so many without a weight
MAX_PROGRAM_ENTRIES = 2_000_000  # of the program that finds a start among the fair policies
MAX_LEVELS = 100  # halving a value of at most 1 down to rounding takes half as many


def solve_whole_game(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, choice: Selection, fair: FairPolytope | None = None
) -> SolverResult:
    """Maximise the lowest cut over all or the `fair` policies, for `rows` (N, K)."""
    whole, doubt, tie_break = welfare(rows), np.inf, choice.tie_break
    if fair is None:
        traced = tie_break == TieBreak.UTILITARIAN and isinstance(welfare, MinimumWelfare)
        (policy, value, _, margin), mixture = play(welfare(rows, traced) if traced else whole)
        if traced:
            doubt, mixture = doubtful_slack(mixture, rows.shape[1]), mixture[: rows.shape[1]]
    else:
        near = _solve_fair(welfare, fair, choice.direction, rows)
        policy, value, margin, mixture = near.policy, near.value, 0.0, near.mixture @ rows
    bound = _support_value(mixture, fair)
    proved = bound - value <= GAP_TOLERANCE
    if not proved:
        policy, value, bound = _tighten_bounds(whole, policy, bound, fair)
        margin = 0.0
    found = SolverResult(policy, value, max(bound - value, 0.0), margin)
    if tie_break is None or (tie_break == TieBreak.VERTEX and margin > 0):  # any optimum will do, or it is unique
        return found
    if choice.copies is not None and fair is None and proved and max(bound - mixture) > IDLE_ARM_SLACK:
        return _solve_on_tight_arms(welfare, rows, choice, bound - mixture, found)
    if tie_break == TieBreak.VERTEX:
        corner, margin = _first_vertex(welfare, rows, policy, value, mixture, fair)
        return _accept_choice(whole, corner, margin, found, fair)

    if fair is not None and whole.arms > method_limits.GAME_ARMS:
        near = near._replace(policy=policy, value=value, bound=bound)
        chosen, margin = choose_tied_optimum(
            welfare, rows, near, choice, partial(_solve_fair, welfare, fair, choice.direction), fair
        )
        return _accept_choice(whole, chosen, margin, found, fair)

    level, separate = value - tolerances.FACE_DEPTH, None if fair is None else fair.separate

    def build(given: list[Cut]) -> Polytope:
        return build_polytope(whole.arms, whole, level, None, given, separate, choice.copies)

    chosen, margin = select_from_polytope(build, choice)
    return _accept_choice(whole, simplex_point(chosen), min(margin, doubt), found, fair)


def _solve_fair(
    welfare: MinimumWelfare | GiniWelfare, fair: FairPolytope, direction: np.ndarray, rows: np.ndarray
) -> BoundedPolicy:
    """Maximise the lowest cut over the `fair` policies."""
    idle = np.zeros(0, dtype=int)  # for how many games in a row each vertex has had no weight

    def master(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nonlocal idle
        idle = np.append(idle, np.zeros(len(vertices) - len(idle), dtype=int))
        kept = idle <= MAX_IDLE_GAMES
        found = solve_in_hull(welfare, rows, vertices[kept])
        if not kept.all() and (vertices[~kept] == fair.corner(found[1])).all(axis=1).any():
            idle[:], kept[:] = 0, True  # one that was left out is wanted again
            found = solve_in_hull(welfare, rows, vertices)
        idle[kept] = np.where(found[3] > 0, 0, idle[kept] + 1)
        return found[:3]

    start = fair.corner(direction)[None, :]
    if rows.size > method_limits.GAME_ENTRIES or rows.shape[1] > method_limits.GAME_ARMS:
        start = np.vstack([start, *_start_from_program(rows, fair)])
    policy, slope, multipliers = simplicial_decomposition(fair, start, master)
    policy = simplex_point(policy)
    return BoundedPolicy(policy, welfare(rows).value(policy), fair.support(slope), multipliers)


def _start_from_program(rows: np.ndarray, fair: FairPolytope) -> list[np.ndarray]:
    """Return vertices (V, K) of the fair policies, of which a policy that maximises the minimum is nearly a mixture.

    They come from the plain linear program over what each type gives to each favourite. A search from one vertex took
    some 600 games, and one from these takes a few.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    owner, arm = fair.rows.nonzero()
    entries = len(owner)
    if entries * len(rows) > MAX_PROGRAM_ENTRIES:
        return []
    spends = csr_array((np.ones(entries), (owner, np.arange(entries))), shape=(len(fair.shares), entries + 1))
    solved = linprog(
        np.append(np.zeros(entries), -1.0),
        A_ub=np.column_stack([-rows[:, arm], np.ones(len(rows))]),
        b_ub=np.zeros(len(rows)),
        A_eq=spends,
        b_eq=fair.shares,
        bounds=[(0, None)] * entries + [(None, None)],
        method="highs-ds",
    )
    return [fair.split(owner, arm, np.maximum(solved.x[:-1], 0.0))] if solved.status == 0 else []


def _solve_on_tight_arms(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, choice: Selection, slack: np.ndarray, found: SolverResult
) -> SolverResult:
    """Choose among the arms that an optimum can play at all, whose `slack` (K,) is negligible."""
    arms = np.flatnonzero((slack <= IDLE_ARM_SLACK) | (found.policy > 0))
    if len(arms) == len(slack):
        arms = np.flatnonzero(slack <= IDLE_ARM_SLACK)
    part = solve_whole_game(welfare, np.ascontiguousarray(rows[:, arms]), choice.on(arms))
    policy = scatter(part.policy, arms, len(slack))
    margin = min(part.margin, float(slack[slack > IDLE_ARM_SLACK].min()))
    return _accept_choice(welfare(rows), policy, margin, found)


def _accept_choice(
    whole: Cuts, chosen: np.ndarray, margin: float, found: SolverResult, fair: FairPolytope | None = None
) -> SolverResult:
    """Return the chosen policy, or the one that was `found` if the set of optima is too thin to choose from."""
    reached, bound = whole.value(chosen), found.value + found.gap
    thin = margin == 0 or bound - reached > tolerances.OPTIMUM_TIE / 2
    if thin or (fair is not None and not fair.contains(chosen)):
        return found._replace(margin=0.0)
    return SolverResult(chosen, reached, max(bound - reached, 0.0), margin)


def _first_vertex(
    welfare: MinimumWelfare | GiniWelfare,
    rows: np.ndarray,
    policy: np.ndarray,
    value: float,
    mixture: np.ndarray,
    fair: FairPolytope | None,
) -> tuple[np.ndarray, float]:
    """Return (policy, margin): the lexicographically largest vertex of the optima, on the arms that they can play."""
    least = max(mixture.tolist()) - tolerances.NEAR_TIE if fair is None else -np.inf
    arms = ((mixture >= least) | (policy > 0)).nonzero()[0]
    if len(arms) == 1:
        return policy, float("inf")
    alone = scatter(1.0, arms[:1], len(policy))
    if fair is None and welfare(rows).value(alone) >= value > tolerances.NEAR_TIE:
        return alone, 1.0  # all on the first arm: no vertex is larger
    part, point = rows.take(arms, axis=1), policy.take(arms)
    tight = welfare.tight(part, products(part, point))
    found, margin = first_vertex_of_cuts(welfare(part), value, point, tight, part[:0], fair)
    return scatter(found, arms, len(policy)), margin


def _support_value(mixture: np.ndarray, fair: FairPolytope | None) -> float:
    """Return the maximum of mixture·p over the allowed policies, which bounds the value of each."""
    return max(mixture.tolist()) if fair is None else fair.support(mixture)  # a list is faster here than a NumPy call


def _tighten_bounds(
    whole: Cuts, policy: np.ndarray, high: float, fair: FairPolytope | None
) -> tuple[np.ndarray, float, float]:
    """Return (policy, value, bound) that are close enough, by projections onto levels.

    Each level is either reached or proved unreachable. This repairs the inverse of a basis whose cuts differ by almost
    nothing.
    """
    low, step = whole.value(policy), True
    for _ in range(MAX_LEVELS):
        if high - low <= GAP_TOLERANCE:
            break
        level = low + GAP_TOLERANCE / 2 if step else (low + high) / 2
        polytope = Projection(whole.arms, whole, level, separate=None if fair is None else fair.separate)
        point = simplex_point(polytope.nearest(np.zeros(whole.arms)))
        mixture, step = polytope.mixture(), False
        if mixture is not None:
            high, step = min(high, _support_value(mixture, fair)), True
        elif whole.value(point) > low and (fair is None or fair.contains(point)):
            policy, low = point, whole.value(point)
    return policy, low, high


def solve_in_hull(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, corners: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the best policy in the hull of `corners`, the mixture of cuts that bounds it, its weights on rows, and
    those of the policy on the corners.

    A vertex is an arm of a smaller game.
    """
    found, mixture = play(welfare(np.ascontiguousarray(rows @ corners.T), traced=True))
    multipliers = mixture[len(corners) :]
    return found.policy @ corners, multipliers @ rows, multipliers, found.policy
