"""What is kept of a run: evenly spaced records, filled while the rounds go by, whose number does not grow with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.instance import Instance
from isegoria.learning.protocol.sealing import packed, unpacked
from isegoria.learning.runs.player import Chunk
from isegoria.learning.runs.regret import OTHER_REGRETS, REGRETS, Judge
from isegoria.learning.runs.rolling import rolling
from isegoria.rules import Objective

WINDOW = 1000
"""Rounds over which means and standard deviations roll, as in the paper's figures."""
N_SCORES = 3
SUMMED = len(REGRETS) + 1
"""What is summed over rounds of each policy: its shortfalls, those of one's own objectives, whether it is unfair."""
MOST_PATTERNS = 1 << 16
"""Patterns of favourite sets that are told apart; beyond it their number is a lower bound, and memory stays bounded."""


def marks(first: int, rounds: int, records: int) -> np.ndarray:
    """The rounds after which something is recorded: evenly spaced from round `first` on, the last one at the end.

    >>> marks(1, 10, 4).tolist(), marks(1, 20, 4).tolist()
    ([3, 5, 8, 10], [5, 10, 15, 20])
    """
    count = min(records, rounds)
    return first - 1 + -(-np.arange(1, count + 1) * rounds // count)


class Recorder:
    """Takes in the chunks of a run and keeps evenly spaced records of it, the last one at the last round.

    `curves` holds one row for each record: the policy and its scores (`values`), their `means` and `sds` over the last
    `WINDOW` rounds, and the totals so far of `pulls`, `exploring` rounds, PF `regret` and what is `SUMMED` (`regrets`).
    """

    def __init__(self, first: int, rounds: int, records: int, n_arms: int, own: Sequence[Objective] = ()):
        self._own, self._summed = tuple(own), SUMMED + len(own)
        self.marks = marks(first, rounds, records)
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
        """From now on, scores and regrets are measured against `truth`."""
        self._judge, self._last = Judge(truth, self._own), np.empty(0)

    def take(self, chunk: Chunk) -> None:
        """Count a chunk, and keep the records that are due in it."""
        due = slice(self.done, int(np.searchsorted(self.marks, chunk.first + len(chunk.arms))))
        values = self._valued(chunk.policies)
        self._keep_totals(chunk, values[:, -self._summed :], due)
        self._keep_rolling(chunk, values[:, : -self._summed], due)
        self.done = due.stop
        self.changes += len(chunk.patterns)
        if len(self.patterns) < MOST_PATTERNS:
            self.patterns.update(chunk.patterns)
        if chunk.wrong.any():
            self.last_mismatch = chunk.first + int(np.flatnonzero(chunk.wrong)[-1])

    def _valued(self, policies: np.ndarray) -> np.ndarray:
        """(P, …) policies with their three scores and their shortfalls, one after the other."""
        known = len(self._last) > 0 and np.array_equal(policies[0], self._last[: policies.shape[1]])
        if known and len(policies) == 1:
            return self._last[None]
        judged = self._judge.of_all(policies[1:] if known else policies)
        values = np.hstack([policies, np.vstack([self._last[policies.shape[1] :], judged]) if known else judged])
        self._last = values[-1]
        return values

    def _keep_totals(self, chunk: Chunk, shortfalls: np.ndarray, due: slice) -> None:
        """Running totals at the records that are due, and then at the end of the chunk."""
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
        """Policy and scores at the records that are due, with their means and deviations over the last rounds."""
        starts = np.concatenate([self._starts, chunk.first + chunk.starts])
        values = np.concatenate([self._tail, values])
        marks = self.marks[due].astype(np.intp)
        self.curves["values"][due] = values[np.searchsorted(starts, marks, side="right") - 1]
        self.curves["means"][due], self.curves["sds"][due] = rolling(starts, values, marks, WINDOW)
        reach = chunk.first + len(chunk.arms) - WINDOW
        old = max(0, int(np.searchsorted(starts, reach, side="right")) - 1)
        self._starts, self._tail = starts[old:], values[old:]

    def latest(self) -> tuple[np.ndarray, np.ndarray]:
        """(policy (K,), its three scores) at the last round taken in."""
        values = self._tail[-1]
        return values[:-N_SCORES], values[-N_SCORES:]

    def state(self) -> dict[str, Any]:
        """What was kept and counted so far, as plain data."""
        return {
            "curves": {name: packed(curve[: self.done]) for name, curve in self.curves.items()},
            "totals": {name: packed(np.asarray(total)) for name, total in self.totals.items()},
            "tail": [packed(self._starts), packed(self._tail)],
            "counts": [self.done, self.last_mismatch, self.changes],
            "patterns": packed(np.array(sorted(self.patterns), dtype=np.uint64)),
        }

    def resume(self, state: dict[str, Any], kept: np.ndarray) -> None:
        """Go on from what `state` said, of whose records those at the indices `kept` are at this recorder's marks."""
        _, self.last_mismatch, self.changes = state["counts"]
        self.done = len(kept)
        self.patterns = set(unpacked(state["patterns"]).tolist())
        for name, curve in state["curves"].items():
            self.curves[name][: self.done] = _widened(name, unpacked(curve)[kept])
        self.totals = {name: _widened(name, unpacked(total)[()]) for name, total in state["totals"].items()}
        self._starts, self._tail = map(unpacked, state["tail"])


def _pulls_until(ends: np.ndarray, arms: np.ndarray, n_arms: int) -> np.ndarray:
    """(E, K) how often each of `n_arms` arms was played in the rounds up to each of `ends` (E,), the last one included.

    >>> _pulls_until(np.array([1, 3]), np.array([0, 1, 1, 0]), 2).tolist()
    [[1, 1], [2, 2]]
    """
    stretch = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=-1))
    played = np.bincount(stretch * n_arms + arms, minlength=len(ends) * n_arms)
    return np.cumsum(played.reshape(len(ends), n_arms), axis=0)


def _widened(name: str, sums: np.ndarray) -> np.ndarray:
    """Sums of an earlier version, which counted the regrets in welfares alone: what it did not count is NaN."""
    if name != "regrets" or sums.shape[-1] != len(OTHER_REGRETS):
        return sums
    unknown = np.full((*sums.shape[:-1], 1), np.nan)
    return np.concatenate([unknown, unknown, sums, unknown], axis=-1)
