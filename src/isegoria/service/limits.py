"""Limits, so that nobody takes it all: a few threads for each kind of work, so many tries from each place, and so many
connections. Whoever reads never waits for a writer, nor anybody for a stranger's file.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
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


class Buckets:
    """`size` tries at once for each key, refilled by `rate` a second; at most `most` keys are remembered, and none that
    has all its tries again: keys may be visitors' addresses.

    >>> now = [0.0]
    >>> guesses = Buckets(size=2, rate=0.5, clock=lambda: now[0])
    >>> [guesses.take("a"), guesses.take("a"), guesses.take("a"), guesses.take("b")]
    [0.0, 0.0, 2.0, 0.0]
    >>> now[0] = 2.0
    >>> guesses.take("a"), len(guesses)
    (0.0, 1)
    """

    def __init__(
        self, size: float, rate: float, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.size, self.rate, self.most, self.clock = size, rate, most, clock
        self._level: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._level)

    def take(self, key: str, cost: float = 1.0) -> float:
        """0 when there was a try left, which is now gone; else the seconds until there is one.

        What costs more than one try may be begun with the last of them, and is made up for by a longer wait.
        """
        return self._look(key, cost)

    def wait(self, key: str) -> float:
        """The seconds until there is a try for this key; takes none."""
        return self._look(key, 0.0)

    def _look(self, key: str, cost: float) -> float:
        with self._lock:
            now = self.clock()
            level, then = self._level.pop(key, (self.size, now))
            level = min(self.size, level + max(0.0, now - then) * self.rate)
            short = 1.0 - level
            if short <= 0:
                level -= cost
            self._level[key] = level, now
            self._forget(now)
            return max(0.0, short) / self.rate

    def _forget(self, now: float) -> None:
        """Let go of keys not looked at for longest, while they are too many or have all their tries again."""
        while self._level:
            level, then = next(iter(self._level.values()))
            if len(self._level) <= self.most and level + (now - then) * self.rate < self.size:
                return
            self._level.popitem(last=False)


@dataclass(frozen=True)
class ConnectionLimits:
    """How many connections there may be, from one place (proxies aside), and the seconds that each part may take.

    - `header`, `body`: until a request's header is whole, and then its body. `reading`: until a client takes what was
      sent to it.
    """

    most: int = 1000
    from_one: int = 300
    header: float = 10.0
    body: float = 60.0
    reading: float = 60.0
