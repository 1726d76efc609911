"""Whoever hides favourites to be owed more: four simple lies, and a member who sees everything.

A gain is counted in rounds of the whole history with a *truly* approved option played, against an honest history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from isegoria.record.turns.ledger import Debt, charged
from isegoria.record.turns.turns import Turns, ballots_of
from isegoria.studies.turns.ours import most_owed, table_of

Lie = Callable[[np.ndarray, np.ndarray], np.ndarray]


def hide_the_popular(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Not the most supported of hers, if a majority likes it and she has another."""
    best = np.argmax(np.where(hers, support, -1))
    said = hers.copy()
    said[best] = hers.sum() < 2 or support[best] <= 0.5
    return said


def hide_majorities(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """None that a majority likes, unless nothing would be left."""
    said = hers & (support <= 0.5)
    return said if said.any() else hers


def only_the_least(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Only the least supported of hers."""
    return np.arange(len(hers)) == np.argmin(np.where(hers, support, 2))


def only_the_most(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Only the most supported of hers."""
    return np.arange(len(hers)) == np.argmax(np.where(hers, support, -1))


LIES: Mapping[str, Lie] = {
    "hide the most supported": hide_the_popular,
    "hide all that a majority likes": hide_majorities,
    "only the least supported": only_the_least,
    "only the most supported": only_the_most,
}


def told(history: np.ndarray, member: int, lie: Lie) -> np.ndarray:
    """The history (T, N, K) with `member` lying in every round."""
    said = history.copy()
    for t, ballots in enumerate(history):
        said[t, member] = lie(ballots[member], ballots.mean(axis=0))
    return said


def wins(history: np.ndarray, member: int, played: np.ndarray) -> int:
    """The rounds in which an option that the member truly approves was played."""
    return int(history[np.arange(len(history)), member, played].sum())


def policy_gain(history: np.ndarray, member: int, lie: Lie) -> float:
    """What a lie gains on average where odds are exactly those of each round's policy (drawn turns, the lottery)."""
    gain = 0.0
    for ballots, said in zip(history, told(history, member, lie), strict=True):
        hers = ballots[member]
        gain += _share(said, hers) - _share(ballots, hers)
    return gain


def _share(ballots: np.ndarray, hers: np.ndarray) -> float:
    held = ballots_of(table_of(ballots))[1]
    return float(sum(share for share, liked in zip(held.policy, hers.tolist(), strict=True) if liked))


def reports(options: int) -> Iterator[np.ndarray]:
    """Every report that names at least one option."""
    for bits in product([False, True], repeat=options):
        if any(bits):
            yield np.array(bits)


def informed_settled(history: np.ndarray, member: int) -> int:
    """The wins of a member who sees all ballots and debts, and picks the best report of each round for that round.

    Among reports that win the one is taken that leaves her owed most; without one, the same among all.
    """
    turns, count = Turns("settled"), 0
    for ballots in history:
        before, best = turns.to_json(), None
        for report in reports(ballots.shape[1]):
            said = ballots.copy()
            said[member] = report
            trial = Turns.from_json(before)
            turn = trial.draw(proposal := trial.propose(table_of(said)), b"informed")
            won = bool(ballots[member, proposal.options.index(turn.option)])
            rank = (won, trial.owed.get(str(member), 0))
            if best is None or rank > best[0]:
                best = rank, trial, won
        assert best is not None
        turns, count = best[1], count + best[2]
    return count


def informed_debts(history: np.ndarray, member: int) -> int:
    """The same against debts alone."""
    entries: dict[str, Debt] = {}
    count = 0
    for ballots in history:
        best = None
        for report in reports(ballots.shape[1]):
            said = ballots.copy()
            said[member] = report
            seen = ballots_of(table_of(said))[0]
            arm = most_owed(seen, entries)
            after = charged(entries, seen, [arm])
            won = bool(ballots[member, arm])
            rank = (won, after[str(member)].owed[0] if str(member) in after else 0)
            if best is None or rank > best[0]:
                best = rank, after, won
        assert best is not None
        entries, count = best[1], count + best[2]
    return count
