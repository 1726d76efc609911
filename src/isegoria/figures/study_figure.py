"""The figure of a study: means with their intervals, as points, or as lines against a varied parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STUDY_COLOURS = (
    "#004488",
    "#BB5566",
    "#DDAA33",
    "#117744",
    "#56B4E9",
    "#AA7FC0",
    "#222222",
    "#999933",
    "#44AA99",
    "#882255",
    "#777777",
    "#EE7733",
    "#332288",
    "#CC79A7",
    "#6B4423",
    "#A5C800",
)
STUDY_MARKERS = "osD^vP*X<>ph"
STUDY_LINE_STYLES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))


@theme.apply_theme
def draw_study_table(table: Any, measure: str, x: str | None, by: str, ax: Axes | None = None) -> Axes:
    """Draw a table of means and return the axes; create new ones if none are given."""
    own = ax is None
    if ax is None:
        names = dict.fromkeys(table.columns[by])
        ax = theme.make_figure("column", height=2.6 if x else 0.8 + 0.24 * len(names))[1]
    if x is None or x == by:
        _draw_points(ax, table, by)
        ax.set_xlabel(measure)
    else:
        _draw_lines(ax, table, x, by)
        ax.set_xlabel(x)
        ax.set_ylabel(measure)
        if own:
            ax.figure.legend(loc="outside upper center", ncols=2)
        else:
            ax.legend(fontsize=7)
    return ax


def _draw_points(ax: Axes, table: Any, by: str) -> None:
    """Draw a point with its interval for each row of the table."""
    columns = {name: np.array(table.columns[name]) for name in ("mean", "low", "high")}
    labels = [str(name) for name in table.columns[by]]
    for place, label in enumerate(labels):
        mean, low, high = (columns[name][place] for name in ("mean", "low", "high"))
        ax.errorbar(
            [mean],
            [place],
            xerr=[[mean - low], [high - mean]],
            fmt=STUDY_MARKERS[place % len(STUDY_MARKERS)],
            color=STUDY_COLOURS[place % len(STUDY_COLOURS)],
            capsize=2.5,
            label=label,
        )
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.grid(True, axis="x")


def _draw_lines(ax: Axes, table: Any, x: str, by: str) -> None:
    """Draw a line with its band of intervals for each value of column `by`."""
    where, who = list(table.columns[x]), list(table.columns[by])
    numeric = all(isinstance(value, int | float) for value in where)
    values = sorted(set(where)) if numeric else list(dict.fromkeys(where))
    at = values if numeric else list(range(len(values)))
    drawn: dict[tuple[float, ...], Any] = {}
    for place, name in enumerate(dict.fromkeys(who)):
        rows = {where[row]: row for row in range(len(who)) if who[row] == name}
        mine = [rows[value] for value in values if value in rows]
        across = [at[values.index(where[row])] for row in mine]
        mean, low, high = (np.array([table.columns[key][row] for row in mine]) for key in ("mean", "low", "high"))
        course = (*across, *np.round(mean, 9))
        if course in drawn:  # a line under another would be missed: the legend names both
            drawn[course].set_label(f"{drawn[course].get_label()} = {name}")
            continue
        colour = STUDY_COLOURS[place % len(STUDY_COLOURS)]
        ax.fill_between(across, low, high, color=colour, alpha=0.18, linewidth=0)
        (drawn[course],) = ax.plot(
            across,
            mean,
            color=colour,
            linestyle=STUDY_LINE_STYLES[place % len(STUDY_LINE_STYLES)],
            label=str(name),
            marker=STUDY_MARKERS[place % len(STUDY_MARKERS)] if len(across) <= 12 else None,
        )
    if not numeric:
        ax.set_xticks(at, [str(value) for value in values])
