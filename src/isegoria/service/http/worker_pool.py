"""Worker pools: threads for each kind of work, so that reads never wait for writes, and nothing waits for a file."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from isegoria.service.http.http_errors import TooManyRequests
from isegoria.utils.messages import Message


class WorkerPool:
    """Worker pool for one kind of work; with `waiting`, at most that many calls of `run` wait for a thread."""

    def __init__(self, name: str, threads: int, waiting: int | None = None) -> None:
        self.name, self.most = name, None if waiting is None else threads + waiting
        self.threads: set[threading.Thread] = set()
        self._inside = 0
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"isegoria-{name}", initializer=self._count_tasks)

    def _count_tasks(self) -> None:
        self.threads.add(threading.current_thread())

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run `work` on a worker thread and return its result; raise `TooManyRequests` if the queue is full."""
        if self.most is not None and self._inside >= self.most:
            raise TooManyRequests(Message("many_wait_same_just_now"), {"retry-after": "15"})
        self._inside += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)
        finally:
            self._inside -= 1

    async def flow(self, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the parts of an iterator, each computed on a worker thread once the previous one was consumed."""
        while (part := await self.run(next, parts, None)) is not None:
            yield part

    def hand(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit `work` to the threads without waiting, and return its future."""
        return self._pool.submit(work, *arguments)

    def close(self) -> None:
        """Stop accepting work and cancel what has not started."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def in_use(self) -> int:
        """The number of calls of `run` that are under way or wait for a thread."""
        return self._inside

    @property
    def ended(self) -> bool:
        """Whether all threads have ended, after `close`."""
        return not any(thread.is_alive() for thread in list(self.threads))


def close_pools(lanes: list[WorkerPool], patience: float) -> bool:
    """Close worker pools, wait at most `patience` seconds in all, and return whether all threads have ended."""
    for lane in lanes:
        lane.close()
    until = time.monotonic() + patience
    for thread in [thread for lane in lanes for thread in list(lane.threads)]:
        thread.join(max(0.0, until - time.monotonic()))
    return all(lane.ended for lane in lanes)
