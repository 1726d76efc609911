"""Objectives against solvers called by their own interfaces; ours include `Instance`, proof and choice among ties.

Tables are uniform, or rate some arms from 1 down to 0.2 and the others at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter, process_time

import numpy as np

import isegoria as iso
from benchmarks import cvxpy_rules
from benchmarks import solver_calls as direct
from benchmarks.harness import BenchmarkRow, time_alternately
from benchmarks.process import run_script

GAME_SHAPES = [(200, 200), (300, 300), (500, 500), (2_000, 300), (120, 500), (1_000, 100)]
RATED_SHAPES = [(550, 480, 60), (130, 4_000, 400)]
GINI_REQUIREMENTS = {(300, 300): 0.75, (500, 500): 0.26}
"""Of HiGHS's own time for the least utility: eight times as fast as games of a few arms at a time, which took 1.9 s and
16.7 s where HiGHS takes 0.18 s and 0.55 s."""
VARIANCE_SHAPES = [(100, 100), (200, 200), (400, 400), (800, 800), (2_000, 60), (200, 30), (1_000, 10)]


def make_uniform(agents: int, arms: int) -> np.ndarray:
    return np.random.default_rng(1).random((agents, arms))


def make_ratings(agents: int, arms: int, rated: int, seed: int) -> np.ndarray:
    rng, means = np.random.default_rng(seed), np.zeros((agents, arms))
    for row in means:
        row[rng.choice(arms, rated, replace=False)] = np.linspace(1, 0.2, rated)
    return means


def _make_solve(means: np.ndarray, objective: str, tie_break: str = "centre") -> Callable[[], iso.Solution]:
    return lambda: iso.solve(iso.Instance(means), objective, tie_break)


def rows() -> Iterator[BenchmarkRow]:
    """Least utilities, Gini welfares, variances and products."""
    yield from _games()
    yield from _ginis()
    yield from _variances()
    yield from _products()


def _games() -> Iterator[BenchmarkRow]:
    tables = {f"{shape}": make_uniform(*shape) for shape in GAME_SHAPES}
    tables |= {f"({n}, {k}), {rated} a row": make_ratings(n, k, rated, n) for n, k, rated in RATED_SHAPES}
    for name, means in tables.items():
        theirs = None
        for tie_break in ("utilitarian", "centre"):
            ours, seen = time_alternately(
                _make_solve(means, "egalitarian", tie_break),
                lambda means=means: direct.solve_with_highs(means),
                rounds=2,
                clock=process_time,
            )
            theirs = min(seen, theirs or seen)
            yield BenchmarkRow(f"egalitarian {name}, {tie_break}, against HiGHS", ours, theirs, 0.8)


def _ginis() -> Iterator[BenchmarkRow]:
    for shape, asked in GINI_REQUIREMENTS.items():
        means = make_uniform(*shape)
        times = time_alternately(
            _make_solve(means, "gini"), lambda means=means: direct.solve_with_highs(means), rounds=2, clock=process_time
        )
        yield BenchmarkRow(f"gini {shape}, halving, against HiGHS for the least utility", *times, asked)


def _variances() -> Iterator[BenchmarkRow]:
    for shape in VARIANCE_SHAPES:
        means = np.random.default_rng(2).random(shape)
        seen = [
            time_alternately(_make_solve(means, "inequality"), lambda means=means, other=other: other(means), rounds=3)
            for other in (direct.solve_with_piqp, direct.solve_with_quadprog)
        ]
        ours, theirs = (min(each) for each in zip(*seen, strict=True))
        yield BenchmarkRow(f"inequality {shape}, against the faster of PIQP and quadprog", ours, theirs, 0.8)


def _products() -> Iterator[BenchmarkRow]:
    """Against Clarabel by itself and by cvxpy; and one BLAS thread beside two, in processes of their own."""
    for shape, asked in (((10, 10), 5), ((50, 4), 10), ((200, 30), 10)):
        means = np.random.default_rng(3).random(shape)
        times = time_alternately(
            _make_solve(means, "nash"), lambda means=means: direct.solve_with_clarabel(means), rounds=3
        )
        yield BenchmarkRow(f"nash {shape}, against Clarabel", *times, asked)
    for agents, arms, rated in RATED_SHAPES:
        for objective in ("nash", "procedural", "inequality"):
            other = cvxpy_rules.inequality if objective == "inequality" else cvxpy_rules.nash
            means = make_ratings(agents, arms, rated, agents)
            values = iso.Instance(means).favourites.astype(float) if objective == "procedural" else means
            start = perf_counter()
            other(values)
            theirs = perf_counter() - start
            words = ("direct_solvers_worker.py", objective, agents, arms, rated)
            one, two = (run_script(*words, threads=threads) for threads in (1, 2))
            name = f"{objective} ({agents}, {arms}), {rated} a row"
            yield BenchmarkRow(f"{name}, against cvxpy, two threads", two["seconds"], theirs, 5)
            times = two["processor"], one["processor"]
            yield BenchmarkRow(f"{name}, two threads against one, processor", *times, 1.5, faster=False)
