"""The highest welfare of many agents and arms, from the few of them that matter: rows and columns of a game by turns.

The game of the agents seen so far, on the arms seen so far, is solved as a small one. Its policy is worth something to
all agents, which bounds the best from below, and those who are worst off under it join. Its mixture of cuts bounds the
best from above, over all arms, since agents left out can only lower the welfare; and the arms that it likes best join.
At the end only the arms that the mixture likes best can be played at all: the choice among several optima is made on
those, and on the agents seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.merge import merge_rows
from isegoria.solvers.algebra.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import choose
from isegoria.solvers.ties.tie_break import TieBreak

FIRST = 32  # agents to begin with, if no more matter to the welfare
JOINING = 16  # agents, and arms, that join in a round
MOST_ROUNDS = 300
MOST_FAILURES = 10  # small games that are not solved to the end
NEAR = 1e-7  # arms that the mixture likes less than its best by more play next to nothing


class Bounds(NamedTuple):
    """What is known: the best policy so far and its value, the least bound and its mixture, and the agents seen."""

    policy: np.ndarray
    value: float
    bound: float
    mixture: np.ndarray
    seen: np.ndarray
    margin: float


def generated(table, welfare: Least | Gini, tie_break: str, direction: np.ndarray) -> Answer | None:
    """The `Answer` for the agents of a dense or sparse `table` (N, K); None if the bounds do not meet."""
    found = _bounded(table, welfare)
    gap = found.bound - found.value
    if gap > tolerances.FACE_DEPTH / 5:  # proved, perhaps, but too roughly to choose among ties
        return Answer(found.policy, found.value, gap, 0.0) if gap <= welfare.enough else None
    if tie_break == TieBreak.VERTEX:
        return Answer(found.policy, found.value, max(found.bound - found.value, 0.0), found.margin)
    return _chosen(table, welfare, found, tie_break, direction)


def _bounded(table, welfare: Least | Gini) -> Bounds:
    """Agents and arms join until the bounds meet, or nobody is left to join."""
    total = np.asarray(table.sum(axis=0)).ravel()
    seen = welfare.worst(table @ np.full(len(total), 1 / len(total)), max(FIRST, welfare.deep))
    arms = np.union1d(_favourites(table, seen, total), np.argsort(-total, kind="stable")[: JOINING // 2])
    best, value, bound, mixture, margin, failures = None, -np.inf, np.inf, None, 0.0, 0
    for _ in range(MOST_ROUNDS):
        found, mixed = _small_game(table, welfare, seen, arms, failures)
        failures += float(mixed[arms].max()) - found.value > welfare.enough
        if failures > MOST_FAILURES:
            break
        utilities = _columns(table, arms) @ found.policy
        reached = welfare.value(utilities)
        if reached > value:
            best, value, margin = np.zeros(len(total)), reached, found.margin
            best[arms] = found.policy
        if mixed.max() < bound:
            bound, mixture = float(mixed.max()), mixed
        if bound - value <= tolerances.PRICE:
            break
        liked = np.argsort(-mixed, kind="stable")[:JOINING]
        liked = np.setdiff1d(liked[mixed[liked] > found.value], arms)
        worst = np.setdiff1d(welfare.worst(utilities, max(JOINING, welfare.deep)), seen)
        if not len(liked) and not len(worst):
            if bound - value <= welfare.enough:
                break
            failures += 1  # the game was not solved to the end: once more, nudged in another way
            continue
        arms, seen = np.union1d(np.union1d(arms, liked), _favourites(table, worst, total)), np.append(seen, worst)
    return Bounds(simplex_point(best), value, bound, mixture, seen, margin)


def _small_game(table, welfare: Least | Gini, seen, arms, failures: int) -> tuple[Answer, np.ndarray]:
    """(`Answer` on the arms, mixture of cuts over all arms) of the agents seen; rows sorted, so that the order in which
    agents are listed cannot matter.

    Where the simplex went round among ties before, means are nudged apart, each time in another way; the mixture that
    comes back is of the true rows.
    """
    rows, weights, _ = merge_rows(_dense(table, seen), _weights(welfare, seen))
    played = rows[:, arms]
    if failures:
        played = played + welfare.enough / 5 * np.random.default_rng(failures).random(played.shape)
    both = np.ascontiguousarray(np.hstack([played, rows]))
    found, mixture = play(welfare.on(weights)(both, carried=rows.shape[1]))
    return found, mixture[len(arms) :]


def _chosen(table, welfare: Least | Gini, found: Bounds, tie_break: str, direction: np.ndarray) -> Answer:
    """The optimum that `tie_break` asks for, chosen on the arms that can be played and by the agents seen; whoever is
    worse off under it than the best allows joins them."""
    slack = found.bound - found.mixture
    arms, seen = np.flatnonzero(slack <= NEAR), found.seen
    level = found.value - tolerances.FACE_DEPTH
    for _ in range(MOST_ROUNDS):
        rows, weights, _ = merge_rows(np.ascontiguousarray(_dense(table, seen)[:, arms]), _weights(welfare, seen))
        cuts = welfare.on(weights)(rows)

        def build(given: list, cuts=cuts) -> Projection:
            return Projection(len(arms), cuts, level, given=given)

        chosen, margin = choose(build, tie_break, direction[arms])
        policy = np.zeros(len(slack))
        policy[arms] = simplex_point(chosen)
        utilities = table @ policy
        value = welfare.value(utilities)
        if margin == 0 or found.bound - value <= tolerances.OPTIMUM_TIE / 2:
            break
        worst = np.setdiff1d(welfare.worst(utilities, max(JOINING, welfare.deep)), seen)
        if not len(worst):
            margin = 0.0
            break
        seen = np.append(seen, worst)
    if margin == 0:  # too thin a set of optima to choose from: keep the one that is proved
        return Answer(found.policy, found.value, max(found.bound - found.value, 0.0), 0.0)
    margin = min(margin, float(slack[slack > NEAR].min(initial=np.inf)))
    return Answer(policy, value, max(found.bound - value, 0.0), margin)


def _favourites(table, rows: np.ndarray, total: np.ndarray) -> np.ndarray:
    """The best arm of each of these agents; of several, the one that all together like best."""
    return (_dense(table, rows) * (1 + tolerances.NEAR_TIE * total / max(total.max(), 1.0))).argmax(axis=1)


def _weights(welfare: Least | Gini, seen: np.ndarray) -> np.ndarray | None:
    return None if welfare.weights is None else np.ascontiguousarray(welfare.weights[seen])


def _dense(table, rows: np.ndarray) -> np.ndarray:
    """(n, K) some rows of a table, as a dense array."""
    picked = table[rows]
    return np.ascontiguousarray(picked if isinstance(picked, np.ndarray) else picked.toarray())


def _columns(table, arms: np.ndarray):
    """Some columns of a table, in its own form."""
    return table[:, arms]
