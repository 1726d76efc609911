"""The highest welfare over many arms, from the few of them that matter: columns of a game join by turns.

The game is solved on the arms seen so far. Its mixture of agents bounds the best over all arms, and the arms that the
mixture likes best join. At the end only the arms that it likes best can be played at all: the choice among several
optima is made on those.

Every game begins anew. To begin where the last one ended would bring little: squares do not come here (they go to
`linear_program`), and elsewhere all games but the first together take 24 of 99 ms (egalitarian, 40 × 4,000), 44 of 74
(60 × 1,000), 82 of 111 (gini, the same) and 7 of 35 ms (rankings, 4,000 × 100).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from isegoria import tolerances
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import placed
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.maximin.permutahedron import excess, room
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.welfare import Gini, Least, Proved
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import choose, corner_of_cuts
from isegoria.solvers.ties.tie_break import TieBreak

if TYPE_CHECKING:
    from isegoria.solvers.ties.selection import Cut

FIRST = 32  # agents whose favourites the search begins with
JOINING = 16  # arms that join in a turn
MOST_TURNS = 300
PIVOTS = 200  # for each arm, before a game counts as unsolved
MOST_FAILURES = 10  # games that are not solved to the end
NEAR = 1e-7  # arms that the mixture likes less than its best by more play next to nothing


def on_few_arms(welfare: Least | Gini, rows: np.ndarray, choice: Selection, arms: np.ndarray) -> Answer:
    """The best policy for `rows` (n, K), with its gap; the search begins with the `arms` listed, if there are some."""
    arms = arms if len(arms) else _popular(rows)
    if isinstance(welfare, Gini) and welfare.deep <= sizes.RANKS:
        answer = _as_for_the_least(welfare, rows, choice, arms)
        if answer is not None:
            return answer
    found = _bounded(welfare, rows, arms)
    if found.gap > tolerances.FACE_DEPTH / 5:  # too roughly proved to choose among ties
        return Answer(found.policy, found.value, found.gap, 0.0)
    return _chosen(welfare, rows, found, choice)


def _as_for_the_least(welfare: Gini, rows: np.ndarray, choice: Selection, arms: np.ndarray) -> Answer | None:
    """The answer for the least utility, where that is one for the Gini welfare too: where so many hold the least down,
    each a little, that their mixture is one of orders. The optima of both are then the same."""
    found = _bounded(Least(), rows, arms)
    spare = room(found.mixture, welfare.weights, welfare.prefix)
    if spare <= tolerances.NEAR_TIE or found.bound - found.value > tolerances.FACE_DEPTH / 5:
        return None
    answer = _chosen(Least(), rows, found, choice)
    value = welfare.value(rows @ answer.policy)
    bound = found.bound + excess(found.mixture, welfare.weights, welfare.prefix)
    if bound - value > tolerances.OPTIMUM_TIE / 2:
        return None
    return Answer(answer.policy, value, max(bound - value, 0.0), min(answer.margin, spare))


def _popular(rows: np.ndarray) -> np.ndarray:
    """The favourites of those who get least if all arms are played alike, and what all together like best."""
    total = rows.sum(axis=0)
    least = np.argsort(rows.sum(axis=1), kind="stable")[:FIRST]
    leaning = rows[least] * (1 + tolerances.NEAR_TIE * total / max(total.max(), 1.0))
    return np.union1d(leaning.argmax(axis=1), np.argsort(-total, kind="stable")[: JOINING // 2])


def _bounded(welfare: Least | Gini, rows: np.ndarray, arms: np.ndarray) -> Proved:
    """Arms join until the bounds meet, or none is left to join.

    Where the simplex goes round among ties, means are nudged apart, each time in another way; the mixture is one of
    true rows, and so is the bound.
    """
    agents, count = rows.shape
    best = Proved(np.full(count, 1 / count), -np.inf, np.inf, np.zeros(agents))
    failures = 0
    for _ in range(MOST_TURNS):
        found, mixture = _played(welfare, rows[:, arms], failures)
        worth = mixture @ rows
        best = _better(best, arms, found, mixture, worth)
        many = len(arms) > sizes.GAME_ARMS  # hundreds would join for the last digits alone, where many get nothing
        if best.gap <= (welfare.enough if many else tolerances.PRICE):
            break
        liked = np.argsort(-worth, kind="stable")[:JOINING]
        liked = np.setdiff1d(liked[worth[liked] > found.value], arms)
        unsolved = worth[arms].max() - found.value > welfare.enough
        if best.bound - best.value <= welfare.enough and (unsolved or not len(liked)):
            break
        if unsolved or not len(liked):
            failures += 1  # once more, nudged in another way
        if failures > MOST_FAILURES:
            break
        arms = np.union1d(arms, liked)
    return best


def _played(welfare: Least | Gini, rows: np.ndarray, failures: int) -> tuple[Answer, np.ndarray]:
    """(answer, trace (n,)) of the game on some arms, nudged after failures."""
    played = np.ascontiguousarray(rows)
    if not failures:
        found, trace = play(welfare(played, traced=True), PIVOTS * (rows.shape[1] + 5))
        return found, trace[rows.shape[1] :]
    nudge = welfare.enough / 5 * np.random.default_rng(failures).random(played.shape)
    found, trace = play(welfare(played + nudge, traced=True))
    return found._replace(value=welfare(played).value(found.policy)), trace[rows.shape[1] :]


def _better(best: Proved, arms: np.ndarray, found: Answer, mixture: np.ndarray, worth: np.ndarray) -> Proved:
    """What is known after a game on some arms, to whose mixture every arm has a `worth` (K,)."""
    if found.value > best.value:
        policy = simplex_point(placed(found.policy, arms, len(worth)))
        best = best._replace(policy=policy, value=found.value, margin=found.margin)
    if worth.max() < best.bound:
        best = best._replace(bound=float(worth.max()), mixture=mixture)
    return best


def _chosen(welfare: Least | Gini, rows: np.ndarray, found: Proved, choice: Selection) -> Answer:
    """The optimum that `tie_break` asks for, chosen on the arms that can be played."""
    if choice.tie_break is None or (choice.tie_break == TieBreak.VERTEX and found.margin > 0):
        return Answer(found.policy, found.value, found.gap, found.margin)
    slack = found.bound - found.mixture @ rows
    level = found.value - tolerances.FACE_DEPTH

    def polytope(some: np.ndarray) -> Callable[[list[Cut]], Projection]:
        cuts = welfare(np.ascontiguousarray(rows[:, some]))
        return lambda given: Projection(len(some), cuts, level, given=given, copies=choice.on(some).copies)

    arms = np.flatnonzero(slack <= NEAR)
    if isinstance(welfare, Least):
        arms = arms[_playable(rows[:, arms], level)]
    if choice.tie_break == TieBreak.VERTEX:
        arms, chosen, margin = _first_corner(welfare, rows, found, np.union1d(arms, np.flatnonzero(found.policy)))
    else:
        arms, chosen, margin = choose_among(polytope, arms, choice)
    policy = placed(chosen, arms, len(slack))
    value = welfare.value(rows @ policy)
    if margin == 0 or found.bound - value > tolerances.OPTIMUM_TIE / 2:
        return Answer(found.policy, found.value, found.gap, 0.0)  # too thin to choose from
    margin = min(margin, float(slack[slack > NEAR].min(initial=np.inf)))
    return Answer(policy, value, max(found.bound - value, 0.0), margin)


def _first_corner(
    welfare: Least | Gini, rows: np.ndarray, found: Proved, arms: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """(arms, policy on them, margin): the lexicographically largest corner of the optima on some arms. Those who hold
    the least down get just that at every optimum; of the others, those who might get less are asked for."""
    part, point = np.ascontiguousarray(rows[:, arms]), found.policy[arms]
    held = part[(found.mixture > tolerances.NEAR_TIE)] if isinstance(welfare, Least) else part[:0]
    return arms, *corner_of_cuts(welfare(part), found.value, point, welfare.tight(part, part @ point), held)


def _playable(rows: np.ndarray, level: float) -> np.ndarray:
    """(n,) booleans: the arms that can be played more than next to nothing if everybody is to get the `level`."""
    top = rows.max(axis=1, keepdims=True)
    return ((top - rows) * tolerances.NEAR_TIE <= top - level).all(axis=0)


def choose_among(
    polytope: Callable[[np.ndarray], Callable[[list[Cut]], Projection]], arms: np.ndarray, choice: Selection
) -> tuple[np.ndarray, np.ndarray, float]:
    """(arms, policy on them, margin): the choice in the `polytope` of some arms, as `choose` makes it.

    Where the arms of the largest `direction` can be played by themselves, nothing else is as useful. Where arms that
    cannot be played are held at 0 by rounding alone, the choice is made again without them.
    """
    asked = choice.on(arms)
    behind = asked.direction.max() - asked.direction
    best = behind <= tolerances.OPTIMUM_TIE / 2
    if choice.tie_break == TieBreak.UTILITARIAN and not best.all():
        alone = polytope(arms[best])([])
        chosen = alone.nearest(np.zeros(int(best.sum())))
        if alone.margin > 0:
            return arms[best], simplex_point(chosen), min(alone.margin, float(behind[~best].min()))
    chosen, margin = choose(polytope(arms), asked)
    played = chosen > tolerances.NEAR_TIE
    if margin == 0 and played.any() and not played.all():
        return choose_among(polytope, arms[played], choice)
    return arms, simplex_point(chosen), margin
