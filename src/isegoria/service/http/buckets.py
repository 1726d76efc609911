"""Limits on who knocks: so many tries at once from each place, then so many a minute; and so many connections."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


class Buckets:
    """`size` tries at once for each key, refilled by `rate` a second; at most `most` keys are remembered.

    >>> now = [0.0]
    >>> guesses = Buckets(size=2, rate=0.5, clock=lambda: now[0])
    >>> [guesses.take("a"), guesses.take("a"), guesses.take("a"), guesses.take("b")]
    [0.0, 0.0, 2.0, 0.0]
    >>> now[0] = 2.0
    >>> guesses.take("a")
    0.0
    """

    def __init__(
        self, size: float, rate: float, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.size, self.rate, self.most, self.clock = size, rate, most, clock
        self._level: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

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
            while len(self._level) > self.most:
                self._level.popitem(last=False)
            return max(0.0, short) / self.rate


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
