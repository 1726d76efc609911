"""The highest welfare over many arms, from the few of them that matter: columns of a game join by turns.

The game is solved on the arms seen so far. Its mixture of agents bounds the best over all arms, and the arms that the
mixture likes best join. At the end only the arms that it likes best can be played at all: the choice among several
optima is made on those.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.solvers.algebra.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.selection import choose
from isegoria.solvers.ties.tie_break import TieBreak

FIRST = 32  # agents whose favourites the search begins with
JOINING = 16  # arms that join in a turn
MOST_TURNS = 300
MOST_FAILURES = 10  # games that are not solved to the end
NEAR = 1e-7  # arms that the mixture likes less than its best by more play next to nothing


class Bounds(NamedTuple):
    """What is known: a policy and its value, the least bound and the mixture that proves it, and the margin."""

    policy: np.ndarray
    value: float
    bound: float
    mixture: np.ndarray
    margin: float


def on_few_arms(
    welfare: Least | Gini, rows: np.ndarray, tie_break: str, direction: np.ndarray, arms: np.ndarray
) -> Answer:
    """The best policy for `rows` (n, K), with its gap; the search begins with the `arms` listed, if any."""
    found = _bounded(welfare, rows, arms if len(arms) else _popular(rows))
    gap = max(found.bound - found.value, 0.0)
    if tie_break == TieBreak.VERTEX or gap > tolerances.FACE_DEPTH / 5:  # too roughly proved to choose among ties
        return Answer(found.policy, found.value, gap, found.margin if gap <= tolerances.FACE_DEPTH / 5 else 0.0)
    return _chosen(welfare, rows, found, tie_break, direction)


def _popular(rows: np.ndarray) -> np.ndarray:
    """The favourites of those who get least if all arms are played alike, and what all together like best."""
    total = rows.sum(axis=0)
    least = np.argsort(rows.sum(axis=1), kind="stable")[:FIRST]
    leaning = rows[least] * (1 + tolerances.NEAR_TIE * total / max(total.max(), 1.0))
    return np.union1d(leaning.argmax(axis=1), np.argsort(-total, kind="stable")[: JOINING // 2])


def _bounded(welfare: Least | Gini, rows: np.ndarray, arms: np.ndarray) -> Bounds:
    """Arms join until the bounds meet, or none is left to join.

    Where the simplex went round among ties before, means are nudged apart, each time in another way; the mixture is one
    of true rows, and so is the bound.
    """
    best = Bounds(np.full(rows.shape[1], 1 / rows.shape[1]), -np.inf, np.inf, rows[0], 0.0)
    failures = 0
    for _ in range(MOST_TURNS):
        played = np.ascontiguousarray(rows[:, arms])
        if failures:
            played += welfare.enough / 5 * np.random.default_rng(failures).random(played.shape)
        found, trace = play(welfare(played, traced=True))
        mixture = trace[len(arms) :] @ rows
        reached = welfare(np.ascontiguousarray(rows[:, arms])).value(found.policy) if failures else found.value
        best = _better(best, arms, found._replace(value=reached), mixture)
        if best.bound - best.value <= tolerances.PRICE:
            break
        liked = np.argsort(-mixture, kind="stable")[:JOINING]
        liked = np.setdiff1d(liked[mixture[liked] > found.value], arms)
        if len(liked) and mixture[arms].max() - found.value <= welfare.enough:
            arms = np.union1d(arms, liked)
        elif best.bound - best.value <= welfare.enough or failures == MOST_FAILURES:
            break
        else:
            arms, failures = np.union1d(arms, liked), failures + 1  # once more, nudged in another way
    return best


def _better(best: Bounds, arms: np.ndarray, found: Answer, mixture: np.ndarray) -> Bounds:
    """What is known after a game on some arms."""
    if found.value > best.value:
        policy = np.zeros(len(mixture))
        policy[arms] = found.policy
        best = best._replace(policy=simplex_point(policy), value=found.value, margin=found.margin)
    if mixture.max() < best.bound:
        best = best._replace(bound=float(mixture.max()), mixture=mixture)
    return best


def _chosen(welfare: Least | Gini, rows: np.ndarray, found: Bounds, tie_break: str, direction: np.ndarray) -> Answer:
    """The optimum that `tie_break` asks for, chosen on the arms that can be played."""
    slack = found.bound - found.mixture
    arms = np.flatnonzero(slack <= NEAR)
    cuts = welfare(np.ascontiguousarray(rows[:, arms]))

    def build(given: list) -> Projection:
        return Projection(len(arms), cuts, found.value - tolerances.FACE_DEPTH, given=given)

    chosen, margin = choose(build, tie_break, direction[arms])
    chosen = simplex_point(chosen)
    value = cuts.value(chosen)
    if margin == 0 or found.bound - value > tolerances.OPTIMUM_TIE / 2:
        return Answer(found.policy, found.value, max(found.bound - found.value, 0.0), 0.0)  # too thin to choose from
    policy = np.zeros(len(slack))
    policy[arms] = chosen
    margin = min(margin, float(slack[slack > NEAR].min(initial=np.inf)))
    return Answer(policy, value, max(found.bound - value, 0.0), margin)
