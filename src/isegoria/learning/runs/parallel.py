"""Many runs at once: the same learner and environment under many seeds, on as many cores as there are."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from isegoria.errors import InputError
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.runs.kept import KeptRuns
from isegoria.learning.runs.simulation import check_meeting, simulate
from isegoria.learning.runs.trace import Trace
from isegoria.learning.worlds.environment import Environment
from isegoria.seeds import checked_seed

_job: tuple[Any, ...] = ()
"""What a worker process runs, set once when it starts: the learner, the environment and the options."""


def simulate_many(learner: Learner, environment: Environment, rounds: int, seeds: int | Iterable[int] = 20,
                  workers: int | None = None, report: Callable[[int, int], None] | None = None,
                  keep: str | os.PathLike[str] | None = None, **options: Any) -> list[Trace]:  # fmt: skip
    """One `Trace` for each seed, in their order: a copy of `learner` reseeded with it, on rewards drawn from it.

    `seeds` is a list, or a number n for the seeds 0 to n − 1. `workers` processes share the work (all cores, by
    default); the traces do not depend on how many. `report(done, of)` is called after each; `options` go to `simulate`.
    In a folder `keep` every run is kept as soon as it is finished, and a run that is there already is not made again:
    what was interrupted goes on where it was.

    >>> import isegoria as iso
    >>> learner = iso.ProceduralLearner(2, 2)
    >>> world = iso.BernoulliRewards([[0.9, 0.1], [0.2, 0.8]])
    >>> [len(trace.rounds) for trace in simulate_many(learner, world, 500, seeds=[3, 4], workers=1, records=10)]
    [10, 10]
    """
    check_meeting(learner, environment)
    chosen = [checked_seed(seed) for seed in (range(seeds) if isinstance(seeds, int) else seeds)]
    if not chosen:
        raise InputError("no seeds were given; name at least one.")
    job = (learner, environment, rounds, options, keep and KeptRuns(keep, learner, environment, rounds, options))
    workers = min(len(chosen), workers or os.cpu_count() or 1)
    traces = _one_by_one(job, chosen) if workers == 1 else _in_parallel(job, chosen, workers)
    return list(_counted(traces, len(chosen), report))


def _one_by_one(job: tuple[Any, ...], seeds: list[int]) -> Iterator[Trace]:
    return (_run(job, seed) for seed in seeds)


def _in_parallel(job: tuple[Any, ...], seeds: list[int], workers: int) -> Iterator[Trace]:
    # A forked worker starts at once and needs no importable __main__, but forking is unsafe beside other threads.
    safe = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if safe else "spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_start, initargs=(job,))
    return _finished(pool, pool.map(_work, seeds))  # the workers start now, before a progress bar starts its thread


def _finished(pool: ProcessPoolExecutor, traces: Iterator[Trace]) -> Iterator[Trace]:
    with pool:
        yield from traces


def _start(job: tuple[Any, ...]) -> None:
    global _job
    _job = job


def _work(seed: int) -> Trace:
    return _run(_job, seed)


def _run(job: tuple[Any, ...], seed: int) -> Trace:
    learner, environment, rounds, options, kept = job
    found = kept.trace(seed) if kept else None
    if found is None:
        found = simulate(learner.copy(seed=seed), environment, rounds, seed=seed, **options)
        if kept:
            kept.write(seed, found)
    return found


def _counted(traces: Iterator[Trace], total: int, report: Callable[[int, int], None] | None) -> Iterator[Trace]:
    """The traces as they come, each reported."""
    for done, trace in enumerate(traces, start=1):
        yield trace
        if report:
            report(done, total)
