"""The procedural score with its attribution on a built instance, against linprog, whose set-up is not counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import isegoria as iso
from benchmarks import cvxpy_rules
from benchmarks.harness import BenchmarkRow, time_alternately


def rows() -> Iterator[BenchmarkRow]:
    """One row for each size: overlapping favourite sets, and a policy that is not fair."""
    for shape, asked in {(10, 10): 30, (1000, 10): 100}.items():
        rng = np.random.default_rng(42)
        instance = iso.Instance(np.round(rng.random(shape), 1))
        policy = instance.validate_policy(rng.dirichlet(np.ones(shape[1])))
        program = cvxpy_rules.score_program(instance.favourites, policy)

        def ours(instance=instance, policy=policy):
            scores = iso.score(instance, policy)
            return scores.procedural, scores.attribution_matrix

        assert abs(ours()[0] - cvxpy_rules.score(program)) < 1e-7
        yield BenchmarkRow(
            f"procedural score with its attribution at {shape}",
            *time_alternately(ours, lambda program=program: cvxpy_rules.score(program)),
            asked,
        )
