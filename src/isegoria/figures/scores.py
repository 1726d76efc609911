"""Scores of policies: bars per policy, lines against disagreement, and the spread of the procedural score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria import tolerances
from isegoria.figures import theme
from isegoria.wording import SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from isegoria.comparison import Comparison


MOST_IN_A_COLUMN = 8
"""More policies than this take the whole width of a page."""


@theme.styled
def bars(columns: Mapping[str, Any], ax: Axes | None = None) -> Figure:
    """Bars of three scores for each policy, from columns policy, procedural, … and, for whiskers, procedural_sd, ….

    >>> fig = bars({"policy": ["PF"], "procedural": [1.0], "equality": [0.9], "utilitarian": [0.8]})
    >>> len(fig.axes[0].patches)
    3
    """
    given = ax is not None
    fig, ax = theme.canvas(ax, "page" if len(columns["policy"]) > MOST_IN_A_COLUMN else "column", 2.3)
    looks = theme.looks_of(columns["policy"])
    for place, label in enumerate(columns["policy"]):
        for shift, score in enumerate(SCORES):
            spread = columns.get(f"{score}_sd")
            _bar(
                ax,
                place + 0.27 * (shift - 1),
                columns[score][place],
                looks[label].colour,
                score,
                spread and spread[place],
            )
    ax.axhline(1, color=theme.QUIET, linewidth=0.6, zorder=0)
    ax.set_xticks(range(len(columns["policy"])), columns["policy"])
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(0, 1.16 if "procedural_sd" in columns else 1.04)
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.set_xlabel("policy")
    ax.set_ylabel("score")
    _score_legend(fig, ax, given)
    return fig


def comparison(table: Comparison, ax: Axes | None = None) -> Figure:
    """The same for the policies of a comparison."""
    rows = table.rows()
    return bars(
        {"policy": [row["label"] for row in rows], **{name: [row[name] for row in rows] for name in SCORES}}, ax
    )


def _bar(ax: Axes, x: float, height: float, colour: str, score: str, spread: float | None) -> None:
    fill, edge = _look(colour, score)
    with theme.require_matplotlib().rc_context({"hatch.color": edge}):
        ax.bar(x, height, 0.25, facecolor=fill, edgecolor=edge, hatch=theme.SCORE_HATCHES[score], linewidth=0.7)
    if spread:
        ax.errorbar(x, height, spread, color=theme.INK, linewidth=0.7, capsize=1.6, capthick=0.7)


def _look(colour: str, score: str) -> tuple[Any, ...]:
    """Face and edge of a bar: the policy's colour in full, half as strong, or white; the hatch says the score too."""
    from matplotlib.colors import to_rgb

    share = {"procedural": 1.0, "equality": 0.45, "utilitarian": 0.08}[score]
    return tuple(share * part + 1 - share for part in to_rgb(colour)), colour


def _score_legend(fig: Figure, ax: Axes, given: bool) -> None:
    from matplotlib.patches import Patch

    handles = []
    for score in SCORES:
        fill, edge = _look(theme.INK, score)
        with theme.require_matplotlib().rc_context({"hatch.color": edge}):
            handles.append(Patch(facecolor=fill, edgecolor=edge, hatch=theme.SCORE_HATCHES[score], linewidth=0.7,
                                 label=theme.SCORE_LABELS[score]))  # fmt: skip
    theme.legend(fig, ax, given, handles, ncols=3)


def _looks(columns: Mapping[str, Any]) -> list[theme.Look]:
    """The looks of the policies in a file, in its order."""
    known = theme.looks_of(columns["policy"])
    return [known[label] for label in dict.fromkeys(columns["policy"])]


@theme.styled
def disagreement(columns: Mapping[str, Any]) -> Figure:
    """Three panels of scores against Mallows φ, a line for each policy, from columns phi, policy and the scores."""
    fig, axes = theme.figure("page", height=2.5, columns=3)
    phi, policy, looks = np.array(columns["phi"]), np.array(columns["policy"]), _looks(columns)
    for ax, score in zip(axes, SCORES, strict=True):
        values = np.array(columns[score])
        for look in looks:
            mine = policy == look.label
            ax.plot(phi[mine], values[mine], color=look.colour, linestyle=look.line, label=look.label,
                    marker=look.marker, markeredgecolor="white", markeredgewidth=0.4)  # fmt: skip
        ax.set_title(theme.SCORE_LABELS[score])
        ax.set_xlabel("disagreement φ")
        ax.set_xlim(-0.03, 1.03)
        ax.set_ylim(min(0.8, values.min() - 0.03), 1.02)
    axes[0].set_ylabel("mean score")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(looks))
    return fig


@theme.styled
def distribution(columns: Mapping[str, Any]) -> Figure:
    """A histogram of the procedural score for each policy, from columns policy, low, high, share and mean."""
    looks = _looks(columns)
    rows = -(-len(looks) // 3)
    fig, axes = theme.figure("page", height=1.6 * rows, rows=rows, columns=3, sharex=True, sharey=True)
    for ax in axes.flat[len(looks) :]:
        ax.set_axis_off()
    policy = np.array(columns["policy"])
    low, high, share, mean = (np.array(columns[name]) for name in ("low", "high", "share", "mean"))
    for ax, look in zip(axes.flat, looks, strict=False):
        mine = policy == look.label
        exact = mine & (low == high)
        spread = mine & ~exact
        colour = look.colour
        ax.bar(low[spread], share[spread], (high - low)[spread], align="edge", color=colour, edgecolor="white",
               linewidth=0.3)  # fmt: skip
        ax.bar(1.05, share[exact], 0.05, color=colour, edgecolor=theme.INK, linewidth=0.6)
        ax.axvline(
            mean[mine][0] if mean[mine][0] < 1 - tolerances.FAIR else 1.05,
            color=theme.INK,
            linewidth=0.8,
            linestyle="--",
        )
        ax.text(
            0.03,
            0.93,
            f"{look.label}: {share[exact][0]:.0%} exactly 1",
            transform=ax.transAxes,
            va="top",
            weight="bold",
        )
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1.05], ["0", ".25", ".5", ".75", "1"])
        ax.set_xlim(0, 1.1)
    fig.supxlabel("procedural score", fontsize=8)
    fig.supylabel("share of instances", fontsize=8)
    return fig
