"""Clock monitor: notices when the clock jumps, so that nothing is frozen, drawn or erased by a wrong time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

MAX_CLOCK_JUMP_SECONDS = 60
"""Seconds by which the clock may deviate from monotonic time before it counts as a jump."""
CLOCK_SETTLE_SECONDS = 120
"""Seconds for which a clock that jumped must keep its new offset to be trusted again."""
log = logging.getLogger("isegoria.service")


def read_steady_clock() -> float:
    """Return a monotonic time in seconds, which includes time asleep where the system counts it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class ClockMonitor:
    """Compares the clock with monotonic time.

    >>> steady = [0.0]
    >>> monitor = ClockMonitor(lambda: steady[0])
    >>> monitor.is_reliable(1000), monitor.is_reliable(5000)
    (True, False)
    """

    def __init__(self, monotonic: Callable[[], float] = read_steady_clock) -> None:
        self.monotonic = monotonic
        self._trusted: float | None = None  # offset of the clock from monotonic time, while the clock is trusted
        self._doubted: tuple[float, float] | None = None  # the offset after a jump, and since when

    @property
    def has_jumped(self) -> bool:
        """Whether the clock has jumped and is not trusted yet."""
        return self._doubted is not None

    def correct(self, now: float) -> int:
        """Return the time by the clock as it was before its last jump, while that jump is not trusted."""
        doubted = self._doubted is not None and self._trusted is not None
        return int(self.monotonic() + (self._trusted or 0.0) if doubted else now)

    def forget_offset(self) -> None:
        """Trust the clock as it is at the next look."""
        self._trusted = None

    def is_reliable(self, now: int) -> bool:
        """Return whether the clock has not jumped.

        It is trusted again when it returns, or when it has kept its new offset for `CLOCK_SETTLE_SECONDS` seconds.
        """
        passed = self.monotonic()
        ahead = now - passed
        if self._trusted is None or abs(ahead - self._trusted) <= MAX_CLOCK_JUMP_SECONDS:
            self._trusted, self._doubted = ahead, None
            return True
        if self._doubted is None or abs(ahead - self._doubted[0]) > MAX_CLOCK_JUMP_SECONDS:
            self._doubted = ahead, passed
            log.warning(
                "the clock jumped by %d s; nothing is done by it until it was steady for %d s",
                ahead - self._trusted,
                CLOCK_SETTLE_SECONDS,
            )
        if passed - self._doubted[1] < CLOCK_SETTLE_SECONDS:
            return False
        self._trusted, self._doubted = ahead, None
        return True
