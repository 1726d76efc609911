"""Progress of a run and, with `--watch`, its policy and scores; on stderr, and only if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from isegoria.cli.render import print_note, truncate_name
from isegoria.utils.formatting import SCORE_LABELS
from isegoria.utils.progress import progress_bar

if TYPE_CHECKING:
    from isegoria.learning.simulation.simulation import Simulation

MAX_SHOWN_ARMS = 12
"""Arms shown while watching, likeliest first: what fits on a screen."""
BAR_WIDTH_COLUMNS = 40


@contextmanager
def live_view(simulation: Simulation, watch: bool) -> Iterator[Callable[[], None]]:
    """Yield a function that shows the progress of `simulation`; it shows nothing unless stderr is a terminal."""
    if watch and not sys.stderr.isatty():
        print_note("there is no terminal to watch on; the run goes on unseen.")
    if not (watch and sys.stderr.isatty()):
        with progress_bar("learning: rounds") as report:
            yield lambda: report(simulation.done, simulation.rounds)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(_render_progress(simulation), console=Console(stderr=True), refresh_per_second=8, transient=True) as live:
        yield lambda: live.update(_render_view(simulation))


def _render_progress(simulation: Simulation) -> Any:
    """Return a progress bar of the rounds."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    line = Table.grid(padding=(0, 1))
    line.add_row(
        "learning",
        ProgressBar(simulation.rounds, simulation.done, width=BAR_WIDTH_COLUMNS),
        _format_position(simulation),
    )
    return line


def _render_view(simulation: Simulation) -> Any:
    """Return the progress bar, with the current policy and the three scores as bars below it."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    policy, scores, regret = simulation.now()
    chosen = sorted(range(len(policy)), key=lambda k: -policy[k])[:MAX_SHOWN_ARMS]
    rows = [(truncate_name(simulation.learner.arms[k]), policy[k]) for k in sorted(chosen)]
    view = Table.grid(padding=(0, 1))
    for name, value in [*rows, ("", None), *zip(SCORE_LABELS, scores, strict=True)]:
        view.add_row(
            name,
            *([ProgressBar(1.0, value, width=BAR_WIDTH_COLUMNS), f"{value:.3f}"] if value is not None else ["", ""]),
        )
    return Group(_render_progress(simulation), view, f"rounds with a wrong favourite set: {regret:,}")


def _format_position(simulation: Simulation) -> str:
    return f"round {simulation.first + simulation.done - 1:,} of {simulation.first + simulation.rounds - 1:,}"
