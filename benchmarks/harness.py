"""What every benchmark shares: alternate timing, and a row that says what was asked and whether it was met."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

TABLE_HEADER = ("work", "ours", "theirs", "ratio", "asked", "ok")
COLUMN_WIDTHS = (64, 10, 10, 9, 9, 3)
SLOW_SECONDS = 1.0


@dataclass(frozen=True)
class BenchmarkRow:
    """One comparison. `faster` asks for theirs / ours of at least `asked`; otherwise ours / theirs may be at most that.

    `ours` and `theirs` are seconds unless `unit` is "MB".
    """

    work: str
    ours: float
    theirs: float
    asked: float
    faster: bool = True
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """theirs / ours where speed is asked for, ours / theirs where a cost is limited."""
        return self.theirs / self.ours if self.faster else self.ours / self.theirs

    @property
    def met(self) -> bool:
        """Is the ratio what was asked?"""
        return self.ratio >= self.asked if self.faster else self.ratio <= self.asked

    def cells(self) -> tuple[str, ...]:
        """The row as text, in the order of HEADER."""
        sign = "≥" if self.faster else "≤"
        shown = (
            format_quantity(self.ours, self.unit),
            format_quantity(self.theirs, self.unit),
            f"{format_ratio(self.ratio)} ×",
        )
        return (self.work, *shown, f"{sign} {self.asked:g} ×", "yes" if self.met else "NO")


def format_ratio(ratio: float) -> str:
    """Return three digits, and all of them before the decimal point."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def format_quantity(value: float, unit: str) -> str:
    """A time in the unit that suits it, or megabytes."""
    if unit == "MB":
        return f"{value:.0f} MB"
    for name, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value * 1e9:.3g} ns"


def print_row(cells: tuple[str, ...]) -> None:
    """Print one line of the table at once, so that a long run can be watched."""
    print(" | ".join(cell.ljust(width) for cell, width in zip(cells, COLUMN_WIDTHS, strict=True)), flush=True)


def user_cpu_seconds() -> float:
    """Seconds that this process has worked, without what the system has for it: a virtual machine may take 20 ms or
    300 to hand out 100 MB, whoever asks for them. It is counted in ticks: let the work take some tenths of a second."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def peak_memory() -> int:
    """The most bytes this process has held at once.

    Linux tells it in a file; what `getrusage` says there also counts the parent from which the process was made.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def time_alternately(
    ours: Callable, theirs: Callable, rounds: int = 9, least: float = 0.02, clock: Callable[[], float] = perf_counter
) -> tuple[float, float]:
    """The best time of each, measured in turn, so that a busy moment of the machine strikes both.

    Where both work on one thread, `process_time` as the `clock` leaves out what other programs take. What takes over
    `SLOW_SECONDS` is measured once.
    """
    ours(), theirs()  # caches, imports and first allocations are nobody's fault
    once = [_time_calls(work, 1, clock) for work in (ours, theirs)]
    counts = [max(1, int(least / max(seconds, 1e-9))) for seconds in once]
    best = [seconds if count == 1 else float("inf") for seconds, count in zip(once, counts, strict=True)]
    for _ in range(rounds):
        for side, work in enumerate((ours, theirs)):
            if not SLOW_SECONDS <= best[side] < float("inf"):
                best[side] = min(best[side], _time_calls(work, counts[side], clock))
    return best[0], best[1]


def _time_calls(work: Callable, count: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(count):
        work()
    return (clock() - start) / count
