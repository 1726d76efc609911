"""The records of a run: evenly spaced, filled during the run, and bounded in number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.learning.base.state_format import decode_array, encode_array
from isegoria.learning.simulation.metrics.policy_regret import REGRET_NAMES, PolicyEvaluator
from isegoria.learning.simulation.metrics.rolling_moments import rolling
from isegoria.learning.simulation.player import Chunk
from isegoria.profiles import Instance
from isegoria.rules import Objective
from isegoria.utils.arrays import count_labels, repeat_values

ROLLING_WINDOW_ROUNDS = 1000
"""Rounds over which means and standard deviations roll, as in the paper's figures."""
N_SCORES = 3
N_SUMMED = len(REGRET_NAMES) + 1
"""What is summed over rounds of each policy: its shortfalls, those of one's own objectives, whether it is unfair."""
MAX_PATTERNS = 1 << 16
"""Patterns of favourite sets that are told apart; beyond it their number is a lower bound, and memory stays bounded."""


def record_rounds(first: int, rounds: int, records: int) -> np.ndarray:
    """Return the rounds after which a record is taken: evenly spaced from round `first` on, the last one at the end.

    >>> record_rounds(1, 10, 4).tolist(), record_rounds(1, 20, 4).tolist()
    ([3, 5, 8, 10], [5, 10, 15, 20])
    """
    count = min(records, rounds)
    return first - 1 + -(-np.arange(1, count + 1) * rounds // count)


class Recorder:
    """Collects the chunks of a run into evenly spaced records, the last one at the last round.

    `curves` holds one row for each record: the policy and its scores (`values`), their `means` and `sds` over the last
    `ROLLING_WINDOW_ROUNDS` rounds, and the totals so far of `pulls`, `exploring` rounds, PF `regret` and what is
    `N_SUMMED` (`regrets`).
    """

    def __init__(self, first: int, rounds: int, records: int, n_arms: int, own: Sequence[Objective] = ()):
        self._own, self._summed = tuple(own), N_SUMMED + len(own)
        self.marks = record_rounds(first, rounds, records)
        count = len(self.marks)
        self.totals: dict[str, Any] = {
            "pulls": np.zeros(n_arms, dtype=np.int64),
            "exploring": np.int64(0),
            "regret": np.int64(0),
            "regrets": np.zeros(self._summed),
        }
        self.curves = {name: np.zeros((count, *total.shape), total.dtype) for name, total in self.totals.items()}
        self.curves |= {name: np.zeros((count, n_arms + N_SCORES)) for name in ("values", "means", "sds")}
        self.done = 0
        self.last_mismatch = self.changes = 0
        self.patterns: set[int] = set()
        self._starts, self._tail = np.zeros(0, dtype=np.intp), np.zeros((0, n_arms + N_SCORES))
        self._last = np.empty(0)

    def meet(self, truth: Instance) -> None:
        """Measure scores and regrets against `truth` from now on."""
        self._judge, self._last = PolicyEvaluator(truth, self._own), np.empty(0)

    def take(self, chunk: Chunk) -> None:
        """Count a chunk and store the records due in it."""
        due = slice(self.done, int(np.searchsorted(self.marks, chunk.first + len(chunk.arms))))
        values = self._evaluate_policies(chunk.policies)
        self._keep_totals(chunk, values[:, -self._summed :], due)
        self._keep_rolling(chunk, values[:, : -self._summed], due)
        self.done = due.stop
        self.changes += len(chunk.patterns)
        if len(self.patterns) < MAX_PATTERNS:
            self.patterns.update(chunk.patterns)
        if chunk.wrong.any():
            self.last_mismatch = chunk.first + int(np.flatnonzero(chunk.wrong)[-1])

    def _evaluate_policies(self, policies: np.ndarray) -> np.ndarray:
        """Return the policies (P, …) followed by their three scores and their shortfalls."""
        known = len(self._last) > 0 and np.array_equal(policies[0], self._last[: policies.shape[1]])
        if known and len(policies) == 1:
            return self._last[None]
        judged = self._judge.of_all(policies[1:] if known else policies)
        values = np.hstack([policies, np.vstack([self._last[policies.shape[1] :], judged]) if known else judged])
        self._last = values[-1]
        return values

    def _keep_totals(self, chunk: Chunk, shortfalls: np.ndarray, due: slice) -> None:
        """Store running totals at the records due, and keep those at the end of the chunk."""
        ends = np.append(self.marks[due] - chunk.first, len(chunk.arms) - 1)
        lengths = np.diff(np.append(chunk.starts, len(chunk.arms)))
        before = np.cumsum(np.vstack([self.totals["regrets"], lengths[:, None] * shortfalls]), axis=0)
        stretch = np.searchsorted(chunk.starts, ends, side="right") - 1
        running = {
            "pulls": self.totals["pulls"] + _pulls_until(ends, chunk.arms, len(self.totals["pulls"])),
            "exploring": self.totals["exploring"] + np.cumsum(chunk.exploring)[ends],
            "regret": self.totals["regret"] + np.cumsum(chunk.wrong)[ends],
            "regrets": before[stretch] + (ends - chunk.starts[stretch] + 1)[:, None] * shortfalls[stretch],
        }
        for name, curve in running.items():
            self.curves[name][due], self.totals[name] = curve[:-1], curve[-1]

    def _keep_rolling(self, chunk: Chunk, values: np.ndarray, due: slice) -> None:
        """Store policy and scores at the records due, with their rolling means and standard deviations."""
        starts = np.concatenate([self._starts, chunk.first + chunk.starts])
        values = np.concatenate([self._tail, values])
        marks = self.marks[due].astype(np.intp)
        self.curves["values"][due] = values[np.searchsorted(starts, marks, side="right") - 1]
        self.curves["means"][due], self.curves["sds"][due] = rolling(starts, values, marks, ROLLING_WINDOW_ROUNDS)
        reach = chunk.first + len(chunk.arms) - ROLLING_WINDOW_ROUNDS
        old = max(0, int(np.searchsorted(starts, reach, side="right")) - 1)
        self._starts, self._tail = starts[old:], values[old:]

    def latest(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (policy (K,), its three scores) at the last round counted."""
        values = self._tail[-1]
        return values[:-N_SCORES], values[-N_SCORES:]

    def state(self) -> dict[str, Any]:
        """Return the records and counts so far as plain data."""
        return {
            "curves": {name: encode_array(curve[: self.done]) for name, curve in self.curves.items()},
            "totals": {name: encode_array(np.asarray(total)) for name, total in self.totals.items()},
            "tail": [encode_array(self._starts), encode_array(self._tail)],
            "counts": [self.done, self.last_mismatch, self.changes],
            "patterns": encode_array(np.array(sorted(self.patterns), dtype=np.uint64)),
        }

    def resume(self, state: dict[str, Any], kept: np.ndarray) -> None:
        """Restore what `state` returned; `kept` are the indices of its records that match this recorder's marks."""
        _, self.last_mismatch, self.changes = state["counts"]
        self.done = len(kept)
        self.patterns = set(decode_array(state["patterns"]).tolist())
        for name, curve in state["curves"].items():
            self.curves[name][: self.done] = decode_array(curve)[kept]
        self.totals = {name: decode_array(total)[()] for name, total in state["totals"].items()}
        self._starts, self._tail = map(decode_array, state["tail"])


def _pulls_until(ends: np.ndarray, arms: np.ndarray, n_arms: int) -> np.ndarray:
    """Return how often (E, K) each of `n_arms` arms was played in the rounds up to and including each of `ends` (E,).

    >>> _pulls_until(np.array([1, 3]), np.array([0, 1, 1, 0]), 2).tolist()
    [[1, 1], [2, 2]]
    """
    stretch = repeat_values(np.arange(len(ends)), np.diff(ends, prepend=-1))
    played = count_labels(stretch * n_arms + arms, minlength=len(ends) * n_arms)
    return np.cumsum(played.reshape(len(ends), n_arms), axis=0)
