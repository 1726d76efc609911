"""A progress bar with the time left, on stderr, where there is a terminal to show it; else nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY = 0.1
"""Seconds between two drawings of a bar."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function `report(done, of)` that moves the bar labelled `what`.

    >>> with progress("sweep") as report:
    ...     report(1, 2)
    """
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Drawn when something was done, and not by a thread of its own: processes may be forked while it shows.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task, drawn = bar.add_task(what, total=None), 0.0

        def report(done: int, of: int) -> None:
            nonlocal drawn
            now = time.monotonic()
            due = now - drawn >= EVERY or done == of
            drawn = now if due else drawn
            bar.update(task, completed=done, total=of, refresh=due)

        yield report
