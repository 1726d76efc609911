"""A round of turns, proposed and drawn, against what it cannot do without: the solve of its table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import isegoria as iso
from benchmarks.harness import BenchmarkRow, time_alternately

MEMBERS, OPTIONS = 20, 5
MOST = 50.0
"""Half a millisecond a round, where building and solving the table of 20 × 5 takes 10 µs."""


def rows() -> Iterator[BenchmarkRow]:
    """One row for each mode: 20 members, five new options in every round."""
    for mode in ("drawn", "settled"):
        rng = np.random.default_rng(42)
        tables = (rng.random((256, MEMBERS, OPTIONS)) < 0.4).astype(float)
        tables[tables.sum(axis=2) == 0] = 1.0
        turns = iso.Turns(mode)
        count = iter(range(10**9))

        def ours(turns=turns, tables=tables, count=count):
            number = next(count)
            return turns.draw(turns.propose(iso.Instance(tables[number % 256])), seed=str(number))

        def theirs(tables=tables, count=count):
            return iso.solve(iso.Instance(tables[next(count) % 256]), "procedural")

        yield BenchmarkRow(
            f"a round of {mode} turns at {(MEMBERS, OPTIONS)}", *time_alternately(ours, theirs), MOST, faster=False
        )
