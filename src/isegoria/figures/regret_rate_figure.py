"""The figure of regret against what it depends on: one panel each, with the bound of Theorem 2 and slopes in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PANEL_LABELS = {
    "rounds": "rounds T",
    "gap": "smallest gap Δ",
    "gamma": "γ",
    "alpha": "α",
    "agents": "agents N",
    "arms": "arms K",
}

MAX_TICKS = 8


@theme.apply_theme
def draw_regret_panels(columns: Mapping[str, Any], slopes: Any) -> Figure:
    """Draw six panels on logarithmic axes, from columns panel, x, regret, bound and a `Slope` for each panel."""
    fig, axes = theme.make_figure("page", height=4.6, columns=3, rows=2)
    by_panel = {one.panel: one for one in slopes}
    for ax, (panel, words) in zip(np.ravel(axes), PANEL_LABELS.items(), strict=True):
        mine = [place for place, name in enumerate(columns["panel"]) if name == panel]
        x, regret, bound = (np.array([columns[name][place] for place in mine]) for name in ("x", "regret", "bound"))
        values = np.unique(x)
        middle = [np.median(regret[x == value]) for value in values]
        ax.plot(x, regret, "o", color="#004488", markersize=2.5, alpha=0.5)
        ax.plot(values, middle, color="#004488", label="regret (median; dots: runs)")
        bounds = [bound[x == value][0] for value in values]
        ax.plot(values, bounds, color="#BB5566", linestyle="--", label="bound of Theorem 2")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel(words)
        shown = values if len(values) <= MAX_TICKS else values[::4]
        ax.set_xticks(shown, [_format_tick(value) for value in shown])
        ax.minorticks_off()
        ax.set_title(_format_slope(by_panel[panel]), fontsize=7.5, fontweight="normal")
    for ax in np.ravel(axes)[::3]:
        ax.set_ylabel("PF regret")
    lines, labels = np.ravel(axes)[0].get_legend_handles_labels()
    fig.legend(lines, labels, loc="outside upper center", ncols=2)
    return fig


def _format_slope(found: Any) -> str:
    if not np.isfinite(found.slope):
        return ""
    reach = f" ± {(found.high - found.low) / 2:.2f}" if np.isfinite(found.low) else ""
    return f"slope {found.slope:.2f}{reach}; bound {found.theory:.2f}".replace("-", "−")


def _format_tick(value: float) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
