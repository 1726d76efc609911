"""Progress bar with the remaining time, on stderr if that is a terminal; otherwise nothing is shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

IS_QUIET: ContextVar[bool] = ContextVar("is_quiet", default=False)
"""Whether notes and progress are left out."""

REFRESH_INTERVAL_SECONDS = 0.1
"""Minimum time between two updates of a progress bar."""


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar labelled `what`, and yield a function `report(done, of)` that advances it.

    >>> with progress_bar("sweep") as report:
    ...     report(1, 2)
    """
    if IS_QUIET.get() or not sys.stderr.isatty():
        yield lambda done, of: None
        return
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
