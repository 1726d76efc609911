"""A learner over time: scores and policy as rolling means with one standard deviation, and a band over many runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme
from isegoria.wording import SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ARROW = 0.035
"""How large an arrow at the edge is, as a part of the axes."""
ARM_LINES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))


@theme.styled
def scores(columns: Mapping[str, Any], ax: Axes | None = None) -> Figure:
    """Three scores against rounds, from columns round, procedural, procedural_sd, …."""
    given = ax is not None
    fig, ax = theme.canvas(ax, "column", 2.3)
    lowest = 0.7
    for score in SCORES:
        middle, spread = np.array(columns[score]), np.array(columns[f"{score}_sd"])
        lowest = min(lowest, (middle - spread).min())
        look = {"color": theme.SCORE_COLOURS[score], "linestyle": theme.SCORE_LINES[score]}
        _line(ax, columns["round"], middle, middle - spread, middle + spread, theme.SCORE_LABELS[score], look)
    _finish(fig, ax, "score of the learned policy", (lowest - 0.03, 1.02), given)
    return fig


def trace(run: Any, ax: Axes | None = None) -> Figure:
    """The same for a run, as means over its last 1,000 rounds."""
    return scores(run.rolling_scores(), ax)


@theme.styled
def policy(columns: Mapping[str, Any]) -> Figure:
    """The probability of each arm against rounds, from columns round, p_ARM, p_ARM_sd and fair_ARM (the goal)."""
    fig, ax = theme.figure("column", height=2.3)
    arms = [name.removeprefix("fair_") for name in columns if name.startswith("fair_")]
    last = columns["round"][-1]
    for arm, colour, line in zip(arms, cycle(theme.ARM_COLOURS), cycle(ARM_LINES), strict=False):
        middle, spread = np.array(columns[f"p_{arm}"]), np.array(columns[f"p_{arm}_sd"])
        look = {"color": colour, "linestyle": line}
        _line(ax, columns["round"], middle, middle - spread, middle + spread, arm, look)
    _finish(fig, ax, "probability", (0, None))
    ax.set_xlim(0, last)
    fair = [float(columns[f"fair_{arm}"][0]) for arm in arms]
    ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * max(fair)))
    places = side_by_side(fair, ARROW * ax.get_ylim()[1])
    for value, place, colour in zip(fair, places, cycle(theme.ARM_COLOURS), strict=False):
        ax.plot((1.015 + ARROW * place) * last, value, marker="<", color=colour, markersize=4, clip_on=False)
    return fig


def side_by_side(heights: Sequence[float], near: float) -> list[int]:
    """How many marks further right each is drawn, so that marks of heights less than `near` apart do not cover another.

    >>> side_by_side([0.38, 0.38, 0.24, 0.385], near=0.02)
    [0, 1, 0, 2]
    """
    places: list[int] = []
    for height in heights:
        taken = {place for place, other in zip(places, heights, strict=False) if abs(other - height) < near}
        places.append(next(place for place in range(len(heights)) if place not in taken))
    return places


@theme.styled
def band(columns: Mapping[str, Any]) -> Figure:
    """Three scores over many runs: the median, and the range of all, from columns procedural, …_low and …_high.

    Rounds are on a logarithmic axis, since most happens early.
    """
    fig, ax = theme.figure("column", height=2.3)
    for score in SCORES:
        low, high = np.array(columns[f"{score}_low"]), np.array(columns[f"{score}_high"])
        look = {"color": theme.SCORE_COLOURS[score], "linestyle": theme.SCORE_LINES[score]}
        _line(ax, columns["round"], np.array(columns[score]), low, high, theme.SCORE_LABELS[score], look)
    _finish(fig, ax, "score of the learned policy", (0, 1.02))
    ax.set_xscale("log")
    theme.rounds_axis(ax.xaxis)
    return fig


def _line(ax: Axes, rounds: Any, middle: Any, low: Any, high: Any, label: str, look: dict[str, Any]) -> None:
    ax.fill_between(rounds, low, high, color=look["color"], alpha=0.22, linewidth=0)
    ax.plot(rounds, middle, label=label, **look)


def _finish(fig: Figure, ax: Axes, what: str, limits: tuple[Any, ...], given: bool = False) -> None:
    ax.set_xlabel("round")
    ax.set_ylabel(what)
    ax.set_ylim(*limits)
    theme.rounds_axis(ax.xaxis)
    theme.legend(fig, ax, given, ncols=4, columnspacing=1.0, handlelength=1.9)
