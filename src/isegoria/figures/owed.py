"""What each member is owed, round by round: the picture of a fair turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from isegoria.figures import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 12
ENDS = 3
MOST_NAMED = 20


@theme.styled
def owed_figure(owed: Mapping[str, Sequence[float | None]], options: Sequence[str]) -> Figure:
    """A matplotlib figure: decisions owed to each member after each round; None is a round without her.

    Of more than 12 members the three most owed and the three least at the end have lines, the others a band.

    >>> fig = owed_figure({"Ann": [0.3, -0.4, None], "Ben": [-0.7, 0.0, 0.3]}, ["Alien", "Brazil", "Alien"])
    >>> [line.get_label() for line in fig.axes[0].get_lines()][-2:]
    ['Ann', 'Ben']
    """
    fig, ax = theme.figure("page", height=2.8)
    rounds = np.arange(1, len(options) + 1)
    table = {name: np.array([np.nan if x is None else float(x) for x in row]) for name, row in owed.items()}
    ax.axhline(0, color="0.6", linewidth=0.8, label="_zero")
    shown = _shown(table)
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
    if len(options) <= MOST_NAMED:
        top = ax.secondary_xaxis("top")
        top.set_xticks(rounds, [name[:14] for name in options], rotation=35, ha="left")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return fig


def _shown(table: Mapping[str, np.ndarray]) -> list[str]:
    """Whose line is drawn: everyone's, or those at the two ends."""
    if len(table) <= MOST_LINES:
        return list(table)
    last = {name: row[~np.isnan(row)][-1] if (~np.isnan(row)).any() else 0.0 for name, row in table.items()}
    ranked = sorted(table, key=lambda name: -last[name])
    return [*ranked[:ENDS], *ranked[-ENDS:]]


@theme.styled
def now_figure(owed: Mapping[str, float], ax: Axes | None = None) -> Figure:
    """A bar for each member: the decisions owed to her now, to the right; to the left what she had beyond her share.

    >>> fig = now_figure({"Ann": 0.4, "Ben": -0.4})
    >>> len(fig.axes[0].patches)
    2
    """
    fig, ax = theme.canvas(ax, "column", 0.8 + 0.2 * max(1, len(owed)))
    values = [float(value) for value in owed.values()]
    ax.barh(range(len(owed)), values, color=[theme.ARM_COLOURS[4] if value >= 0 else theme.QUIET for value in values])
    ax.axvline(0, color=theme.INK, linewidth=0.8)
    ax.set_yticks(range(len(owed)), list(owed))
    ax.invert_yaxis()
    ax.grid(True, axis="x")
    ax.set_xlabel("decisions owed")
    return fig
