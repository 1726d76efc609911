"""A run as it goes: its progress, and with `--watch` its policy and scores, on stderr and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from isegoria.cli.render import note, short
from isegoria.progress import progress
from isegoria.wording import SCORES

if TYPE_CHECKING:
    from isegoria.learning.runs.simulation import Simulation

MOST_ARMS = 12
"""Arms shown while watching, likeliest first: what fits on a screen."""
WIDTH = 40


@contextmanager
def watching(simulation: Simulation, watch: bool) -> Iterator[Callable[[], None]]:
    """A function that shows where `simulation` is; it shows nothing unless stderr is a terminal."""
    if watch and not sys.stderr.isatty():
        note("there is no terminal to watch on; the run goes on unseen.")
    if not (watch and sys.stderr.isatty()):
        with progress("learning: rounds") as report:
            yield lambda: report(simulation.done, simulation.rounds)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(_bar(simulation), console=Console(stderr=True), refresh_per_second=8, transient=True) as live:
        yield lambda: live.update(_view(simulation))


def _bar(simulation: Simulation) -> Any:
    """The share of the rounds that is done."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    line = Table.grid(padding=(0, 1))
    line.add_row("learning", ProgressBar(simulation.rounds, simulation.done, width=WIDTH), _place(simulation))
    return line


def _view(simulation: Simulation) -> Any:
    """The bar, and below it the current policy and the three scores as bars."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    policy, scores, regret = simulation.now()
    chosen = sorted(range(len(policy)), key=lambda k: -policy[k])[:MOST_ARMS]
    rows = [(short(simulation.learner.arms[k]), policy[k]) for k in sorted(chosen)]
    view = Table.grid(padding=(0, 1))
    for name, value in [*rows, ("", None), *zip(SCORES, scores, strict=True)]:
        view.add_row(name, *([ProgressBar(1.0, value, width=WIDTH), f"{value:.3f}"] if value is not None else ["", ""]))
    return Group(_bar(simulation), view, f"rounds with a wrong favourite set: {regret:,}")


def _place(simulation: Simulation) -> str:
    return f"round {simulation.first + simulation.done - 1:,} of {simulation.first + simulation.rounds - 1:,}"
