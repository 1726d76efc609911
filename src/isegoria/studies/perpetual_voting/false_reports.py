"""Manipulation of turns: four simple lies that hide favourites, and a member who sees everything.

A gain is the number of additional rounds in which a *truly* approved option is played, compared with an honest history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from isegoria.record.turns.ledger import LedgerEntry, charge_ledger
from isegoria.record.turns.perpetual import Turns, build_ballots
from isegoria.studies.perpetual_voting.turn_rules import largest_debt_option, to_instance

ReportStrategy = Callable[[np.ndarray, np.ndarray], np.ndarray]


def hide_most_popular(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Hide the approved option with the largest support, if a majority likes it and another is left."""
    best = np.argmax(np.where(hers, support, -1))
    said = hers.copy()
    said[best] = hers.sum() < 2 or support[best] <= 0.5
    return said


def hide_majorities(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Hide all approved options that a majority likes, unless nothing would be left."""
    said = hers & (support <= 0.5)
    return said if said.any() else hers


def report_least_popular(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Report only the approved option with the smallest support."""
    return np.arange(len(hers)) == np.argmin(np.where(hers, support, 2))


def report_most_popular(hers: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Report only the approved option with the largest support."""
    return np.arange(len(hers)) == np.argmax(np.where(hers, support, -1))


REPORT_STRATEGIES: Mapping[str, ReportStrategy] = {
    "hide the most supported": hide_most_popular,
    "hide all that a majority likes": hide_majorities,
    "only the least supported": report_least_popular,
    "only the most supported": report_most_popular,
}


def apply_strategy(history: np.ndarray, member: int, lie: ReportStrategy) -> np.ndarray:
    """Return the history (T, N, K) with `member` lying in every round."""
    said = history.copy()
    for t, ballots in enumerate(history):
        said[t, member] = lie(ballots[member], ballots.mean(axis=0))
    return said


def count_wins(history: np.ndarray, member: int, played: np.ndarray) -> int:
    """Count the rounds in which an option that the member truly approves was played."""
    return int(history[np.arange(len(history)), member, played].sum())


def expected_gain(history: np.ndarray, member: int, lie: ReportStrategy) -> float:
    """Compute the expected gain of a lie where the odds are exactly each round's policy (drawn turns, the lottery)."""
    gain = 0.0
    for ballots, said in zip(history, apply_strategy(history, member, lie), strict=True):
        hers = ballots[member]
        gain += _policy_share(said, hers) - _policy_share(ballots, hers)
    return gain


def _policy_share(ballots: np.ndarray, hers: np.ndarray) -> float:
    held = build_ballots(to_instance(ballots))[1]
    return float(sum(share for share, liked in zip(held.policy, hers.tolist(), strict=True) if liked))


def all_reports(options: int) -> Iterator[np.ndarray]:
    """Iterate over every report that names at least one option."""
    for bits in product([False, True], repeat=options):
        if any(bits):
            yield np.array(bits)


def best_response_deterministic(history: np.ndarray, member: int) -> int:
    """Count the wins of a member who sees all ballots and debts, and picks the best report for each round.

    Among the reports that win, the member picks the one with the largest debt owed to it afterwards. If no report wins,
    it picks in the same way among all reports.
    """
    turns, count = Turns("deterministic"), 0
    for ballots in history:
        before, best = turns.to_json(), None
        for report in all_reports(ballots.shape[1]):
            said = ballots.copy()
            said[member] = report
            trial = Turns.from_json(before)
            turn = trial.draw(proposal := trial.propose(to_instance(said)), b"informed")
            won = bool(ballots[member, proposal.options.index(turn.option)])
            rank = (won, trial.owed.get(str(member), 0))
            if best is None or rank > best[0]:
                best = rank, trial, won
        assert best is not None
        turns, count = best[1], count + best[2]
    return count


def best_response_debts(history: np.ndarray, member: int) -> int:
    """Count the wins of the same member under the rule that uses debts alone."""
    entries: dict[str, LedgerEntry] = {}
    count = 0
    for ballots in history:
        best = None
        for report in all_reports(ballots.shape[1]):
            said = ballots.copy()
            said[member] = report
            seen = build_ballots(to_instance(said))[0]
            arm = largest_debt_option(seen, entries)
            after = charge_ledger(entries, seen, [arm])
            won = bool(ballots[member, arm])
            rank = (won, after[str(member)].owed[0] if str(member) in after else 0)
            if best is None or rank > best[0]:
                best = rank, after, won
        assert best is not None
        entries, count = best[1], count + best[2]
    return count
