"""Figures that compare learners: one for each question with a band over seeds, and the time to detect a change."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme
from isegoria.learning.registry import LEARNERS
from isegoria.learning.simulation.learner_names import format_label
from isegoria.utils.formatting import SCORE_LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_COLOURS = (
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
    "#997700",
    "#EE7733",
    "#332288",
    "#CC79A7",
    "#00A0A0",
    "#6B4423",
    "#A5C800",
    "#FF6F91",
    "#5D8AA8",
)
_LINE_STYLES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
LEARNER_STYLES: dict[str, dict[str, Any]] = {
    name: {"color": colour, "linestyle": line}
    for name, colour, line in zip(
        LEARNERS, cycle(_COLOURS), cycle(_LINE_STYLES), strict=False
    )  # stops at the last learner
}
"""A learner has the same colour and line style in every figure. There are twenty colours; no two of our learners share
one."""

SHORT_LABEL, LEGEND_ROW = 13, 0.16
"""Maximum length of labels of which three fit in a row above a figure, and the height of such a row in inches."""


@theme.apply_theme
def draw_curves(columns: Mapping[str, Any], what: str, change: int | None = None) -> Figure:
    """Draw one quantity against rounds for each learner; `change` marks a round.

    The columns are round, LEARNER, LEARNER_low and LEARNER_high.
    """
    labels = [format_label(key) for key in columns if f"{key}_low" in columns]
    beside = 3 if max(map(len, labels)) <= SHORT_LABEL else 2
    fig, ax = theme.make_figure("column", height=2.1 + LEGEND_ROW * -(-len(labels) // beside))
    _draw_bands(ax, columns)
    if change is not None:
        ax.axvline(change, color=theme.MUTED_COLOUR, linewidth=0.8, linestyle=":")
        ax.annotate(
            "tastes change",
            (change, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            ha="center",
            textcoords="offset points",
            color=theme.MUTED_COLOUR,
            fontsize=7,
        )
    ax.set_ylabel(what)
    fig.legend(loc="outside upper center", ncols=beside, columnspacing=1.2)
    return fig


@theme.apply_theme
def draw_regret(columns: Mapping[str, Any]) -> Figure:
    """Draw PF regret against rounds on a logarithmic axis, since learners differ by factors."""
    fig = draw_curves(columns, "rounds with a set wrong")
    fig.axes[0].set_yscale("log")
    return fig


def draw_played_scores(columns: Mapping[str, Any]) -> Figure:
    """Draw the procedural score of the arms as played against rounds."""
    return draw_curves(columns, "PF score of realised play")


def draw_least_voice(columns: Mapping[str, Any]) -> Figure:
    """Draw the share of rounds that went to a favourite of the worst-off agent, against rounds."""
    return draw_curves(columns, "voice of the worst-off")


@theme.apply_theme
def draw_score_curves(
    procedural: Mapping[str, Any], equality: Mapping[str, Any], utilitarian: Mapping[str, Any]
) -> Figure:
    """Draw the three scores of the learned policy against rounds, side by side."""
    fig, axes = theme.make_figure("page", height=2.4, columns=3, sharey=True)
    for ax, columns, name in zip(axes, (procedural, equality, utilitarian), SCORE_LABELS, strict=True):
        _draw_bands(ax, columns)
        ax.set_title(theme.SCORE_AXIS_LABELS[name])
    axes[0].set_ylabel("score of the learned policy")
    lines, labels = axes[0].get_legend_handles_labels()
    beside = 6 if max(map(len, labels)) <= SHORT_LABEL else 4
    fig.legend(lines, labels, loc="outside upper center", ncols=beside, columnspacing=1.2)
    return fig


@theme.apply_theme
def draw_ranges(columns: Mapping[str, Any], what: str, rounds: int | None = None) -> Figure:
    """Draw a point with its range for each learner, from columns learner, median, low and high.

    A hollow point means that the median is not below `rounds`.
    """
    names = list(columns["learner"])
    fig, ax = theme.make_figure("column", height=0.9 + 0.22 * len(names))
    looks = _assign_styles(names)
    for place, name in enumerate(names):
        colour = looks[name]["color"]
        low, middle, high = (columns[key][place] for key in ("low", "median", "high"))
        ax.plot([low, high], [place, place], color=colour, linewidth=3, alpha=0.35, solid_capstyle="round")
        never = rounds is not None and middle >= rounds
        ax.plot(middle, place, marker="o", color=colour, markerfacecolor="white" if never else colour)
    ax.set_yticks(range(len(names)), [format_label(name) for name in names])
    ax.invert_yaxis()
    ax.set_xscale("log")
    theme.format_log_axis(ax.xaxis)
    ax.set_xlabel(what if rounds is None else f"{what} (hollow: not yet)")
    ax.grid(True, axis="x")
    return fig


def draw_last_mismatch(columns: Mapping[str, Any], rounds: int) -> Figure:
    """Draw the number of rounds until every favourite set is right and stays so."""
    return draw_ranges(columns, "last round with a set wrong", rounds)


def draw_cost(columns: Mapping[str, Any]) -> Figure:
    """Draw the time that one round of ask and tell takes."""
    return draw_ranges(columns, "microseconds per round")


def draw_change(columns: Mapping[str, Any], change: int) -> Figure:
    """Draw the procedural score of the learned policy around a change of preferences."""
    return draw_curves(columns, "PF score of the learned policy", change)


def _draw_bands(ax: Axes, columns: Mapping[str, Any]) -> None:
    """Draw each learner's median as a line, and the range over seeds as a band."""
    names = [key for key in columns if f"{key}_low" in columns]
    for name, look in _assign_styles(names).items():
        low, high = (np.array(columns[f"{name}_{end}"]) for end in ("low", "high"))
        ax.fill_between(columns["round"], low, high, color=look["color"], alpha=0.18, linewidth=0)
        ax.plot(
            columns["round"],
            columns[name],
            label=format_label(name),
            **look,
        )
    ax.set_xlabel("round")
    theme.format_rounds_axis(ax.xaxis)


def _assign_styles(names: list[str]) -> dict[str, dict[str, Any]]:
    """Return a look for each name: the learner's fixed one, or a new one for a learner with settings.

    A new look has a colour that no other has here, as long as there are colours left.

    >>> looks = _assign_styles(["procedural", "elimination", "elimination:trickle=0.05"])
    >>> len({look["color"] for look in looks.values()})
    3
    """
    found = {name: LEARNER_STYLES[name] for name in names if name in LEARNER_STYLES}
    looks = [{"color": colour, "linestyle": line} for line in _LINE_STYLES for colour in _COLOURS]
    for name in names:
        if name not in found:
            taken = {look["color"] for look in found.values()}
            fresh = [look for look in looks if look["color"] not in taken]
            found[name] = next(look for look in fresh or looks if look not in found.values())
    return {name: found[name] for name in names}
