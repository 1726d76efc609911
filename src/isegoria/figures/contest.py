"""Learners side by side: one figure for each question, a band over seeds, and the time it takes to notice a change."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme
from isegoria.figures.registry import write_figure
from isegoria.io.columns import write_columns
from isegoria.learning.registry import LEARNERS
from isegoria.learning.runs.variants import label_of
from isegoria.wording import SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from isegoria.learning.runs.contest import Contest

_COLOURS = (
    "#004488", "#BB5566", "#DDAA33", "#117744", "#56B4E9", "#AA7FC0",
    "#222222", "#999933", "#44AA99", "#882255", "#777777", "#997700",
    "#EE7733", "#332288", "#CC79A7", "#00A0A0", "#6B4423", "#A5C800", "#FF6F91", "#5D8AA8",
)  # fmt: skip
_LINES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
LOOKS: dict[str, dict[str, Any]] = {
    name: {"color": colour, "linestyle": line}
    for name, colour, line in zip(LEARNERS, cycle(_COLOURS), cycle(_LINES), strict=False)  # the learners end it
}
"""A learner keeps its colour and line in every figure; there are twenty colours, and no two of ours share one."""

SHORT_LABEL, LEGEND_ROW = 13, 0.16
"""Letters of a name of which three fit beside each other above a figure, and the inches that a row of names takes."""


@theme.styled
def course(columns: Mapping[str, Any], what: str, change: int | None = None) -> Figure:
    """One quantity against rounds, from columns round, LEARNER, LEARNER_low, LEARNER_high; `change` marks a round."""
    labels = [label_of(key) for key in columns if f"{key}_low" in columns]
    beside = 3 if max(map(len, labels)) <= SHORT_LABEL else 2
    fig, ax = theme.figure("column", height=2.1 + LEGEND_ROW * -(-len(labels) // beside))
    _bands(ax, columns)
    if change is not None:
        ax.axvline(change, color=theme.QUIET, linewidth=0.8, linestyle=":")
        ax.annotate("tastes change", (change, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 2), ha="center",
                    textcoords="offset points", color=theme.QUIET, fontsize=7)  # fmt: skip
    ax.set_ylabel(what)
    fig.legend(loc="outside upper center", ncols=beside, columnspacing=1.2)
    return fig


@theme.styled
def regret(columns: Mapping[str, Any]) -> Figure:
    """PF regret, in logarithms, against rounds: learners differ by factors."""
    fig = course(columns, "rounds with a set wrong")
    fig.axes[0].set_yscale("log")
    return fig


def realised(columns: Mapping[str, Any]) -> Figure:
    """The procedural score of the arms as played, against rounds."""
    return course(columns, "PF score of realised play")


def voice(columns: Mapping[str, Any]) -> Figure:
    """The share of rounds that went to a favourite of the worst-off agent, against rounds."""
    return course(columns, "voice of the worst-off")


@theme.styled
def scores(procedural: Mapping[str, Any], equality: Mapping[str, Any], utilitarian: Mapping[str, Any]) -> Figure:
    """Three scores of the learned policy against rounds, side by side."""
    fig, axes = theme.figure("page", height=2.4, columns=3, sharey=True)
    for ax, columns, name in zip(axes, (procedural, equality, utilitarian), SCORES, strict=True):
        _bands(ax, columns)
        ax.set_title(theme.SCORE_LABELS[name])
    axes[0].set_ylabel("score of the learned policy")
    lines, labels = axes[0].get_legend_handles_labels()
    beside = 6 if max(map(len, labels)) <= SHORT_LABEL else 4
    fig.legend(lines, labels, loc="outside upper center", ncols=beside, columnspacing=1.2)
    return fig


@theme.styled
def spans(columns: Mapping[str, Any], what: str, rounds: int | None = None) -> Figure:
    """A point with its range for each learner, from columns learner, median, low, high; hollow: not within `rounds`."""
    names = list(columns["learner"])
    fig, ax = theme.figure("column", height=0.9 + 0.22 * len(names))
    looks = _looks(names)
    for place, name in enumerate(names):
        colour = looks[name]["color"]
        low, middle, high = (columns[key][place] for key in ("low", "median", "high"))
        ax.plot([low, high], [place, place], color=colour, linewidth=3, alpha=0.35, solid_capstyle="round")
        never = rounds is not None and middle >= rounds
        ax.plot(middle, place, marker="o", color=colour, markerfacecolor="white" if never else colour)
    ax.set_yticks(range(len(names)), [label_of(name) for name in names])
    ax.invert_yaxis()
    ax.set_xscale("log")
    theme.log_axis(ax.xaxis)
    ax.set_xlabel(what if rounds is None else f"{what} (hollow: not yet)")
    ax.grid(True, axis="x")
    return fig


def sets(columns: Mapping[str, Any], rounds: int) -> Figure:
    """Rounds until every set is right for good."""
    return spans(columns, "last round with a set wrong", rounds)


def cost(columns: Mapping[str, Any]) -> Figure:
    """What a round of ask and tell costs."""
    return spans(columns, "microseconds per round")


def noticing(columns: Mapping[str, Any], change: int) -> Figure:
    """The procedural score of the learned policy around a change of tastes."""
    return course(columns, "PF score of the learned policy", change)


def _bands(ax: Axes, columns: Mapping[str, Any]) -> None:
    """The median of every learner as a line, and the range over seeds as its shade."""
    names = [key for key in columns if f"{key}_low" in columns]
    for name, look in _looks(names).items():
        low, high = (np.array(columns[f"{name}_{end}"]) for end in ("low", "high"))
        ax.fill_between(columns["round"], low, high, color=look["color"], alpha=0.18, linewidth=0)
        ax.plot(
            columns["round"],
            columns[name],
            label=label_of(name),
            **look,
        )
    ax.set_xlabel("round")
    theme.rounds_axis(ax.xaxis)


def _looks(names: list[str]) -> dict[str, dict[str, Any]]:
    """A look for each name: a learner's own, and for one with settings a colour that no other here has, while there are
    any.

    >>> looks = _looks(["procedural", "guided", "guided:trickle=0.05"])
    >>> len({look["color"] for look in looks.values()})
    3
    """
    found = {name: LOOKS[name] for name in names if name in LOOKS}
    looks = [{"color": colour, "linestyle": line} for line in _LINES for colour in _COLOURS]
    for name in names:
        if name not in found:
            taken = {look["color"] for look in found.values()}
            fresh = [look for look in looks if look["color"] not in taken]
            found[name] = next(look for look in fresh or looks if look not in found.values())
    return {name: found[name] for name in names}


def write_contest(found: Contest, folder: Path, pictures: bool = True) -> list[Path]:
    """The files of a contest: a summary, and for every question its data and, if `pictures`, its figure."""
    folder, columns = Path(folder), found.summary()
    files = [write_columns(folder / "contest.csv", columns), write_columns(folder / "contest-runs.csv", found.runs())]
    courses = {question: found.courses(question) for question in (*SCORES, "regret", "realised", "voice")}
    spread = {question: _span(columns, question) for question in ("sets", "cost") if question in columns}
    three = {f"{name}_{key}": values for name in SCORES for key, values in courses[name].items()}
    drawn: dict[str, tuple[Any, ...]] = {
        "contest-sets": (spread["sets"], spread["sets"], found.rounds),
        "contest-scores": (three, *(courses[name] for name in SCORES)),
        **{f"contest-{name}": (courses[name], courses[name]) for name in ("regret", "realised", "voice")},
    }
    if found.timed:
        drawn["contest-cost"] = spread["cost"], spread["cost"]
    for name, (data, *what) in drawn.items():
        files += write_figure(name, folder, data, *what, pictures=pictures)
    return files


def _span(columns: dict[str, Any], question: str) -> dict[str, Any]:
    names = {"median": question, "low": f"{question}_low", "high": f"{question}_high"}
    return {"learner": columns["learner"], **{name: columns[key] for name, key in names.items()}}
