"""The figure of a study: means with their intervals, as points, or as lines against something that varies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#004488", "#BB5566", "#DDAA33", "#117744", "#56B4E9", "#AA7FC0", "#222222", "#999933", "#44AA99", "#882255",
           "#777777", "#EE7733", "#332288", "#CC79A7", "#6B4423", "#A5C800")  # fmt: skip
MARKERS = "osD^vP*X<>ph"
LINES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))


@theme.styled
def drawn(table: Any, measure: str, x: str | None, by: str, ax: Axes | None = None) -> Axes:
    """The axes with a table of means drawn in them; new ones if none are given."""
    own = ax is None
    if ax is None:
        names = dict.fromkeys(table.columns[by])
        ax = theme.figure("column", height=2.6 if x else 0.8 + 0.24 * len(names))[1]
    if x is None or x == by:
        _points(ax, table, by)
        ax.set_xlabel(measure)
    else:
        _lines(ax, table, x, by)
        ax.set_xlabel(x)
        ax.set_ylabel(measure)
        if own:
            ax.figure.legend(loc="outside upper center", ncols=2)
        else:
            ax.legend(fontsize=7)
    return ax


def _points(ax: Axes, table: Any, by: str) -> None:
    """A point with its interval for each line of the table."""
    columns = {name: np.array(table.columns[name]) for name in ("mean", "low", "high")}
    labels = [str(name) for name in table.columns[by]]
    for place, label in enumerate(labels):
        mean, low, high = (columns[name][place] for name in ("mean", "low", "high"))
        ax.errorbar([mean], [place], xerr=[[mean - low], [high - mean]], fmt=MARKERS[place % len(MARKERS)],
                    color=COLOURS[place % len(COLOURS)], capsize=2.5, label=label)  # fmt: skip
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.grid(True, axis="x")


def _lines(ax: Axes, table: Any, x: str, by: str) -> None:
    """A line with its band of intervals for each of `by`."""
    where, who = list(table.columns[x]), list(table.columns[by])
    numeric = all(isinstance(value, int | float) for value in where)
    values = sorted(set(where)) if numeric else list(dict.fromkeys(where))
    at = values if numeric else list(range(len(values)))
    for place, name in enumerate(dict.fromkeys(who)):
        rows = {where[row]: row for row in range(len(who)) if who[row] == name}
        mine = [rows[value] for value in values if value in rows]
        across = [at[values.index(where[row])] for row in mine]
        mean, low, high = (np.array([table.columns[key][row] for row in mine]) for key in ("mean", "low", "high"))
        colour = COLOURS[place % len(COLOURS)]
        ax.fill_between(across, low, high, color=colour, alpha=0.18, linewidth=0)
        ax.plot(across, mean, color=colour, linestyle=LINES[place % len(LINES)], label=str(name),
                marker=MARKERS[place % len(MARKERS)] if len(across) <= 12 else None)  # fmt: skip
    if not numeric:
        ax.set_xticks(at, [str(value) for value in values])
