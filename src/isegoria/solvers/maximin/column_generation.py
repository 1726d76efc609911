"""Maximin over many arms by column generation: solve a game on a few arms, then add those that improve it.

The game is solved on the arms so far. Its mixture of agents bounds the optimum over all arms, and the arms worth most
to the mixture are added. At the end only the arms worth most to it can be played at all, so the choice among several
optima is made on those.

Every game starts from scratch, as a warm start would save little. Squares do not come here (they go to
`linear_program`). Elsewhere all games except the first together take 24 of 99 ms (egalitarian, 40 × 4,000), 44 of 74
(60 × 1,000), 82 of 111 (gini, the same) and 7 of 35 ms (rankings, 4,000 × 100).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from isegoria.solvers import method_limits
from isegoria.solvers.maximin.permutahedron import hull_excess, hull_margin
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.tied_optima import IDLE_ARM_SLACK, choose_tied_optimum
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy, GiniWelfare, MinimumWelfare
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.ties.selection import first_vertex_of_cuts
from isegoria.solvers.ties.tie_break import TieBreak
from isegoria.utils import tolerances
from isegoria.utils.arrays import scatter

INITIAL_AGENTS = 32  # the search starts with the favourites of this many agents
ARMS_PER_TURN = 16  # arms added per turn
MAX_TURNS = 300
PIVOTS_PER_ARM = 200  # limit per arm before a game counts as unsolved
MAX_UNSOLVED_GAMES = 4


def solve_by_columns(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, choice: Selection, arms: np.ndarray
) -> SolverResult:
    """Return the best policy for `rows` (n, K), with its gap; start with the `arms` listed, if any."""
    arms = arms if len(arms) else _initial_arms(rows)
    if isinstance(welfare, GiniWelfare) and welfare.deep <= method_limits.MAX_ROW_GENERATION_RANKS:
        answer = _gini_from_minimum(welfare, rows, choice, arms)
        if answer is not None:
            return answer
    found = _generate_columns(welfare, rows, arms)
    if found.gap > tolerances.FACE_DEPTH / 5:  # the gap is too large to choose among ties
        return SolverResult(found.policy, found.value, found.gap, 0.0)
    return _break_ties(welfare, rows, found, choice)


def _gini_from_minimum(
    welfare: GiniWelfare, rows: np.ndarray, choice: Selection, arms: np.ndarray
) -> SolverResult | None:
    """Return the maximin answer if it is optimal for the Gini welfare too; else None.

    That is so where many agents hold the minimum down, each a little, so that their mixture is one of orders. The
    optima of both are then the same.
    """
    found = _generate_columns(MinimumWelfare(), rows, arms)
    spare = hull_margin(found.mixture, welfare.weights, welfare.prefix)
    if spare <= tolerances.NEAR_TIE or found.bound - found.value > tolerances.FACE_DEPTH / 5:
        return None
    answer = _break_ties(MinimumWelfare(), rows, found, choice)
    value = welfare.value(rows @ answer.policy)
    bound = found.bound + hull_excess(found.mixture, welfare.weights, welfare.prefix)
    if bound - value > tolerances.OPTIMUM_TIE / 2:
        return None
    return SolverResult(answer.policy, value, max(bound - value, 0.0), min(answer.margin, spare))


def _initial_arms(rows: np.ndarray) -> np.ndarray:
    """Return the favourites of the worst-off under the uniform policy, and the arms of largest total."""
    total = rows.sum(axis=0)
    least = np.argsort(rows.sum(axis=1), kind="stable")[:INITIAL_AGENTS]
    leaning = rows[least] * (1 + tolerances.NEAR_TIE * total / max(total.max(), 1.0))
    return np.union1d(leaning.argmax(axis=1), np.argsort(-total, kind="stable")[: ARMS_PER_TURN // 2])


def _generate_columns(welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, arms: np.ndarray) -> BoundedPolicy:
    """Return the best policy and the smallest bound; where arms are nearly alike, from a search without such pairs."""
    found = _search_columns(welfare, rows, arms, thin=False)
    if found.gap <= welfare.enough:
        return found
    other = _search_columns(welfare, rows, _add_arms(rows, arms[:0], np.flip(arms)), thin=True)
    return min(found, other, key=lambda each: each.gap)


def _search_columns(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, arms: np.ndarray, thin: bool
) -> BoundedPolicy:
    """Add arms until the bounds meet, or none is left to add.

    Where the simplex method cycles among ties, means are perturbed, each time in another way; the mixture is one of
    true rows, and so is the bound. With `thin`, of arms that are nearly alike only the best is kept.
    """
    agents, count = rows.shape
    best = BoundedPolicy(np.full(count, 1 / count), -np.inf, np.inf, np.zeros(agents))
    failures = 0
    for _ in range(MAX_TURNS):
        found, mixture = _solve_restricted_game(welfare, rows[:, arms], failures)
        worth = mixture @ rows
        best = _update_best(best, arms, found, mixture, worth)
        many = len(arms) > method_limits.GAME_ARMS  # hundreds would be added for the last digits if many get 0
        if best.gap <= (welfare.enough if many else tolerances.REDUCED_COST):
            break
        liked = np.argsort(-worth, kind="stable")[:ARMS_PER_TURN]
        liked = np.setdiff1d(liked[worth[liked] > found.value], arms)
        unsolved = worth[arms].max() - found.value > welfare.enough
        if best.bound - best.value <= welfare.enough and (unsolved or not len(liked)):
            break
        if unsolved or not len(liked):
            failures += 1  # try again with another perturbation
        if failures > MAX_UNSOLVED_GAMES:
            break
        arms = _add_arms(rows, arms, liked) if thin else np.union1d(arms, liked)
    return best


def _add_arms(rows: np.ndarray, arms: np.ndarray, liked: np.ndarray) -> np.ndarray:
    """Add the `liked` arms, best first, to the arms; each takes the place of arms that are nearly alike.

    The basis of a game is singular if it has both.
    """
    new: list[int] = []
    for arm in liked.tolist():
        both = np.concatenate((np.array(new, dtype=np.int64), arms))
        alike = np.abs(rows[:, both] - rows[:, [arm]]).max(axis=0, initial=0.0) <= tolerances.NEAR_TIE
        if not alike[: len(new)].any():
            arms = arms[~alike[len(new) :]]
            new.append(arm)
    return np.union1d(arms, np.array(new, dtype=np.int64))


def _solve_restricted_game(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, failures: int
) -> tuple[SolverResult, np.ndarray]:
    """Return (answer, trace (n,)) of the game on some arms, perturbed after failures."""
    played = np.ascontiguousarray(rows)
    if not failures:
        found, trace = play(welfare(played, traced=True), PIVOTS_PER_ARM * (rows.shape[1] + 5))
        return found, trace[rows.shape[1] :]
    nudge = welfare.enough / 5 * np.random.default_rng(failures).random(played.shape)
    found, trace = play(welfare(played + nudge, traced=True))
    return found._replace(value=welfare(played).value(found.policy), margin=0.0), trace[rows.shape[1] :]


def _update_best(
    best: BoundedPolicy, arms: np.ndarray, found: SolverResult, mixture: np.ndarray, worth: np.ndarray
) -> BoundedPolicy:
    """Update the best result after a game on some `arms`; every arm has a `worth` (K,) to its mixture."""
    if found.value > best.value:
        policy = simplex_point(scatter(found.policy, arms, len(worth)))
        best = best._replace(policy=policy, value=found.value, margin=found.margin)
    if worth.max() < best.bound:
        best = best._replace(bound=float(worth.max()), mixture=mixture)
    return best


def _break_ties(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, found: BoundedPolicy, choice: Selection
) -> SolverResult:
    """Choose the optimum that `tie_break` asks for, on the arms that can be played."""
    if choice.tie_break is None or (choice.tie_break == TieBreak.VERTEX and found.margin > 0):
        return SolverResult(found.policy, found.value, found.gap, found.margin)
    if choice.tie_break == TieBreak.VERTEX:
        slack = found.bound - found.mixture @ rows
        arms = np.flatnonzero((slack <= IDLE_ARM_SLACK) | (found.policy > 0))
        chosen, margin = _first_corner(welfare, rows, found, arms)
        margin = min(margin, float(slack[slack > IDLE_ARM_SLACK].min(initial=np.inf)))
        policy = scatter(chosen, arms, len(slack))
    else:
        policy, margin = choose_tied_optimum(welfare, rows, found, choice, partial(_solve_again, welfare))
    value = welfare.value(rows @ policy)
    if margin == 0 or found.bound - value > tolerances.OPTIMUM_TIE / 2:
        return SolverResult(found.policy, found.value, found.gap, 0.0)  # the set of optima is too thin for a choice
    return SolverResult(policy, value, max(found.bound - value, 0.0), margin)


def _solve_again(welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray) -> BoundedPolicy:
    return _generate_columns(welfare, rows, _initial_arms(rows))


def _first_corner(
    welfare: MinimumWelfare | GiniWelfare, rows: np.ndarray, found: BoundedPolicy, arms: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return (policy on the arms, margin): the lexicographically largest vertex of the optima on some arms.

    Agents who hold the minimum down get exactly that at every optimum; others who might get less are added as cuts.
    """
    part, point = np.ascontiguousarray(rows[:, arms]), found.policy[arms]
    held = part[(found.mixture > tolerances.NEAR_TIE)] if isinstance(welfare, MinimumWelfare) else part[:0]
    return first_vertex_of_cuts(welfare(part), found.value, point, welfare.tight(part, part @ point), held)
