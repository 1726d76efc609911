"""Figures of scores: bars per policy, lines against disagreement, and the distribution of the procedural score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme
from isegoria.utils import tolerances
from isegoria.utils.formatting import SCORE_LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from isegoria.analysis.comparison import Comparison


MAX_POLICIES_PER_COLUMN = 8
"""A figure with more policies takes the whole width of a page."""
MAX_SWATCH_PIECES = 3
"""How many policies' colours a swatch of the legend shows."""


@theme.apply_theme
def draw_score_bars(columns: Mapping[str, Any], ax: Axes | None = None) -> Figure:
    """Draw bars of three scores for each policy, from columns policy, procedural, ….

    Columns procedural_sd, … add whiskers.

    >>> fig = draw_score_bars({"policy": ["PF"], "procedural": [1.0], "equality": [0.9], "utilitarian": [0.8]})
    >>> len(fig.axes[0].patches)
    3
    """
    given = ax is not None
    fig, ax = theme.figure_for_axes(ax, "page" if len(columns["policy"]) > MAX_POLICIES_PER_COLUMN else "column", 2.3)
    looks = theme.styles_for_labels(columns["policy"])
    for place, label in enumerate(columns["policy"]):
        for shift, score in enumerate(SCORE_LABELS):
            spread = columns.get(f"{score}_sd")
            _draw_bar(
                ax,
                place + 0.27 * (shift - 1),
                columns[score][place],
                looks[label].colour,
                score,
                spread and spread[place],
            )
    ax.axhline(1, color=theme.MUTED_COLOUR, linewidth=0.6, zorder=0)
    ax.set_xticks(range(len(columns["policy"])), columns["policy"])
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(0, 1.16 if "procedural_sd" in columns else 1.04)
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.set_xlabel("policy")
    ax.set_ylabel("score")
    _score_legend(fig, ax, given, list(dict.fromkeys(looks[label].colour for label in columns["policy"])))
    return fig


def draw_comparison(table: Comparison, ax: Axes | None = None) -> Figure:
    """Draw bars of three scores for the policies of a comparison."""
    rows = table.to_rows()
    return draw_score_bars(
        {"policy": [row["label"] for row in rows], **{name: [row[name] for row in rows] for name in SCORE_LABELS}}, ax
    )


def _draw_bar(ax: Axes, x: float, height: float, colour: str, score: str, spread: float | None) -> None:
    with theme.require_matplotlib().rc_context({"hatch.color": colour}):
        ax.bar(x, height, 0.25, **_bar_look(colour, score))
    if spread:
        ax.errorbar(x, height, spread, color=theme.INK_COLOUR, linewidth=0.7, capsize=1.6, capthick=0.7)


def _bar_look(colour: str, score: str) -> dict[str, Any]:
    """Return the look of a bar: the policy's colour in full, about half as strong, or nearly white, with a hatch."""
    from matplotlib.colors import to_rgb

    share = {"procedural": 1.0, "equality": 0.45, "utilitarian": 0.08}[score]
    fill = tuple(share * part + 1 - share for part in to_rgb(colour))
    return {"facecolor": fill, "edgecolor": colour, "hatch": theme.SCORE_HATCHES[score], "linewidth": 0.7}


def _score_legend(fig: Figure, ax: Axes, given: bool, colours: list[str]) -> None:
    """Add the legend of the scores; each swatch is cut from bars of that score, one piece for each policy's colour."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.patches import Patch

    handles = []
    for score in SCORE_LABELS:
        pieces = []
        for colour in colours[:MAX_SWATCH_PIECES]:
            with theme.require_matplotlib().rc_context({"hatch.color": colour}):
                pieces.append(Patch(**_bar_look(colour, score)))
        handles.append(tuple(pieces))
    options = {"labels": list(theme.SCORE_AXIS_LABELS.values()), "handlelength": 1.0 + 0.75 * len(pieces)}
    options["handler_map"] = {tuple: HandlerTuple(ndivide=None, pad=0)}
    theme.draw_legend(fig, ax, given, handles, ncols=3, **options)


def _policy_styles(columns: Mapping[str, Any]) -> list[theme.PolicyStyle]:
    """Return the looks of the policies in a data file, in its order."""
    known = theme.styles_for_labels(columns["policy"])
    return [known[label] for label in dict.fromkeys(columns["policy"])]


@theme.apply_theme
def draw_disagreement(columns: Mapping[str, Any]) -> Figure:
    """Draw three panels of scores against Mallows φ, one line per policy, from columns phi, policy and the scores."""
    fig, axes = theme.make_figure("page", height=2.5, columns=3)
    phi, policy, looks = np.array(columns["phi"]), np.array(columns["policy"]), _policy_styles(columns)
    for ax, score in zip(axes, SCORE_LABELS, strict=True):
        values = np.array(columns[score])
        for look in looks:
            mine = policy == look.label
            ax.plot(
                phi[mine],
                values[mine],
                color=look.colour,
                linestyle=look.line,
                label=look.label,
                marker=look.marker,
                markeredgecolor="white",
                markeredgewidth=0.4,
            )
        ax.set_title(theme.SCORE_AXIS_LABELS[score])
        ax.set_xlabel("disagreement φ")
        ax.set_xlim(-0.03, 1.03)
        ax.set_ylim(min(0.8, values.min() - 0.03), 1.02)
    axes[0].set_ylabel("mean score")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(looks))
    return fig


@theme.apply_theme
def draw_distribution(columns: Mapping[str, Any]) -> Figure:
    """Draw a histogram of the procedural score for each policy, from columns policy, low, high, share and mean."""
    looks = _policy_styles(columns)
    rows = -(-len(looks) // 3)
    fig, axes = theme.make_figure("page", height=1.6 * rows, rows=rows, columns=3, sharex=True, sharey=True)
    for ax in axes.flat[len(looks) :]:
        ax.set_axis_off()
    policy = np.array(columns["policy"])
    low, high, share, mean = (np.array(columns[name]) for name in ("low", "high", "share", "mean"))
    for ax, look in zip(axes.flat, looks, strict=False):
        mine = policy == look.label
        exact = mine & (low == high)
        spread = mine & ~exact
        colour = look.colour
        ax.bar(
            low[spread],
            share[spread],
            (high - low)[spread],
            align="edge",
            color=colour,
            edgecolor="white",
            linewidth=0.3,
        )
        ax.bar(1.05, share[exact], 0.05, color=colour, edgecolor=theme.INK_COLOUR, linewidth=0.6)
        ax.axvline(
            mean[mine][0] if mean[mine][0] < 1 - tolerances.FAIRNESS_GAP else 1.05,
            color=theme.INK_COLOUR,
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
