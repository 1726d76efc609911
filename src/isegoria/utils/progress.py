"""Progress on stderr if that is a terminal: a bar with the remaining time, or a line with the elapsed time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

IS_QUIET: ContextVar[bool] = ContextVar("is_quiet", default=False)
"""Whether notes and progress are left out."""

REFRESH_INTERVAL_SECONDS = 0.1
"""Minimum time between two updates of a progress bar."""

ELAPSED_DELAY_SECONDS = 2.0
"""Seconds after which a command without a bar says that it is at work."""

ELAPSED_INTERVAL_SECONDS = 1.0
"""Seconds between two updates of the elapsed time."""


class ElapsedLine:
    """A line such as `audit: 7 s`, from the third second on and until `stop`."""

    def __init__(self, what: str) -> None:
        self.what, self._text, self._ended = what, "", threading.Event()
        self._thread = threading.Thread(target=self._update, daemon=True)
        self._thread.start()

    def _update(self) -> None:
        began, wait = time.monotonic(), ELAPSED_DELAY_SECONDS
        while not self._ended.wait(wait):
            self._text = f"{self.what}: {time.monotonic() - began:.0f} s"
            wait = ELAPSED_INTERVAL_SECONDS
            print(f"\r{self._text}", end="", file=sys.stderr, flush=True)

    def stop(self) -> None:
        """Erase the line; further calls do nothing."""
        self._ended.set()
        self._thread.join()
        if self._text:
            print(f"\r{' ' * len(self._text)}\r", end="", file=sys.stderr, flush=True)
            self._text = ""


_elapsed_line: ContextVar[ElapsedLine | None] = ContextVar("elapsed_line", default=None)


@contextmanager
def elapsed_line(what: str) -> Iterator[None]:
    """Say how long `what` has been at work, until it shows something else."""
    if IS_QUIET.get() or not sys.stderr.isatty():
        yield
        return
    before = _elapsed_line.set(ElapsedLine(what))
    try:
        yield
    finally:
        stop_elapsed_line()
        _elapsed_line.reset(before)


def stop_elapsed_line() -> None:
    """Erase the line of the elapsed time, before anything else is written to the terminal."""
    if (line := _elapsed_line.get()) is not None:
        line.stop()


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar labelled `what`, and yield a function `report(done, of)` that advances it.

    >>> with progress_bar("sweep") as report:
    ...     report(1, 2)
    """
    if IS_QUIET.get() or not sys.stderr.isatty():
        yield lambda done, of: None
        return
    stop_elapsed_line()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # The bar is refreshed on progress, not by a background thread: processes may be forked while it is shown.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task, drawn = bar.add_task(what, total=None), 0.0

        def report(done: int, of: int) -> None:
            nonlocal drawn
            now = time.monotonic()
            due = now - drawn >= REFRESH_INTERVAL_SECONDS or done == of
            drawn = now if due else drawn
            bar.update(task, completed=done, total=of, refresh=due)

        yield report
