"""The figure of the price of equal voice: the frontier as a curve, with the policies on it or below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.analysis.comparison import Comparison
from isegoria.analysis.frontier import Frontier
from isegoria.figures import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MERGE_DISTANCE = 0.012
"""Policies closer than this fraction of the axis in both directions share one label."""
MARKER_SIZE_POINTS = 6
LABEL_ANGLES = np.radians([45, 135, 0, 180, 270, 90, 225, 315, 20, 160, 200, 340])
LABEL_DISTANCES_POINTS = (4, 10, 18, 28, 40)
"""Distances between a label and its policy, which are tried in every direction, the smallest first."""


@theme.apply_theme
def draw_frontier(curve: Frontier, table: Comparison | None = None, ax: Axes | None = None) -> Figure:
    """Draw `curve` and the policies of `table`, and return the Matplotlib figure.

    The curve is the best score that a procedural score of at least ℓ leaves.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> fig = draw_frontier(iso.frontier(instance), iso.compare(instance))
    >>> fig.axes[0].get_xlabel()
    'PF score'
    """
    fig, ax = theme.figure_for_axes(ax, "column", 2.6)
    entries = {} if table is None else dict(table.items())
    points = {name: (entry.scores.procedural, getattr(entry.scores, curve.axis)) for name, entry in entries.items()}
    lowest = min([float(curve.values.min()), *(y for _, y in points.values())])
    floor = min(lowest - 0.12 * max(1 - lowest, 0.02), 0.98)
    ax.fill_between(curve.levels, floor, curve.values, color=theme.MUTED_COLOUR, alpha=0.12, linewidth=0)
    ax.plot(curve.levels, curve.values, color=theme.INK_COLOUR, zorder=2)
    looks = theme.policy_styles({name: entry.label for name, entry in entries.items()})
    for name, (x, y) in points.items():
        ax.plot(
            x,
            y,
            looks[name].marker,
            color=looks[name].colour,
            markeredgecolor="white",
            markeredgewidth=0.6,
            markersize=MARKER_SIZE_POINTS,
            zorder=3,
            clip_on=False,
        )
    ax.set_xlim(0, 1.02)
    ax.set_ylim(floor, 1 + 0.06 * (1 - floor))
    ax.set_xlabel(theme.SCORE_AXIS_LABELS["procedural"])
    ax.set_ylabel(theme.SCORE_AXIS_LABELS[curve.axis])
    ax.set_title("The price of equal voice")
    if points:
        _place_labels(fig, ax, points, curve, looks)
    return fig


def _place_labels(
    fig: Figure, ax: Axes, points: dict[str, tuple[float, float]], curve: Frontier, looks: dict[str, theme.PolicyStyle]
) -> None:
    """Write each policy's label where it covers no policy, no other label, and not the curve, as far as possible."""
    fig.draw_without_rendering()  # fixes the layout, so that positions on the page are known
    levels = np.linspace(curve.levels[0], curve.levels[-1], 200)
    line = np.column_stack([levels, np.interp(levels, curve.levels, curve.values)])
    frame, point = ax.get_window_extent(), fig.dpi / 72
    boxes: list[tuple[np.ndarray, np.ndarray]] = []
    marks = ax.transData.transform(list(points.values()))
    corners = [marks + np.array(side) * MARKER_SIZE_POINTS / 2 * point for side in ((-1, -1), (-1, 1), (1, -1), (1, 1))]
    obstacles = np.vstack([marks, *corners, ax.transData.transform(line)])
    for names, place in _merge_close_points(points, ax.get_ylim()):
        text = ", ".join(looks[name].label for name in names)
        note = ax.annotate(
            text, tuple(place), (0, 0), textcoords="offset points", ha="center", va="center", color=theme.INK_COLOUR
        )
        size = np.array(note.get_window_extent().size) + 2 * point
        spots = [
            np.array([np.cos(angle), np.sin(angle)]) * (reach * point + size / 2)
            for reach in LABEL_DISTANCES_POINTS
            for angle in LABEL_ANGLES
        ]
        where = ax.transData.transform(place)
        costs = [_count_collisions(where + spot - size / 2, size, frame, obstacles, boxes) for spot in spots]
        spot = spots[int(np.argmin(costs))]
        boxes.append((where + spot - size / 2, size))
        note.set_position(tuple(spot / point))
        if np.argmin(costs) >= 2 * len(LABEL_ANGLES):
            thin = {"arrowstyle": "-", "color": theme.MUTED_COLOUR, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
            ax.annotate(
                "", tuple(place), tuple(0.75 * spot / point), textcoords="offset points", zorder=1, arrowprops=thin
            )


def _count_collisions(corner: Any, size: Any, frame: Any, obstacles: np.ndarray, boxes: list[Any]) -> float:
    """Return the cost of a label position: collisions with policies and the curve, earlier labels, and the frame."""
    far = corner + size
    covered = ((obstacles > corner) & (obstacles < far)).all(axis=1).sum()
    over = sum(bool((corner < other + extent).all() and (other < far).all()) for other, extent in boxes)
    outside = (corner < frame.min).any() or (far > frame.max + np.array([0, size[1]])).any()
    return float(covered + 50 * over + 20 * outside)


def _merge_close_points(
    points: dict[str, tuple[float, float]], limits: tuple[float, float]
) -> list[tuple[list[str], np.ndarray]]:
    """Group the policies that cannot be distinguished by position: (names, position), rightmost first."""
    scale = np.array([1.0, 1 / (limits[1] - limits[0])])
    groups: list[tuple[list[str], np.ndarray]] = []
    for name, place in points.items():
        for names, centre in groups:
            if np.abs((np.array(place) - centre) * scale).max() < MERGE_DISTANCE:
                names.append(name)
                break
        else:
            groups.append(([name], np.array(place)))
    return sorted(groups, key=lambda group: -group[1][0])
