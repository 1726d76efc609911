"""Objectives against solvers called by their own interfaces; ours include `Instance`, proof and choice among ties.

Tables are uniform, or rate some arms from 1 down to 0.2 and the others at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter, process_time

import numpy as np

import isegoria as iso
from benchmarks import programs
from benchmarks import solvers_called_directly as direct
from benchmarks.harness import Row, side_by_side
from benchmarks.process import measured

SQUARES = [(200, 200), (300, 300), (500, 500), (2_000, 300), (120, 500), (1_000, 100)]
RATED = [(550, 480, 60), (130, 4_000, 400)]
GINI = {(300, 300): 0.75, (500, 500): 0.26}
"""Of HiGHS's own time for the least utility: eight times as fast as games of a few arms at a time, which took 1.9 s and
16.7 s where HiGHS takes 0.18 s and 0.55 s."""
VARIANCES = [(100, 100), (200, 200), (400, 400), (800, 800), (2_000, 60), (200, 30), (1_000, 10)]


def uniform(agents: int, arms: int) -> np.ndarray:
    return np.random.default_rng(1).random((agents, arms))


def ratings(agents: int, arms: int, rated: int, seed: int) -> np.ndarray:
    rng, means = np.random.default_rng(seed), np.zeros((agents, arms))
    for row in means:
        row[rng.choice(arms, rated, replace=False)] = np.linspace(1, 0.2, rated)
    return means


def _solving(means: np.ndarray, objective: str, tie_break: str = "centre") -> Callable[[], iso.Solution]:
    return lambda: iso.solve(iso.Instance(means), objective, tie_break)


def rows() -> Iterator[Row]:
    """Least utilities, Gini welfares, variances and products."""
    yield from _games()
    yield from _ginis()
    yield from _variances()
    yield from _products()


def _games() -> Iterator[Row]:
    tables = {f"{shape}": uniform(*shape) for shape in SQUARES}
    tables |= {f"({n}, {k}), {rated} a row": ratings(n, k, rated, n) for n, k, rated in RATED}
    for name, means in tables.items():
        theirs = None
        for tie_break in ("utilitarian", "centre"):
            ours, seen = side_by_side(
                _solving(means, "egalitarian", tie_break),
                lambda means=means: direct.highs(means),
                rounds=2,
                clock=process_time,
            )
            theirs = min(seen, theirs or seen)
            yield Row(f"egalitarian {name}, {tie_break}, against HiGHS", ours, theirs, 0.8)


def _ginis() -> Iterator[Row]:
    for shape, asked in GINI.items():
        means = uniform(*shape)
        times = side_by_side(
            _solving(means, "gini"), lambda means=means: direct.highs(means), rounds=2, clock=process_time
        )
        yield Row(f"gini {shape}, halving, against HiGHS for the least utility", *times, asked)


def _variances() -> Iterator[Row]:
    for shape in VARIANCES:
        means = np.random.default_rng(2).random(shape)
        seen = [
            side_by_side(_solving(means, "inequality"), lambda means=means, other=other: other(means), rounds=3)
            for other in (direct.by_piqp, direct.by_quadprog)
        ]
        ours, theirs = (min(each) for each in zip(*seen, strict=True))
        yield Row(f"inequality {shape}, against the faster of PIQP and quadprog", ours, theirs, 0.8)


def _products() -> Iterator[Row]:
    """Against Clarabel by itself and by cvxpy; and one BLAS thread beside two, in processes of their own."""
    for shape, asked in (((10, 10), 5), ((50, 4), 10), ((200, 30), 10)):
        means = np.random.default_rng(3).random(shape)
        times = side_by_side(_solving(means, "nash"), lambda means=means: direct.by_clarabel(means), rounds=3)
        yield Row(f"nash {shape}, against Clarabel", *times, asked)
    for agents, arms, rated in RATED:
        for objective in ("nash", "procedural", "inequality"):
            other = programs.inequality if objective == "inequality" else programs.nash
            means = ratings(agents, arms, rated, agents)
            values = iso.Instance(means).favourites.astype(float) if objective == "procedural" else means
            start = perf_counter()
            other(values)
            theirs = perf_counter() - start
            words = ("direct_work.py", objective, agents, arms, rated)
            one, two = (measured(*words, threads=threads) for threads in (1, 2))
            name = f"{objective} ({agents}, {arms}), {rated} a row"
            yield Row(f"{name}, against cvxpy, two threads", two["seconds"], theirs, 5)
            times = two["processor"], one["processor"]
            yield Row(f"{name}, two threads against one, processor", *times, 1.5, faster=False)
