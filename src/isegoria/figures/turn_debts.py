"""Figures of what each member is owed, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from isegoria.figures import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_LINES = 12
LINES_PER_END = 3
MAX_NAMED_OPTIONS = 20


@theme.apply_theme
def draw_debt_history(owed: Mapping[str, Sequence[float | None]], options: Sequence[str]) -> Figure:
    """Draw the decisions owed to each member after each round; None is a round without that member.

    With more than 12 members, the three who are owed most and the three who are owed least at the end have lines, and
    the others share a band.

    >>> fig = draw_debt_history({"Ann": [0.3, -0.4, None], "Ben": [-0.7, 0.0, 0.3]}, ["Alien", "Brazil", "Alien"])
    >>> [line.get_label() for line in fig.axes[0].get_lines()][-2:]
    ['Ann', 'Ben']
    """
    fig, ax = theme.make_figure("page", height=2.8)
    rounds = np.arange(1, len(options) + 1)
    table = {name: np.array([np.nan if x is None else float(x) for x in row]) for name, row in owed.items()}
    ax.axhline(0, color="0.6", linewidth=0.8, label="_zero")
    shown = _select_lines(table)
    rest = [row for name, row in table.items() if name not in shown]
    if rest:
        stacked = np.array(rest)
        known = ~np.isnan(stacked).all(axis=0)
        low, high = np.nanmin(stacked[:, known], axis=0), np.nanmax(stacked[:, known], axis=0)
        ax.fill_between(rounds[known], low, high, color="0.9", label=f"{len(rest)} others")
    for place, name in enumerate(shown):
        colour, dash = (
            theme.ARM_COLOURS[place % len(theme.ARM_COLOURS)],
            ("-", "--", ":")[place // len(theme.ARM_COLOURS) % 3],
        )
        ax.plot(rounds, table[name], dash, marker=".", color=colour, label=name)
    ax.set_xlabel("round")
    ax.set_ylabel("decisions owed")
    ax.set_xlim(0.5, len(options) + 0.5)
    ax.xaxis.get_major_locator().set_params(integer=True)
    if len(options) <= MAX_NAMED_OPTIONS:
        top = ax.secondary_xaxis("top")
        top.set_xticks(rounds, [name[:14] for name in options], rotation=35, ha="left")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


def _select_lines(table: Mapping[str, np.ndarray]) -> list[str]:
    """Return the members whose line is drawn: everyone, or those at the two ends."""
    if len(table) <= MAX_LINES:
        return list(table)
    last = {name: row[~np.isnan(row)][-1] if (~np.isnan(row)).any() else 0.0 for name, row in table.items()}
    ranked = sorted(table, key=lambda name: -last[name])
    return [*ranked[:LINES_PER_END], *ranked[-LINES_PER_END:]]


@theme.apply_theme
def draw_current_debts(owed: Mapping[str, float], ax: Axes | None = None) -> Figure:
    """Draw a bar for each member: decisions owed now to the right, decisions beyond the member's share to the left.

    >>> fig = draw_current_debts({"Ann": 0.4, "Ben": -0.4})
    >>> len(fig.axes[0].patches)
    2
    """
    fig, ax = theme.figure_for_axes(ax, "column", 0.8 + 0.2 * max(1, len(owed)))
    values = [float(value) for value in owed.values()]
    ax.barh(
        range(len(owed)), values, color=[theme.ARM_COLOURS[4] if value >= 0 else theme.MUTED_COLOUR for value in values]
    )
    ax.axvline(0, color=theme.INK_COLOUR, linewidth=0.8)
    ax.set_yticks(range(len(owed)), list(owed))
    ax.invert_yaxis()
    ax.grid(True, axis="x")
    ax.set_xlabel("decisions owed")
    return fig
