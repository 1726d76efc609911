"""Rate limits and connection limits, so that no client can use up the server."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from isegoria.service.http.http_errors import TooManyRequests
from isegoria.utils.messages import Message


class RateLimiter:
    """Token-bucket rate limiter: each key has `size` tokens, refilled at `rate` per second.

    At most `most` keys are remembered. Keys with a full bucket are forgotten, because keys may be client addresses.

    >>> now = [0.0]
    >>> guesses = RateLimiter(size=2, rate=0.5, clock=lambda: now[0])
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
        """Take `cost` tokens and return 0 if at least one is left; otherwise return the seconds until there is one.

        A cost above the tokens left makes the level negative, so that the next wait is longer.
        """
        return self._look(key, cost)

    def wait(self, key: str) -> float:
        """Return the seconds until there is a token for this key, without taking one."""
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
        """Forget the least recently used keys while there are too many keys or the oldest has a full bucket."""
        while self._level:
            level, then = next(iter(self._level.values()))
            if len(self._level) <= self.most and level + (now - then) * self.rate < self.size:
                return
            self._level.popitem(last=False)


@dataclass(frozen=True)
class RateLimits:
    """The rate limits of a service.

    - `failed_tokens`, `group_creation`: by client network. `join_attempts`, `objections`: by it and by group.
    - `ratings`, `actions`: by actor. `manual_mail`: by group.
    - `first_mail`: by client network.
    """

    failed_tokens: RateLimiter
    join_attempts: RateLimiter
    objections: RateLimiter
    group_creation: RateLimiter
    ratings: RateLimiter
    actions: RateLimiter
    manual_mail: RateLimiter
    first_mail: RateLimiter

    def require_pace(self, actor: str, ratings: int | None) -> None:
        """Count an action of an actor, or so many ratings; raise `TooManyRequests` above the rate limit.

        A rating of many options costs more.
        """
        wait = self.actions.take(actor) if ratings is None else self.ratings.take(actor, 1 + ratings // 50)
        if wait > 0:
            raise TooManyRequests(Message("rate_limit_exceeded"), {"retry-after": str(int(wait) + 1)})


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits of connections, and timeouts in seconds.

    - `most`: connections in all; `from_one`: those from one client network, proxies excepted.
    - `header`, `body`: timeouts until the header of a request is complete, and then its body.
    - `reading`: timeout until a client reads what was sent to it.
    """

    most: int = 1000
    from_one: int = 500
    header: float = 10.0
    body: float = 60.0
    reading: float = 60.0
