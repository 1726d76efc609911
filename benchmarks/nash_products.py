"""Procedural and nash through `Instance` and `solve`, validation included, against cvxpy with Clarabel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import isegoria as iso
from benchmarks import cvxpy_rules
from benchmarks.harness import BenchmarkRow, time_alternately

ASKED = {(10, 10): 100, (50, 4): 100, (1000, 10): 100, (10_000, 50): 120}


def tables(shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """Means without ties, and means on a grid of tenths, whose favourite sets overlap."""
    means = np.random.default_rng(42).random(shape)
    return {"uniform means": means, "means in tenths": np.round(means, 1)}


def rows() -> Iterator[BenchmarkRow]:
    """One row for each objective, size and kind of means."""
    for shape, asked in ASKED.items():
        for kind, means in tables(shape).items():
            for objective in ("procedural", "nash"):
                values = means if objective == "nash" else iso.Instance(means).favourites.astype(float)
                ours, theirs = time_alternately(
                    lambda means=means, objective=objective: iso.solve(iso.Instance(means), objective),
                    lambda values=values: cvxpy_rules.nash(values),
                    rounds=3,
                )
                yield BenchmarkRow(f"{objective} at {shape}, {kind}", ours, theirs, asked)
