"""Figures of a learner over time: rolling means of scores and policy with one standard deviation; bands over runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme
from isegoria.utils.formatting import SCORE_LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ARROW_SIZE = 0.035
"""Size of an arrow at the edge, as a fraction of the axes."""
ARM_LINE_STYLES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))


@theme.apply_theme
def draw_rolling_scores(columns: Mapping[str, Any], ax: Axes | None = None) -> Figure:
    """Draw three scores against rounds, from columns round, procedural, procedural_sd, …."""
    given = ax is not None
    fig, ax = theme.figure_for_axes(ax, "column", 2.3)
    lowest = 0.7
    for score in SCORE_LABELS:
        middle, spread = np.array(columns[score]), np.array(columns[f"{score}_sd"])
        lowest = min(lowest, (middle - spread).min())
        look = {"color": theme.SCORE_COLOURS[score], "linestyle": theme.SCORE_LINES[score]}
        _draw_line_with_band(
            ax, columns["round"], middle, middle - spread, middle + spread, theme.SCORE_AXIS_LABELS[score], look
        )
    _finish_axes(fig, ax, "score of the learned policy", (lowest - 0.03, 1.02), given)
    return fig


def draw_trace(run: Any, ax: Axes | None = None) -> Figure:
    """Draw the three scores of a run against rounds, as means over its last 1,000 rounds."""
    return draw_rolling_scores(run.rolling_scores(), ax)


@theme.apply_theme
def draw_rolling_policy(columns: Mapping[str, Any]) -> Figure:
    """Draw the probability of each arm against rounds, from columns round, p_ARM, p_ARM_sd and fair_ARM (the goal)."""
    fig, ax = theme.make_figure("column", height=2.3)
    arms = [name.removeprefix("fair_") for name in columns if name.startswith("fair_")]
    last = columns["round"][-1]
    for arm, colour, line in zip(arms, cycle(theme.ARM_COLOURS), cycle(ARM_LINE_STYLES), strict=False):
        middle, spread = np.array(columns[f"p_{arm}"]), np.array(columns[f"p_{arm}_sd"])
        look = {"color": colour, "linestyle": line}
        _draw_line_with_band(ax, columns["round"], middle, middle - spread, middle + spread, arm, look)
    _finish_axes(fig, ax, "probability", (0, None))
    ax.set_xlim(0, last)
    fair = [float(columns[f"fair_{arm}"][0]) for arm in arms]
    ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * max(fair)))
    places = spread_marks(fair, ARROW_SIZE * ax.get_ylim()[1])
    for value, place, colour in zip(fair, places, cycle(theme.ARM_COLOURS), strict=False):
        ax.plot((1.015 + ARROW_SIZE * place) * last, value, marker="<", color=colour, markersize=4, clip_on=False)
    words = {"ha": "right", "va": "bottom", "fontsize": 7, "color": theme.MUTED_COLOUR}
    ax.annotate("arrows: the fair policy", (last, max(fair)), xytext=(0, 3), textcoords="offset points", **words)
    return fig


def spread_marks(heights: Sequence[float], near: float) -> list[int]:
    """Return how many marks to the right each is shifted, so that marks closer than `near` in height do not overlap.

    >>> spread_marks([0.38, 0.38, 0.24, 0.385], near=0.02)
    [0, 1, 0, 2]
    """
    places: list[int] = []
    for height in heights:
        taken = {place for place, other in zip(places, heights, strict=False) if abs(other - height) < near}
        places.append(next(place for place in range(len(heights)) if place not in taken))
    return places


@theme.apply_theme
def draw_score_band(columns: Mapping[str, Any]) -> Figure:
    """Draw three scores over many runs: median and full range, from columns procedural, …_low and …_high.

    Rounds are on a logarithmic axis, since most changes happen early.
    """
    fig, ax = theme.make_figure("column", height=2.3)
    for score in SCORE_LABELS:
        low, high = np.array(columns[f"{score}_low"]), np.array(columns[f"{score}_high"])
        look = {"color": theme.SCORE_COLOURS[score], "linestyle": theme.SCORE_LINES[score]}
        _draw_line_with_band(
            ax, columns["round"], np.array(columns[score]), low, high, theme.SCORE_AXIS_LABELS[score], look
        )
    _finish_axes(fig, ax, "score of the learned policy", (0, 1.02))
    ax.set_xscale("log")
    theme.format_rounds_axis(ax.xaxis)
    return fig


def _draw_line_with_band(
    ax: Axes, rounds: Any, middle: Any, low: Any, high: Any, label: str, look: dict[str, Any]
) -> None:
    ax.fill_between(rounds, low, high, color=look["color"], alpha=0.22, linewidth=0)
    ax.plot(rounds, middle, label=label, **look)


def _finish_axes(fig: Figure, ax: Axes, what: str, limits: tuple[Any, ...], given: bool = False) -> None:
    ax.set_xlabel("round")
    ax.set_ylabel(what)
    ax.set_ylim(*limits)
    theme.format_rounds_axis(ax.xaxis)
    theme.draw_legend(fig, ax, given, ncols=4, columnspacing=1.0, handlelength=1.9)
