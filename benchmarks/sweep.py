"""The paper's sweep, one core, generation included: six policies and three scores on 7,776 instances, against cvxpy.

cvxpy does a random 100 of them, some after each block of ours. The times are of this thread on its processor, per
instance: a sum of seconds has no best round in which the machine was not busy.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import thread_time

import numpy as np

from benchmarks import cvxpy_rules
from benchmarks.harness import BenchmarkRow
from isegoria.studies.grid import Grid
from isegoria.studies.sweep import score_block

SAMPLE = 100
ASKED = 500


def rows() -> Iterator[BenchmarkRow]:
    """One row: seconds per instance."""
    grid = Grid()
    blocks = grid.blocks()
    instances = [means for block in blocks for means in grid.means_of(block)]
    chosen = np.random.default_rng(42).choice(len(instances), SAMPLE, replace=False)
    (
        score_block(grid, blocks[0]),
        score_with_cvxpy(instances[0]),
    )  # caches, imports and first allocations are nobody's fault
    ours = theirs = 0.0
    for block, turn in zip(blocks, np.array_split(chosen, len(blocks)), strict=True):
        ours += _time_thread(lambda block=block: score_block(grid, block))
        theirs += _time_thread(lambda turn=turn: [score_with_cvxpy(instances[place]) for place in turn])
    yield BenchmarkRow(f"{len(instances):,} instances, per instance", ours / len(instances), theirs / SAMPLE, ASKED)


def score_with_cvxpy(means: np.ndarray) -> np.ndarray:
    """(6, 3) the scores of the six policies, as one would compute them with cvxpy."""
    favourites = (means == means.max(axis=1, keepdims=True)).astype(float)
    policies = [
        cvxpy_rules.nash(favourites),
        cvxpy_rules.inequality(means),
        cvxpy_rules.utilitarian(means),
        cvxpy_rules.egalitarian(means),
        cvxpy_rules.nash(means),
        cvxpy_rules.gini(means),
    ]
    utilities = np.array(policies) @ means.T
    spread, total = 2 * utilities.var(axis=1, ddof=1), utilities.sum(axis=1)
    voice = [cvxpy_rules.conic_score(favourites, policy) for policy in policies]
    return np.column_stack([voice, 1 - (spread - spread[1]), total / total[2]])


def _time_thread(work) -> float:
    start = thread_time()
    work()
    return thread_time() - start
