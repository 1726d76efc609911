"""The figure of voices: shares flow from agents (left) to arms (right); shares that are not heard are hatched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.analysis.audit import Audit
from isegoria.figures import theme
from isegoria.figures.voice_flows import VoiceFlows, compute_flows, format_strip_label, shorten_label
from isegoria.utils.formatting import format_probabilities

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAR_WIDTH = 0.03
GAP_SHARE = 0.25
"""Total size of a column's gaps, as a fraction of its bars."""
LABEL_SPACING_INCHES = 0.155
UNHEARD_COLOUR, UNCLAIMED_COLOUR, HATCH_PATTERN = "#BB5566", "#777777", "////////"
VOICE_COLOUR = "#AAAAAA"
VOICE_ARM_COLOURS = [theme.ARM_COLOURS[k] for k in (2, 4, 7, 5, 8, 3, 0)]
"""The arm colours without the reds, which are reserved here for a share that is not heard."""


@theme.apply_theme
def draw_voice(report: Audit, ax: Axes | None = None) -> Figure:
    """Draw an audit: bars of shares, bars of arms, and the flow of voice from one to the other.

    >>> import isegoria as iso
    >>> fig = draw_voice(iso.audit(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "milk"]), [0.8, 0.2]))
    >>> fig.get_suptitle()
    'Where each voice went'
    """
    shown = compute_flows(report)
    labels = max(len(shown.strips), len(shown.arms))
    height = max(2.2, 0.95 + LABEL_SPACING_INCHES * 1.45 * labels)
    own = ax is None
    fig, ax = theme.figure_for_axes(ax, "page", height)
    left = _stack_bars([strip.due for strip in shown.strips])
    right = _stack_bars(shown.chances)
    colours = [VOICE_ARM_COLOURS[k % len(VOICE_ARM_COLOURS)] for k in range(len(shown.arms))]
    spare_left, spare_right = _draw_bands(ax, shown, left, right, colours)
    _draw_bars(ax, 0 - BAR_WIDTH, left, [strip.due for strip in shown.strips], [VOICE_COLOUR] * len(left))
    _draw_bars(ax, 1, right, shown.chances, colours)
    _hatch_bars(ax, 0 - BAR_WIDTH, spare_left, [strip.unheard for strip in shown.strips], UNHEARD_COLOUR)
    _hatch_bars(
        ax, 1, spare_right, np.maximum(shown.chances - sum(s.carried for s in shown.strips), 0), UNCLAIMED_COLOUR
    )
    _draw_labels(ax, shown, left, right, height)
    _finish_axes(fig if own else None, ax, report)
    return fig


def _stack_bars(sizes: Any) -> np.ndarray:
    """Return the upper ends of bars of these sizes, from 1 + GAP downward with equal gaps.

    Both columns then have the same height.
    """
    sizes = np.asarray(sizes, dtype=float)
    gap = GAP_SHARE / max(len(sizes) - 1, 1)
    start = 1 + GAP_SHARE if len(sizes) > 1 else 1 + GAP_SHARE / 2
    return start - np.concatenate([[0.0], np.cumsum(sizes + gap)[:-1]])


