"""Inequality, egalitarian and gini through `Instance` and `solve`, validation included, against cvxpy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import isegoria as iso
from benchmarks import cvxpy_rules
from benchmarks.harness import BenchmarkRow, time_alternately

ASKED = {"inequality": 100, "egalitarian": 50, "gini": 100}


def rows() -> Iterator[BenchmarkRow]:
    """One row for each objective and size."""
    for shape in ((10, 10), (200, 10)):
        means = np.random.default_rng(42).random(shape)
        for objective, asked in ASKED.items():
            theirs = getattr(cvxpy_rules, objective)
            measured = time_alternately(
                lambda means=means, objective=objective: iso.solve(iso.Instance(means), objective),
                lambda means=means, theirs=theirs: theirs(means),
                rounds=3,
            )
            yield BenchmarkRow(f"{objective} at {shape}", *measured, asked)
