"""Parallel simulation: the same learner and environment under many seeds, on several cores."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from isegoria.errors import InputError
from isegoria.learning.base.learner import Learner
from isegoria.learning.environments.environment import Environment
from isegoria.learning.simulation.run_cache import RunCache
from isegoria.learning.simulation.simulation import as_environment, require_compatible, simulate
from isegoria.learning.simulation.trace import Trace
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.pickling import can_send, dump_task, hide_main_script, load_task
from isegoria.utils.seeds import resolve_seed

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from isegoria.learning.simulation.delays import DelayLike
    from isegoria.learning.simulation.player import AvailableArms
    from isegoria.rules import Objective
    from isegoria.rules.literals import RuleName

_worker_job: tuple[Any, ...] = ()
"""What a worker process runs, set once when it starts: the learner, the environment and the options."""


class SimulationOptions(TypedDict, total=False):
    """The arguments of `simulate` that `simulate_many` passes on."""

    records: int
    keep_arms: bool
    available: AvailableArms | None
    delay: DelayLike
    extra_rules: Sequence[RuleName | Objective]


@explain_keywords
def simulate_many(
    learner: Learner,
    environment: Environment,
    rounds: int,
    seeds: int | Iterable[int] = 20,
    workers: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    keep: str | os.PathLike[str] | None = None,
    **options: Unpack[SimulationOptions],
) -> list[Trace]:
    """Run `simulate` once for each seed and return the traces in the order of the seeds.

    Each run uses a copy of `learner` reseeded with the seed, on rewards drawn from that seed.

    Parameters
    ----------
    learner : Learner
        The learner to copy.
    environment : Environment
        The source of the rewards.
    rounds : int
        The length of each run.
    seeds : int or iterable of int
        The seeds, or a number n for the seeds 0 to n − 1.
    workers : int, optional
        The number of worker processes; one per core by default. The traces do not depend on it.
    on_progress : callable, optional
        Called as `on_progress(done, of)` after each run.
    keep : path, optional
        A folder in which every finished run is stored. Runs found there are not repeated, so that an interrupted call
        can be continued.
    **options
        Further arguments of `simulate`.

    Returns
    -------
    list of Trace

    Raises
    ------
    InputError
        If the learner does not fit the environment, or there are no seeds.

    Examples
    --------
    >>> import isegoria as iso
    >>> learner = iso.ProceduralLearner(2, 2)
    >>> world = iso.BernoulliRewards([[0.9, 0.1], [0.2, 0.8]])
    >>> [len(trace.rounds) for trace in simulate_many(learner, world, 500, seeds=[3, 4], workers=1, records=10)]
    [10, 10]
    """
    environment = as_environment(environment, learner)
    require_compatible(learner, environment)
    chosen = [resolve_seed(seed) for seed in (range(seeds) if isinstance(seeds, int) else seeds)]
    if not chosen:
        raise InputError("no seeds were given; name at least one.")
    job = (learner, environment, rounds, options, keep and RunCache(keep, learner, environment, rounds, dict(options)))
    workers = min(len(chosen), workers or os.cpu_count() or 1)
    sent = {"the learner": learner, "the environment": environment, "an option": options}
    alone = workers == 1 or not can_send(sent)
    traces = _run_serially(job, chosen) if alone else _run_in_pool(job, chosen, workers)
    return list(_report_each(traces, len(chosen), on_progress))


def _run_serially(job: tuple[Any, ...], seeds: list[int]) -> Iterator[Trace]:
    return (_run(job, seed) for seed in seeds)


def _run_in_pool(job: tuple[Any, ...], seeds: list[int], workers: int) -> Iterator[Trace]:
    # A forked worker starts at once and needs no importable __main__, but forking is unsafe beside other threads.
    from concurrent.futures import ProcessPoolExecutor  # browsers have none

    safe = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if safe else "spawn")
    data = dump_task(job)  # also before a fork, so that a class of a notebook comes back as the same class
    with hide_main_script():
        pool = ProcessPoolExecutor(workers, context, initializer=_init_worker, initargs=(data,))
        # The workers start now, before a progress bar starts its thread.
        return _yield_and_shut_down(pool, pool.map(_run_in_worker, seeds))


def _yield_and_shut_down(pool: ProcessPoolExecutor, traces: Iterator[bytes]) -> Iterator[Trace]:
    with pool:
        for data in traces:
            yield load_task(data)[0]


def _init_worker(data: bytes) -> None:
    global _worker_job
    _worker_job = load_task(data)[0]


def _run_in_worker(seed: int) -> bytes:
    return dump_task(_run(_worker_job, seed))


def _run(job: tuple[Any, ...], seed: int) -> Trace:
    learner, environment, rounds, options, kept = job
    found = kept.trace(seed) if kept else None
    if found is None:
        found = simulate(learner.copy(seed=seed), environment, rounds, seed=seed, **options)
        if kept:
            kept.write(seed, found)
    return found


def _report_each(traces: Iterator[Trace], total: int, report: Callable[[int, int], None] | None) -> Iterator[Trace]:
    """Yield the traces as they come, reporting each."""
    for done, trace in enumerate(traces, start=1):
        yield trace
        if report:
            report(done, total)
