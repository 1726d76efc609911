"""Families of tables that have many optima, or long paths: the choice among optima, leximin, flows, the fair policies.

The references are HiGHS for the same two programs (the least utility, then the largest total), Clarabel, SciPy's flow,
and our own solve without the part in question. Times are of one thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from time import process_time

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

import isegoria as iso
from benchmarks import solver_calls as direct
from benchmarks.harness import BenchmarkRow, time_alternately

PEAKED_SHAPES = [(3, 1_600), (3, 5_000), (10, 300), (10, 2_000), (50, 1_000)]
FLOW_UNITS = 2**30  # SciPy's capacities are 32-bit integers, half as long as ours
LEXIMIN_EXPONENT = 3.5  # of the side, from 100 x 100 to 300 x 300
VARIANCE_SHAPES = [(50, 50), (100, 100), (200, 200), (1_000, 50), (10, 300), (50, 400)]
LEAST_MEDIAN = 1.5


def make_single_peaked(agents: int, arms: int) -> np.ndarray:
    rng = np.random.default_rng([1, agents, arms])
    return 1 - np.abs(rng.random((agents, 1)) - rng.random((1, arms)))


def make_near_clones(agents: int, arms: int) -> np.ndarray:
    rng = np.random.default_rng([2, agents, arms])
    kinds = np.repeat(rng.random((agents, arms // 3)), 3, axis=1)
    return np.clip(kinds + 1e-12 * rng.standard_normal(kinds.shape), 0, 1)


def make_plain(family: str, agents: int, arms: int) -> np.ndarray:
    rng = np.random.default_rng([3, agents, arms])
    return {
        "dense": lambda: rng.random((agents, arms)),
        "rounded": lambda: rng.integers(0, 6, (agents, arms)) / 5,
        "0/1": lambda: (rng.random((agents, arms)) < 0.3).astype(float),
        "rankings": lambda: rng.permuted(np.tile(np.linspace(0, 1, arms), (agents, 1)), axis=1),
        "low rank": lambda: rng.random((agents, 3)) @ rng.random((3, arms)) / 3,
        "parties": lambda: (rng.integers(0, 5, (agents, 1)) == rng.integers(0, 5, (1, arms))).astype(float),
    }[family]()


PLAIN_FAMILIES = ("dense", "rounded", "0/1", "rankings", "low rank", "parties")


def _compare(name: str, ours: Callable, theirs: Callable, asked: float, faster: bool = True) -> BenchmarkRow:
    return BenchmarkRow(name, *time_alternately(ours, theirs, rounds=3, clock=process_time), asked, faster)


def _solve(means: np.ndarray, rule: str, *tie_break: str, **named: str) -> Callable:
    return lambda: iso.solve(iso.Instance(means), rule, *tie_break, **named)


def rows() -> Iterator[BenchmarkRow]:
    """Choices, plain families, leximin, flows, and the fair policies."""
    yield from _choices()
    yield from _plain_families()
    yield from _stages()
    yield from _flows()
    yield from _fair()


def _choices() -> Iterator[BenchmarkRow]:
    rankings = np.array(list(itertools.permutations([1.0, 0.5, 0.0])))
    many = rankings[np.random.default_rng(4).integers(0, 6, 2_097)]
    pair = _solve(many, "egalitarian", "vertex"), _solve(many, "egalitarian", "centre")
    yield _compare("egalitarian vertex, 2,097 rankings of 3; centre", *pair, 10, False)
    tables = {f"single-peaked {shape}": make_single_peaked(*shape) for shape in PEAKED_SHAPES}
    tables["near-clones (10, 300)"] = make_near_clones(10, 300)
    for (name, means), rule in itertools.product(tables.items(), ("egalitarian", "gini")):
        theirs = lambda means=means: direct.solve_two_programs_with_highs(means)  # noqa: E731
        for tie_break in ("utilitarian", "centre"):
            yield _compare(f"{rule} {tie_break}, {name}, against HiGHS", _solve(means, rule, tie_break), theirs, 0.2)
    for shape in PEAKED_SHAPES[:2]:
        means = make_single_peaked(*shape)
        theirs = lambda means=means: direct.solve_with_clarabel(means)  # noqa: E731
        yield _compare(f"nash, single-peaked {shape}, against Clarabel", _solve(means, "nash"), theirs, 0.2)


def _plain_families() -> Iterator[BenchmarkRow]:
    for rule in ("egalitarian", "gini"):
        cells = []
        for family in PLAIN_FAMILIES:
            means = make_plain(family, 100, 100)
            theirs = lambda means=means: direct.solve_with_highs(means)  # noqa: E731
            cells.append(_compare(f"{rule} (100, 100), {family}, against HiGHS", _solve(means, rule), theirs, 0.7))
            yield cells[-1]
        yield _find_median(f"{rule} (100, 100), the median family, against HiGHS", cells)
    cells = []
    for shape, family in itertools.product(VARIANCE_SHAPES, PLAIN_FAMILIES):
        means = make_plain(family, *shape)
        others = (direct.solve_with_piqp, direct.solve_with_quadprog)
        pairs = [_compare("", _solve(means, "inequality"), lambda other=other: other(means), 0) for other in others]  # noqa: B023
        ours, theirs = min(row.ours for row in pairs), min(row.theirs for row in pairs)
        cells.append(
            BenchmarkRow(f"inequality {shape}, {family}, against the faster of PIQP and quadprog", ours, theirs, 0.5)
        )
        yield cells[-1]
    yield _find_median("inequality, the median of these, against the faster of PIQP and quadprog", cells)


def _find_median(name: str, cells: list[BenchmarkRow]) -> BenchmarkRow:
    """Return the row in the middle, under this name and with a bar of its own."""
    middle = sorted(cells, key=lambda row: row.ratio)[(len(cells) - 1) // 2]
    return BenchmarkRow(name, middle.ours, middle.theirs, LEAST_MEDIAN)


def _stages() -> Iterator[BenchmarkRow]:
    for name, make in (("single-peaked", make_single_peaked), ("dense", lambda *shape: make_plain("dense", *shape))):
        pair = _solve(make(300, 300), "leximin"), _solve(make(100, 100), "leximin")
        yield _compare(f"leximin (300, 300), {name}; (100, 100)", *pair, 3**LEXIMIN_EXPONENT, False)


def _flows() -> Iterator[BenchmarkRow]:
    for agents in (2_000, 8_000, 100_000):
        places = np.arange(agents)
        table = csr_array((np.ones(2 * agents), (np.tile(places, 2), np.append(places, places + 1))))
        instance, policy = iso.Instance(table), np.full(agents + 1, 1 / (agents + 1))
        links = table.tocoo().coords
        tails = np.concatenate([np.zeros(agents), 1 + links[0], 1 + agents + np.arange(agents + 1)])
        heads = np.concatenate([1 + places, 1 + agents + links[1], np.full(agents + 1, 2 * agents + 2)])
        shares = np.full(agents, FLOW_UNITS // agents)
        capacities = np.concatenate([shares, np.full(2 * agents, FLOW_UNITS), np.full(agents + 1, shares[0])])
        side = 2 * agents + 3
        graph = csr_array((capacities.astype(np.int32), (tails.astype(int), heads.astype(int))), shape=(side, side))
        score = lambda instance=instance, policy=policy: iso.score(instance, policy).procedural  # noqa: E731
        flow = lambda graph=graph, side=side: maximum_flow(graph, 0, side - 1)  # noqa: E731
        yield _compare(f"score of interval approvals, {agents:,} agents, against SciPy's flow", score, flow, 0.3)


def _fair() -> Iterator[BenchmarkRow]:
    tables = {
        "rankings (100, 100)": make_plain("rankings", 100, 100),
        "parties (60, 100)": make_plain("parties", 60, 100),
    }
    for (name, means), rule in itertools.product(tables.items(), ("egalitarian", "gini", "nash")):
        pair = _solve(means, rule, within="fair"), _solve(means, rule)
        yield _compare(f"{rule} within fair, {name}; without", *pair, 20, False)
