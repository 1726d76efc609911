"""Whether a saved run may continue as a run of another length: an uninterrupted run must give the same result."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import StateError
from isegoria.learning.simulation.recorder import record_rounds

CHUNK_ROUNDS = 2048
"""Rounds played before their records are written: it bounds memory, and is how often a run can be saved or watched."""


def match_records(saved: list[Any], asked: list[Any], done: int) -> np.ndarray:
    """Return the indices of the records of a saved run, `done` rounds old, that the requested run has too.

    A run is described by its rounds, records, seed (as text), first round, and a digest of everything else. Sums are
    rounded where a chunk ends, so the saved run must be at a round where both pause. Its records must include all
    rounds at which the requested run is recorded up to there. Otherwise `StateError` is raised.

    >>> match_records([10, 4, "0", 1, ""], [20, 4, "0", 1, ""], done=0).tolist()
    []
    """
    _require_same_run(saved, asked)
    (before, records, _, first, _), now = saved, asked[0]
    old, new = (record_rounds(first, rounds, records) for rounds in (before, now))
    old, new = (found[found < first + done] for found in (old, new))
    paused = done <= now and (before == now or done < min(before, now) or done % CHUNK_ROUNDS == 0)
    if not paused or not np.isin(new, old).all():
        multiple = f", or {2 * before:,} or another multiple of it" if paused else ""
        raise StateError(
            f"the saved run is one of {before:,} rounds, {done:,} of them done, and cannot become one of {now:,}; "
            f"ask for {before:,} rounds{multiple}, or save to another file."
        )
    return np.searchsorted(old, new)


def _require_same_run(saved: list[Any], asked: list[Any]) -> None:
    """Raise `StateError` if the runs differ in more than their rounds, and say in what."""
    names = ("number of records", "seed", "first round")
    differ = [
        f"{name} ({before} saved, {now} asked)"
        for name, before, now in zip(names, saved[1:4], asked[1:4], strict=True)
        if before != now
    ]
    if not differ and saved[4] != asked[4]:
        differ = ["instance, learner, settings or noise"]
    if differ:
        raise StateError(
            f"the saved run has another {' and '.join(differ)}; give what it was started with, or save to another file."
        )
