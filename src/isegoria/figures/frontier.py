"""The price of equal voice, drawn: the frontier as a curve, with the six policies on it or below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.comparison import Comparison
from isegoria.figures import theme
from isegoria.price import Frontier

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SAME_PLACE = 0.012
"""Policies nearer than this, as a part of either axis, share one label."""
MARK = 6
"""The size of a policy's marker, in points."""
ANGLES = np.radians([45, 135, 0, 180, 270, 90, 225, 315, 20, 160, 200, 340])
REACHES = (4, 10, 18, 28, 40)
"""Where a label may stand: in every direction, at these distances (in points) from its policy, nearest first."""


@theme.styled
def frontier_figure(curve: Frontier, table: Comparison | None = None, ax: Axes | None = None) -> Figure:
    """A matplotlib figure of `curve` (what a procedural score of at least ℓ leaves), and the policies of `table`.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> fig = frontier_figure(iso.frontier(instance), iso.compare(instance))
    >>> fig.axes[0].get_xlabel()
    'PF score'
    """
    fig, ax = theme.canvas(ax, "column", 2.6)
    entries = {} if table is None else dict(table.items())
    points = {name: (entry.scores.procedural, getattr(entry.scores, curve.axis)) for name, entry in entries.items()}
    lowest = min([float(curve.values.min()), *(y for _, y in points.values())])
    floor = min(lowest - 0.12 * max(1 - lowest, 0.02), 0.98)
    ax.fill_between(curve.levels, floor, curve.values, color=theme.QUIET, alpha=0.12, linewidth=0)
    ax.plot(curve.levels, curve.values, color=theme.INK, zorder=2)
    looks = theme.looks({name: entry.label for name, entry in entries.items()})
    for name, (x, y) in points.items():
        ax.plot(x, y, looks[name].marker, color=looks[name].colour, markeredgecolor="white", markeredgewidth=0.6,
                markersize=MARK, zorder=3, clip_on=False)  # fmt: skip
    ax.set_xlim(0, 1.02)
    ax.set_ylim(floor, 1 + 0.06 * (1 - floor))
    ax.set_xlabel(theme.SCORE_LABELS["procedural"])
    ax.set_ylabel(theme.SCORE_LABELS[curve.axis])
    ax.set_title("The price of equal voice")
    if points:
        _label(fig, ax, points, curve, looks)
    return fig


def _label(
    fig: Figure, ax: Axes, points: dict[str, tuple[float, float]], curve: Frontier, looks: dict[str, theme.Look]
) -> None:
    """Write each policy's label where it covers neither a policy, the curve, nor another label."""
    fig.draw_without_rendering()  # fixes the layout, so that places on the paper are known
    levels = np.linspace(curve.levels[0], curve.levels[-1], 200)
    line = np.column_stack([levels, np.interp(levels, curve.levels, curve.values)])
    frame, point = ax.get_window_extent(), fig.dpi / 72
    boxes: list[tuple[np.ndarray, np.ndarray]] = []
    marks = ax.transData.transform(list(points.values()))
    corners = [marks + np.array(side) * MARK / 2 * point for side in ((-1, -1), (-1, 1), (1, -1), (1, 1))]
    obstacles = np.vstack([marks, *corners, ax.transData.transform(line)])
    for names, place in _together(points, ax.get_ylim()):
        text = ", ".join(looks[name].label for name in names)
        note = ax.annotate(
            text, tuple(place), (0, 0), textcoords="offset points", ha="center", va="center", color=theme.INK
        )
        size = np.array(note.get_window_extent().size) + 2 * point
        spots = [
            np.array([np.cos(angle), np.sin(angle)]) * (reach * point + size / 2)
            for reach in REACHES
            for angle in ANGLES
        ]
        where = ax.transData.transform(place)
        costs = [_collisions(where + spot - size / 2, size, frame, obstacles, boxes) for spot in spots]
        spot = spots[int(np.argmin(costs))]
        boxes.append((where + spot - size / 2, size))
        note.set_position(tuple(spot / point))
        if np.argmin(costs) >= 2 * len(ANGLES):
            thin = {"arrowstyle": "-", "color": theme.QUIET, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
            ax.annotate(
                "", tuple(place), tuple(0.75 * spot / point), textcoords="offset points", zorder=1, arrowprops=thin
            )


def _collisions(corner: Any, size: Any, frame: Any, obstacles: np.ndarray, boxes: list[Any]) -> float:
    """How badly a label collides: with policies and the curve, with the labels written before it, with the frame."""
    far = corner + size
    covered = ((obstacles > corner) & (obstacles < far)).all(axis=1).sum()
    over = sum(bool((corner < other + extent).all() and (other < far).all()) for other, extent in boxes)
    outside = (corner < frame.min).any() or (far > frame.max + np.array([0, size[1]])).any()
    return float(covered + 50 * over + 20 * outside)


def _together(
    points: dict[str, tuple[float, float]], limits: tuple[float, float]
) -> list[tuple[list[str], np.ndarray]]:
    """The policies by place, those that cannot be told apart together: (names, place), rightmost first."""
    scale = np.array([1.0, 1 / (limits[1] - limits[0])])
    groups: list[tuple[list[str], np.ndarray]] = []
    for name, place in points.items():
        for names, centre in groups:
            if np.abs((np.array(place) - centre) * scale).max() < SAME_PLACE:
                names.append(name)
                break
        else:
            groups.append(([name], np.array(place)))
    return sorted(groups, key=lambda group: -group[1][0])
