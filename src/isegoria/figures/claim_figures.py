"""The figures of the claims study: scores on two scales, and regret beside the score of play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme
from isegoria.utils.formatting import SCORE_LABELS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ALPHA_STYLES = (("#004488", "o", "-"), ("#BB5566", "s", "--"), ("#DDAA33", "^", "-."), ("#117744", "D", ":"))


@theme.apply_theme
def draw_relative_scores(columns: Mapping[str, Any]) -> Figure:
    """Draw each policy's mean score (hollow) and relative score (full, with interval), one panel per score."""
    labels = list(columns["policy"])
    fig, axes = theme.make_figure("page", height=0.75 + 0.21 * len(labels), columns=len(SCORE_LABELS), sharey=True)
    places = np.arange(len(labels))
    for ax, name in zip(axes, SCORE_LABELS, strict=True):
        colour = theme.SCORE_COLOURS[name]
        raw, kept = (np.array(columns[key]) for key in (name, f"relative_{name}"))
        low, high = (np.array(columns[f"relative_{name}_{end}"]) for end in ("low", "high"))
        ax.hlines(places, np.minimum(raw, kept), np.maximum(raw, kept), color=colour, linewidth=0.8, alpha=0.5)
        ax.errorbar(kept, places, xerr=[kept - low, high - kept], fmt="o", color=colour, capsize=2, label="relative")
        ax.plot(raw, places, "o", color=colour, markerfacecolor="white", label="raw")
        ax.set_title(theme.SCORE_AXIS_LABELS[name])
        ax.set_xlim(0.45, 1.02)
        ax.grid(True, axis="x")
    axes[0].set_yticks(places, labels)
    axes[0].invert_yaxis()
    axes[1].set_xlabel("mean over groups (hollow: the score; full: relative to what could be lost)")
    return fig


@theme.apply_theme
def draw_regret_and_play(columns: Mapping[str, Any]) -> Figure:
    """Draw regret (left) and the procedural score of play (right) against γ, one line per α."""
    gammas, alphas = np.array(columns["gamma"]), np.array(columns["alpha"])
    fig, axes = theme.make_figure("page", height=2.5, columns=2)
    for ax, name, what in ((axes[0], "regret", "PF regret (rounds)"), (axes[1], "procedural", "PF score of play")):
        for alpha, (colour, marker, line) in zip(np.unique(alphas), _ALPHA_STYLES, strict=False):
            mine = alphas == alpha
            means, errors = (np.array(columns[key])[mine] for key in (name, f"{name}_se"))
            ax.errorbar(
                gammas[mine],
                means,
                yerr=2 * errors,
                color=colour,
                marker=marker,
                linestyle=line,
                capsize=2,
                label=f"α = {alpha:g}",
            )
        ax.set_xlabel("γ")
        ax.set_ylabel(what)
    axes[0].set_yscale("log")
    lines, labels = axes[0].get_legend_handles_labels()
    fig.legend(lines, labels, loc="outside upper center", ncols=4)
    return fig
