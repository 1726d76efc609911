"""Where work is done: in this thread, in a pool of processes that outlives a killed one, or on a cluster.

An executor here runs one function over many tasks and gives the results in the order of the tasks, whoever was first.
Anything with `submit`, as `concurrent.futures` has it, serves: threads, processes, `Client.get_executor()` of Dask.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from isegoria.errors import InputError, IsegoriaError, MissingExtraError

DEATHS = 3
"""How many times workers may be lost before the work is given up: more than that is no accident."""

PATIENCE = 10.0
"""Seconds in which a scheduler must answer."""

TASKS = 4
"""Tasks for each worker: few enough to be worth the way, enough that all are busy to the end."""


class WorkersLost(IsegoriaError, RuntimeError):
    """Worker processes died again and again; what was finished is kept."""


class Executor:
    """Runs tasks; `tasks` is into how many the work is best divided."""

    tasks = 1

    def run(
        self,
        work: Callable[..., Any],
        tasks: list[tuple[Any, ...]],
        finished: Callable[[int], None] = lambda index: None,
    ) -> list[Any]:
        """[work(*task) for task in tasks]; `finished(index)` is called as each is done, in any order."""
        results: dict[int, object] = {}
        for index, result in self.each(work, tasks):
            results[index] = result
            finished(index)
        return [results[index] for index in range(len(tasks))]

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """(index, result) of each task as it is done."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the workers."""


class Serial(Executor):
    """One task after the other, in this thread."""

    tasks = 1 << 30

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        for index, task in enumerate(tasks):
            yield index, work(*task)


class Submitting(Executor):
    """Anything with `submit` that is somebody else's: it is not closed here."""

    def __init__(self, executor: Any, workers: int = 2) -> None:
        self.executor, self.tasks = executor, TASKS * workers

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        yield from _collected(self.executor, work, dict(enumerate(tasks)))


class Pool(Executor):
    """Processes of this machine. A worker that is killed costs its task: the pool is made anew, the task done again.

    >>> with closing(Pool(1)) as pool:
    ...     pool.run(divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """

    def __init__(self, workers: int) -> None:
        self.workers, self.tasks, self.deaths = workers, TASKS * workers, 0
        self._pool: ProcessPoolExecutor | None = None

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        left = dict(enumerate(tasks))
        while left:
            try:
                for index, result in _collected(self._workers(), work, left):
                    del left[index]
                    yield index, result
            except BrokenProcessPool:
                self.deaths += 1
                self.close()
                if self.deaths > DEATHS:
                    raise WorkersLost(
                        f"worker processes were killed {self.deaths} times, perhaps for want of memory; what was "
                        "finished is kept. Give fewer workers, or smaller parts."
                    ) from None

    def _workers(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), initializer=_leave_interrupts)
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


class Cluster(Submitting):
    """The workers of a Dask scheduler, which does a task again when its worker is lost."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtraError(
                "a scheduler needs Dask, which is not installed; pip install 'isegoria[dask]'."
            ) from None
        try:
            self.client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise InputError(
                f"there is no Dask scheduler at {address}: {reason}; start one with: dask scheduler"
            ) from None
        super().__init__(self.client.get_executor(retries=DEATHS), max(1, len(self.client.scheduler_info()["workers"])))

    def close(self) -> None:
        self.client.close()


def executor_of(workers: int = 1, scheduler: str | None = None) -> Executor:
    """The executor for so many processes, or for the workers of a scheduler."""
    if scheduler is not None:
        return Cluster(scheduler)
    return Pool(workers) if workers > 1 else Serial()


def as_executor(given: Any) -> Executor:
    """`given` as one of ours: None is this thread, and whatever has `submit` is taken as it is."""
    if given is None:
        return Serial()
    if isinstance(given, Executor):
        return given
    if not hasattr(given, "submit"):
        raise InputError(f"executor is {given!r}; give anything with submit(), such as a ProcessPoolExecutor.")
    return Submitting(given, getattr(given, "_max_workers", 2) or 2)


@contextmanager
def closing(executor: Executor) -> Iterator[Executor]:
    """The executor, closed at the end of the block."""
    try:
        yield executor
    finally:
        executor.close()


def _collected(executor: Any, work: Callable[..., Any], tasks: dict[int, tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
    """(index, result) of each task as it is done; what is left is cancelled when the caller stops."""
    waiting = {executor.submit(work, *task): index for index, task in tasks.items()}
    try:
        while waiting:
            for task in _next(waiting):
                yield waiting.pop(task), task.result()
    finally:
        for task in waiting:
            task.cancel()


def _next(waiting: Any) -> list[Any]:
    """The tasks that are done next; Dask's futures look like ours, and are waited for in its own way."""
    first = next(iter(waiting))
    if type(first).__module__.startswith("distributed"):
        from distributed import wait as wait_there

        return list(wait_there(list(waiting), return_when="FIRST_COMPLETED").done)
    return list(wait(waiting, return_when=FIRST_COMPLETED).done)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of the terminal; a worker finishes its task, and the parent stops."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
