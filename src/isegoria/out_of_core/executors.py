"""Executors: run tasks in this thread, in a pool of processes that survives killed workers, or on a cluster.

An executor runs one function over many tasks and returns the results in the order of the tasks, whichever finished
first. Anything with `submit` as in `concurrent.futures` can be used: threads, processes, `Client.get_executor()` of
Dask.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError, IsegoriaError
from isegoria.utils.pickling import dump_task, hide_main_script, run_dumped_task

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

MAX_WORKER_DEATHS = 3
"""How many times workers may be lost before the work is given up: more than that is no accident."""

TASKS_PER_WORKER = 4
"""Tasks for each worker: few enough to be worth the way, enough that all are busy to the end."""


class WorkersLostError(IsegoriaError, RuntimeError):
    """Worker processes died repeatedly; finished results are kept."""


class Executor:
    """Base class of executors; `tasks` is the preferred number of tasks to divide the work into."""

    tasks = 1

    def run(
        self,
        work: Callable[..., Any],
        tasks: list[tuple[Any, ...]],
        finished: Callable[[int], None] = lambda index: None,
    ) -> list[Any]:
        """Return [work(*task) for task in tasks]; call `finished(index)` as each one is done, in any order."""
        results: dict[int, object] = {}
        for index, result in self.each(work, tasks):
            results[index] = result
            finished(index)
        return [results[index] for index in range(len(tasks))]

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Yield (index, result) of each task as it is done."""
        raise NotImplementedError

    def close(self) -> None:
        """Release the workers."""


class SerialExecutor(Executor):
    """Runs one task after the other in this thread."""

    tasks = 1 << 30

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        for index, task in enumerate(tasks):
            yield index, work(*task)


class FutureExecutor(Executor):
    """Runs tasks on a caller's object with `submit`, which is not closed here."""

    def __init__(self, executor: Any, workers: int = 2) -> None:
        self.executor, self.tasks = executor, TASKS_PER_WORKER * workers

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        yield from _iter_completions(_submit_tasks(self.executor, work, dict(enumerate(tasks))))


class ProcessPool(Executor):
    """A pool of processes on this machine. If a worker is killed, the pool is recreated and lost tasks run again.

    >>> with close_after(ProcessPool(1)) as pool:
    ...     pool.run(divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """

    def __init__(self, workers: int) -> None:
        self.workers, self.tasks, self.deaths = workers, TASKS_PER_WORKER * workers, 0
        self._pool: ProcessPoolExecutor | None = None

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        left = dict(enumerate(tasks))
        while left:
            try:
                dumped = {index: (dump_task(work, *task),) for index, task in left.items()}
                with hide_main_script():  # the workers start as tasks are submitted
                    completions = _submit_tasks(self._workers(), run_dumped_task, dumped)
                for index, result in _iter_completions(completions):
                    del left[index]
                    yield index, result
            except BrokenExecutor:
                self.deaths += 1
                self.close()
                if self.deaths > MAX_WORKER_DEATHS:
                    raise WorkersLostError(
                        f"worker processes were killed {self.deaths} times, perhaps for want of memory; what was "
                        "finished is kept. Give fewer workers, or smaller parts."
                    ) from None

    def _workers(self) -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor  # browsers have neither
        from multiprocessing import get_context

        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), initializer=_ignore_interrupts)
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def make_executor(workers: int = 1, scheduler: str | None = None) -> Executor:
    """Return the executor for `workers` processes, or for the workers of the Dask scheduler at `scheduler`."""
    if scheduler is not None:
        from isegoria.out_of_core.cluster import DaskExecutor

        return DaskExecutor(scheduler)
    return ProcessPool(workers) if workers > 1 else SerialExecutor()


def as_executor(given: Any) -> Executor:
    """Convert `given` to an `Executor`: None is this thread, and an object with `submit` is wrapped."""
    if given is None:
        return SerialExecutor()
    if isinstance(given, Executor):
        return given
    if type(given).__module__.partition(".")[0] == "distributed":
        from isegoria.out_of_core.cluster import ClusterExecutor

        return ClusterExecutor(given)
    if not hasattr(given, "submit"):
        raise InputError(f"executor is {given!r}; give anything with submit(), such as a ProcessPoolExecutor.")
    return FutureExecutor(given, getattr(given, "_max_workers", 2) or 2)


@contextmanager
def close_after(executor: Executor) -> Iterator[Executor]:
    """Yield the executor, and close it at the end of the block."""
    try:
        yield executor
    finally:
        executor.close()


def _submit_tasks(executor: Any, work: Callable[..., Any], tasks: dict[int, tuple[Any, ...]]) -> dict[Any, int]:
    return {executor.submit(work, *task): index for index, task in tasks.items()}


def _iter_completions(waiting: dict[Any, int]) -> Iterator[tuple[int, Any]]:
    """Yield (index, result) of each future as it is done; cancel the rest when the caller stops."""
    try:
        while waiting:
            for task in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(task), task.result()
    finally:
        for task in waiting:
            task.cancel()


def _ignore_interrupts() -> None:
    """Ignore SIGINT in a worker.

    Ctrl-C reaches every process of the terminal; a worker finishes its task, and the parent stops.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
