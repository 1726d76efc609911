"""A round of turns, and a decision of agents, against what they cannot do without: the solve of their table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import isegoria as iso
from benchmarks.harness import BenchmarkRow, time_alternately
from isegoria.agents import DecisionEngine
from isegoria.agents.ballot_table import build_instance

MEMBERS, OPTIONS = 20, 5
MOST = 50.0
"""Half a millisecond a round, where building and solving the table of 20 × 5 takes 10 µs."""


AGENTS, CHOICES, MOST_OF_DECISION, MOST_OF_REPEATED = 10, 10, 20.0, 5.0
"""New ballots cost about 12 times as much as reading and solving them, the ballots of the decision before 4 times."""


def rows() -> Iterator[BenchmarkRow]:
    """One row for each mode: 20 members, five new options in every round."""
    for mode in ("lottery", "deterministic"):
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

    yield from _decision_rows()


def _decision_rows() -> Iterator[BenchmarkRow]:
    """Rows for each mode of the engine: approvals of ten agents over ten options, which both sides read."""
    options = [f"option {k}" for k in range(CHOICES)]
    tables = np.random.default_rng(42).random((64, AGENTS, CHOICES)) < 0.35
    votes = [{f"agent {i}": [options[k] for k in np.flatnonzero(row)] for i, row in enumerate(one)} for one in tables]

    def theirs():
        return iso.solve(build_instance(options, None, votes[0], None, (0.0, 1.0), {}), "procedural")

    for mode in ("deterministic", "lottery"):
        for what, asked, some in (("new", MOST_OF_DECISION, votes), ("the same", MOST_OF_REPEATED, votes[:1])):
            engine, count = DecisionEngine(mode, seed="1"), iter(range(10**9))

            def ours(engine=engine, count=count, some=some):
                return engine.decide(options, approvals=some[next(count) % len(some)])

            work = f"a {mode} decision at {(AGENTS, CHOICES)}, {what} ballots"
            yield BenchmarkRow(work, *time_alternately(ours, theirs), asked, faster=False)
