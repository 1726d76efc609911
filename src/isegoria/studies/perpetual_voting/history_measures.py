"""Measures of a history: quota compliance, spread of influence, and longest waits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.studies.perpetual_voting.published_rules import quota_claims


class HistoryMeasures(NamedTuple):
    """One number for each history (H,).

    - `compliance`: the share of (member, round) with quota − wins below 1; `deficit`: the largest quota − wins.
    - `satisfaction`: the share of (member, round) with an approved option played.
    - `gini` of influence, where each round's decision is shared equally by those who approved it.
    - `dry`: the longest run of rounds without an approved option, over all members.
    """

    compliance: np.ndarray
    deficit: np.ndarray
    satisfaction: np.ndarray
    gini: np.ndarray
    dry: np.ndarray


def measure_histories(ballots: np.ndarray, played: np.ndarray, there: np.ndarray | None = None) -> HistoryMeasures:
    """Compute the measures of options `played` (H, T) under `ballots` (H, T, N, K).

    `there` (H, T, N) says who took part; by default everyone.
    """
    histories, rounds, voters, _ = ballots.shape
    there = np.ones((histories, rounds, voters), dtype=bool) if there is None else there
    won = np.take_along_axis(ballots, played[:, :, None, None], axis=3)[..., 0] & there
    due = np.stack([quota_claims(ballots[:, t] & there[:, t, :, None]) for t in range(rounds)], axis=1)
    lack = np.cumsum(due, axis=1) - np.cumsum(won, axis=1)
    influence = (won / np.maximum(won.sum(axis=2, keepdims=True), 1)).sum(axis=1)
    return HistoryMeasures(
        (lack < 1 - 1e-12).mean(axis=(1, 2)),
        lack.max(axis=(1, 2)),
        won.mean(axis=(1, 2)),
        _gini(influence),
        _longest_wait(won),
    )


def _gini(values: np.ndarray) -> np.ndarray:
    """Return the Gini coefficient of each row (H,)."""
    ordered = np.sort(values, axis=1)
    count = values.shape[1]
    ranks = 2 * np.arange(1, count + 1) - count - 1
    return np.asarray((ordered @ ranks) / (count * np.maximum(ordered.sum(axis=1), 1e-300)))


def _longest_wait(won: np.ndarray) -> np.ndarray:
    """Return the longest wait of any member (H,)."""
    run = np.zeros((won.shape[0], won.shape[2]), dtype=np.int64)
    longest = np.zeros(won.shape[0], dtype=np.int64)
    for t in range(won.shape[1]):
        run = np.where(won[:, t], 0, run + 1)
        longest = np.maximum(longest, run.max(axis=1))
    return longest