def _draw_bands(
    ax: Axes, shown: VoiceFlows, left: np.ndarray, right: np.ndarray, colours: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the flows and return the upper ends of what they leave of each bar on the left and on the right."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    start, end = left.copy(), right.copy()
    for i, strip in enumerate(shown.strips):
        for k in np.flatnonzero(strip.carried > 0):
            size = strip.carried[k]
            a, b = start[i], end[k]
            above = [(0, a), (0.5, a), (0.5, b), (1, b)]
            below = [(x, y - size) for x, y in reversed(above)]
            codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
            band = Path([*above, *below, (0, a)], codes)
            ax.add_patch(PathPatch(band, facecolor=colours[k], alpha=0.45, linewidth=0))
            start[i] -= size
            end[k] -= size
    return start, end


def _draw_bars(ax: Axes, x: float, tops: np.ndarray, sizes: Any, colours: Any) -> None:
    from matplotlib.patches import Rectangle

    for top, size, colour in zip(tops, sizes, colours, strict=True):
        ax.add_patch(Rectangle((x, top - size), BAR_WIDTH, size, facecolor=colour, edgecolor=colour, linewidth=0.5))


def _hatch_bars(ax: Axes, x: float, tops: np.ndarray, sizes: Any, colour: str) -> None:
    """Hatch the lower part of each bar, through which no voice goes."""
    from matplotlib.patches import Rectangle

    for top, size in zip(tops, sizes, strict=True):
        if size > 0:
            box = (x, top - size)
            ax.add_patch(Rectangle(box, BAR_WIDTH, size, facecolor=colour, hatch=HATCH_PATTERN, linewidth=0))


def _draw_labels(ax: Axes, shown: VoiceFlows, left: np.ndarray, right: np.ndarray, height: float) -> None:
    """Write names beside the bars, pushed apart where they would touch, with a line to the bar each belongs to."""
    step = LABEL_SPACING_INCHES / height * (1 + GAP_SHARE) * 1.25
    middles = left - [strip.due / 2 for strip in shown.strips]
    for strip, middle, y in zip(shown.strips, middles, _spread_labels(middles, step), strict=True):
        ax.plot([-BAR_WIDTH, -BAR_WIDTH - 0.02], [middle, y], color=theme.MUTED_COLOUR, linewidth=0.5, clip_on=False)
        look: dict[str, Any] = (
            {"color": UNHEARD_COLOUR, "weight": "bold"} if strip.unheard else {"color": theme.INK_COLOUR}
        )
        ax.text(
            -BAR_WIDTH - 0.028,
            y,
            format_strip_label(strip),
            ha="right",
            va="center",
            fontsize=7,
            parse_math=False,
            **look,
        )
    middles = right - shown.chances / 2
    for name, chance, middle, y in zip(shown.arms, shown.chances, middles, _spread_labels(middles, step), strict=True):
        ax.plot(
            [1 + BAR_WIDTH, 1 + BAR_WIDTH + 0.02], [middle, y], color=theme.MUTED_COLOUR, linewidth=0.5, clip_on=False
        )
        text = f"{shorten_label(name)}  {format_probabilities(float(chance))[0]}"
        ax.text(1 + BAR_WIDTH + 0.028, y, text, ha="left", va="center", fontsize=7, parse_math=False)


def _spread_labels(wished: np.ndarray, step: float) -> np.ndarray:
    """Return positions from high to low, near the wished ones, at least `step` apart and beside the bars.

    Labels that would touch are pooled around their common middle.
    """
    pools: list[tuple[float, int]] = []  # the middle of the pool, and how many labels are in it
    for y in wished:
        pools.append(_clamp_pool(float(y), 1, step))
        while len(pools) > 1 and pools[-2][0] - pools[-1][0] < step * (pools[-2][1] + pools[-1][1]) / 2:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [_clamp_pool((a * m + b * n) / (m + n), m + n, step)]
    return np.concatenate([middle + step * ((n - 1) / 2 - np.arange(n)) for middle, n in pools])


def _clamp_pool(middle: float, count: int, step: float) -> tuple[float, int]:
    reach = min(step * (count - 1) / 2, (1 + GAP_SHARE) / 2)
    return min(max(middle, reach), 1 + GAP_SHARE - reach), count


def _finish_axes(fig: Figure | None, ax: Axes, report: Audit) -> None:
    """Add the title (for a figure of this package), key and limits; hide the axes, since lengths are labelled."""
    from matplotlib.patches import Patch

    ax.set_axis_off()
    ax.set_xlim(-0.62, 1.62)
    ax.set_ylim(-0.06, 1.06 + GAP_SHARE)
    if fig is not None:
        fig.suptitle("Where each voice went", x=0.01, ha="left", fontsize=8.5, weight="bold")
    if report.is_fair:
        ax.text(0.5, -0.04, "Every voice is heard in full.", ha="center", va="top", fontsize=7, color=theme.INK_COLOUR)
        return
    lack = format_probabilities(1 - report.scores.procedural)[0]
    meanings = {
        UNHEARD_COLOUR: f"share that is not heard, {lack} in all",
        UNCLAIMED_COLOUR: "chance beyond what supporters are due",
    }
    handles = [Patch(facecolor=colour, hatch=HATCH_PATTERN, label=label) for colour, label in meanings.items()]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=2, fontsize=7)
