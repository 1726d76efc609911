"""Executors on Dask clusters.

Tasks and results travel as bytes made by `pickle`. Dask itself would send the arrays inside them apart from them, and
such arrays may arrive at an address that is no multiple of eight, which the kernels refuse. An exception of a task is
returned like a result, so that Dask never retries it; Dask itself repeats tasks whose workers were lost.
"""

from __future__ import annotations

import logging
import pickle
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Any

from isegoria.errors import InputError, IsegoriaError, MissingExtraError
from isegoria.out_of_core.executors import TASKS_PER_WORKER, Executor, WorkersLostError

LOGGER = logging.getLogger("isegoria")

SCHEDULER_TIMEOUT_SECONDS = 10.0
"""Seconds in which a scheduler must answer."""

FIRST_NOTICE_SECONDS = 5.0
"""Seconds without a finished task after which a cluster without workers is reported."""

NEXT_NOTICE_SECONDS = 30.0
"""Seconds between two such reports."""

POLL_INTERVAL_SECONDS = 1.0
"""Seconds between two looks at a cluster that finishes nothing."""


class ClusterExecutor(Executor):
    """The workers of a Dask cluster, given as a `Client` or as its `get_executor()`, which is not closed here."""

    def __init__(self, given: Any) -> None:
        from distributed import Client

        self.client = given if isinstance(given, Client) else given._client
        self._executor = given.get_executor(pure=False, retries=0) if isinstance(given, Client) else given
        self._count_threads()

    def _count_threads(self) -> int:
        """Return the number of threads of all workers, and divide further work for so many."""
        threads = sum(self.client.nthreads().values())
        self.tasks = TASKS_PER_WORKER * max(1, threads)
        return threads

    def each(self, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        from distributed.scheduler import KilledWorker

        waiting = {self._executor.submit(run_packed, pack((work, task))): i for i, task in enumerate(tasks)}
        try:
            while waiting:
                for future in self._wait_for_next(waiting):
                    result, error = pickle.loads(future.result())
                    if error is not None:
                        raise error
                    yield waiting.pop(future), result
        except KilledWorker:
            raise WorkersLostError(
                "the workers of the cluster that got a task were lost one after the other, perhaps for want of memory; "
                "what was finished is kept. Give the workers more memory, or use smaller parts."
            ) from None
        except CancelledError:
            raise WorkersLostError(
                "the connection to the Dask scheduler was lost; what was finished is kept. Start the scheduler and its "
                "workers again, and repeat the command."
            ) from None
        finally:
            for future in waiting:
                future.cancel()

    def _wait_for_next(self, waiting: dict[Future[bytes], int]) -> set[Future[bytes]]:
        """Return the next finished tasks; while there are none and no workers either, say so now and then."""
        notice = time.monotonic() + FIRST_NOTICE_SECONDS
        while True:
            done = wait(waiting, timeout=POLL_INTERVAL_SECONDS, return_when=FIRST_COMPLETED).done
            if done:
                return done
            if time.monotonic() >= notice:
                notice = time.monotonic() + NEXT_NOTICE_SECONDS
                if not self._count_threads():
                    address = getattr(self.client.scheduler, "address", "ADDRESS")
                    LOGGER.warning(
                        "The Dask scheduler at %s has no workers; start one with: dask worker %s", address, address
                    )


class DaskExecutor(ClusterExecutor):
    """The workers of the Dask scheduler at an address."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtraError(
                "a scheduler needs Dask, which is not installed; pip install 'isegoria[dask]'."
            ) from None
        try:
            client = Client(address, timeout=SCHEDULER_TIMEOUT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise InputError(
                f"there is no Dask scheduler at {address}: {reason}; start one with: dask scheduler"
            ) from None
        super().__init__(client)

    def close(self) -> None:
        self.client.close()


def pack(value: Any) -> bytes:
    """Return a value as bytes, with everything in them; functions of the main program are sent as their code."""
    from distributed.protocol import pickle as dask_pickle

    return bytes(dask_pickle.dumps(value))


def run_packed(data: bytes) -> bytes:
    """Run a task on a worker; return its result and no error, or no result and its error."""
    try:
        work, task = pickle.loads(data)
        return pack((work(*task), None))
    except Exception as error:
        if not isinstance(error, IsegoriaError):
            error.add_note(f"On a worker:\n{traceback.format_exc()}")
        try:
            return pack((None, error))
        except Exception:  # an exception that holds what no other process can hold
            return pack((None, RuntimeError(f"{type(error).__name__} on a worker: {error}")))
