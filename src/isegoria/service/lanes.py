"""Threads, a few for each kind of work: whoever reads never waits for a writer, nor anybody for a stranger's file."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from isegoria.service.http.refusals import TooManyRequests


class Lane:
    """So many threads for one kind of work; with `waiting`, no more than that wait for one of them."""

    def __init__(self, name: str, threads: int, waiting: int | None = None) -> None:
        self.name, self.most = name, None if waiting is None else threads + waiting
        self.threads: set[threading.Thread] = set()
        self._inside = 0
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"isegoria-{name}", initializer=self._noted)

    def _noted(self) -> None:
        self.threads.add(threading.current_thread())

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """What `work` gives, on one of the threads; a lane that is full refuses it."""
        if self.most is not None and self._inside >= self.most:
            raise TooManyRequests("many wait for the same just now; try again in a moment.", {"retry-after": "15"})
        self._inside += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)
        finally:
            self._inside -= 1

    async def flow(self, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
        """What an iterator gives, each part made on one of the threads when the one before was taken."""
        while (part := await self.run(next, parts, None)) is not None:
            yield part

    def hand(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have `work` done; nobody waits for it."""
        return self._pool.submit(work, *arguments)

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def ended(self) -> bool:
        """Whether no thread is at work any more, once it was closed."""
        return not any(thread.is_alive() for thread in list(self.threads))


def joined(lanes: list[Lane], patience: float) -> bool:
    """Close some lanes, and give what is under way so many seconds; whether all of it has ended."""
    for lane in lanes:
        lane.close()
    until = time.monotonic() + patience
    for thread in [thread for lane in lanes for thread in list(lane.threads)]:
        thread.join(max(0.0, until - time.monotonic()))
    return all(lane.ended for lane in lanes)
