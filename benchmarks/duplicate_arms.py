"""Arms that are alike, and corners within the fair: lists of a party of which everybody approves all, cyclic ballots.

Against cvxpy with Clarabel on the same ballots, equal ones merged; corners against the centre of the same optima. The
instance is built anew each time, so that finding out which arms are alike is part of the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import cvxpy as cp
import numpy as np

import isegoria as iso
from benchmarks.harness import BenchmarkRow, time_alternately

PARTIES = 10
CLONE_COUNTS = [600, 3_000]
VERTEX_SHAPES = [(3, 261), (4, 389)]
OBJECTIVES = ["inequality", "egalitarian", "nash", "gini"]


def party_lists(arms: int) -> np.ndarray:
    """As many agents as arms; each approves of all arms of one party."""
    party = np.arange(arms) % PARTIES
    return (party[:, None] == party).astype(float)


def cyclic(arms: int, agents: int = 20) -> np.ndarray:
    """Agent i approves of arms i, i + 1, … i + 4 in a circle of as many kinds of arms as agents."""
    kind = np.arange(arms) % agents
    return ((kind - np.arange(agents)[:, None]) % agents < 5).astype(float)


def _by_cvxpy(means: np.ndarray) -> None:
    rows, weights = np.unique(means, axis=0, return_counts=True)
    policy = cp.Variable(means.shape[1], nonneg=True)
    product = cp.sum(cp.multiply(weights / weights.sum(), cp.log(rows @ policy)))
    cp.Problem(cp.Maximize(product), [cp.sum(policy) == 1]).solve(solver="CLARABEL")


def _product_row(name: str, means: np.ndarray, objective: str, asked: float) -> BenchmarkRow:
    ours, theirs = time_alternately(
        lambda: iso.solve(iso.Instance(means), objective), lambda: _by_cvxpy(means), rounds=3
    )
    return BenchmarkRow(f"{objective}, {name}", ours, theirs, asked)


def _vertex_row(agents: int, arms: int, objective: str) -> BenchmarkRow:
    instance = iso.Instance(np.round(np.random.default_rng(0).random((agents, arms))))
    corner, centre = time_alternately(
        lambda: iso.solve(instance, objective, tie_break="vertex", within="fair"),
        lambda: iso.solve(instance, objective, tie_break="centre", within="fair"),
        rounds=3,
    )
    return BenchmarkRow(
        f"{objective} within the fair, {agents} × {arms}: vertex, against centre", corner, centre, 5, False
    )


def _seconds(means: np.ndarray) -> float:
    start = perf_counter()
    iso.solve(iso.Instance(means), "procedural")
    return perf_counter() - start


def rows() -> Iterator[BenchmarkRow]:
    """Party lists and cyclic ballots of hundreds and thousands of arms; then corners."""
    for arms in CLONE_COUNTS:
        for objective in ("procedural", "nash"):
            yield _product_row(f"party lists, {arms:,} arms", party_lists(arms), objective, 5)
            yield _product_row(f"cyclic ballots, 20 × {arms:,}", cyclic(arms), objective, 5)
    seconds = min(_seconds(party_lists(3_000)) for _ in range(3))
    yield BenchmarkRow("procedural, party lists, 3,000 arms, against half a second", seconds, 0.5, 1)
    for agents, arms in VERTEX_SHAPES:
        for objective in OBJECTIVES:
            yield _vertex_row(agents, arms, objective)
