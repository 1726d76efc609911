"""The price of equal voice, drawn: the frontier as a curve, with the six policies on it or below it."""

from __future__ import annotations

import numpy as np

from isegoria.comparison import Comparison
from isegoria.figures import theme
from isegoria.frontier import Frontier

SAME_PLACE = 0.012
"""Policies nearer than this, as a part of either axis, share one label."""
ANGLES = np.radians([45, 135, 0, 180, 270, 90, 225, 315, 20, 160, 200, 340])
REACHES = (11, 20, 30, 42, 56)
"""Where a label may stand: points of distance from its policy, tried near to far, and in every direction."""


@theme.styled
def frontier_figure(curve: Frontier, table: Comparison):
    """A matplotlib figure of `curve` (what a procedural score of at least ℓ leaves) and the policies of `table`.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> fig = frontier_figure(iso.frontier(instance), iso.compare(instance))
    >>> fig.axes[0].get_xlabel()
    'PF score'
    """
    fig, ax = theme.figure("column", height=2.6)
    points = {name: (entry.scores.procedural, getattr(entry.scores, curve.axis)) for name, entry in table.items()}
    lowest = min(curve.values.min(), *(y for _, y in points.values()))
    floor = min(lowest - 0.12 * max(1 - lowest, 0.02), 0.98)
    ax.fill_between(curve.levels, floor, curve.values, color=theme.QUIET, alpha=0.12, linewidth=0)
    ax.plot(curve.levels, curve.values, color=theme.INK, zorder=2)
    for name, (x, y) in points.items():
        ax.plot(x, y, theme.MARKERS[name], color=theme.COLOURS[name], markeredgecolor="white", markeredgewidth=0.6,
                markersize=6, zorder=3, clip_on=False)  # fmt: skip
    ax.set_xlim(0, 1.02)
    ax.set_ylim(floor, 1 + 0.06 * (1 - floor))
    ax.set_xlabel(theme.SCORE_LABELS["procedural"])
    ax.set_ylabel(theme.SCORE_LABELS[curve.axis])
    ax.set_title("What equal voice leaves")
    _label(fig, ax, points, curve)
    return fig


def _label(fig, ax, points: dict[str, tuple[float, float]], curve: Frontier) -> None:
    """Write each policy's label where it covers neither a policy, the curve, nor another label."""
    fig.draw_without_rendering()  # fixes the layout, so that places on the paper are known
    renderer, frame = fig.canvas.get_renderer(), ax.get_window_extent()
    taken = [ax.transData.transform(place) for place in points.values()]
    levels = np.linspace(curve.levels[0], curve.levels[-1], 200)
    line = ax.transData.transform(np.column_stack([levels, np.interp(levels, curve.levels, curve.values)]))
    obstacles, boxes = np.vstack([taken, line]), []
    for names, place in _together(points, ax.get_ylim()):
        note = ax.annotate(", ".join(theme.LABELS[name] for name in names), place, (0, 0), textcoords="offset points",
                           ha="center", va="center", fontsize=7.5, color=theme.INK)  # fmt: skip
        best, least = None, np.inf
        for reach in REACHES:
            for angle in ANGLES:
                size = note.get_window_extent(renderer)
                stretch = 1 + 0.5 * size.width / size.height * abs(np.cos(angle)) * 8 / reach
                note.set_position((reach * stretch * np.cos(angle), reach * np.sin(angle)))
                box = note.get_window_extent(renderer).padded(2)
                cost = _overlap(box, frame, obstacles, boxes) + reach / 1000
                if cost < least:
                    best, least = note.get_position(), cost
            if least < 1:
                break
        note.set_position(best)
        boxes.append(note.get_window_extent(renderer).padded(2))
        if np.hypot(*best) > 2 * REACHES[0]:
            _leader(ax, place, best)


def _leader(ax, place, offset) -> None:
    """A thin line from a policy to a label that had to stand apart from it."""
    thin = {"arrowstyle": "-", "color": theme.QUIET, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
    ax.annotate("", place, 0.8 * np.array(offset), textcoords="offset points", zorder=1, arrowprops=thin)


def _together(points: dict[str, tuple[float, float]], limits: tuple[float, float]):
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


def _overlap(box, frame, obstacles: np.ndarray, boxes: list) -> float:
    """How badly a label's box collides: with policies and the curve inside it, with other labels, with the frame."""
    covered = ((obstacles > box.min) & (obstacles < box.max)).all(axis=1).sum()
    outside = box.x1 > frame.x1 + 6 or box.x0 < frame.x0 or box.y1 > frame.y1 + 6 or box.y0 < frame.y0
    return float(covered + 50 * sum(box.overlaps(other) for other in boxes) + 20 * outside)
