"""Where each voice went, drawn: shares flow from agents (left) to arms (right); what is not heard is hatched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.auditing import Audit
from isegoria.figures import theme
from isegoria.figures.flows import Flows, flows, left_label, shorten
from isegoria.wording import amounts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAR = 0.03
GAP = 0.25
"""All gaps of a column together, as a part of its bars."""
LINE = 0.155
"""Inches from one label to the next."""
UNHEARD, UNCLAIMED, HATCH = "#BB5566", "#777777", "////////"
VOICE = "#AAAAAA"
ARMS = [theme.ARM_COLOURS[k] for k in (2, 4, 7, 5, 8, 3, 0)]
"""The arms' colours without the reds, which here mean one thing only: a share that is not heard."""


@theme.styled
def voice_figure(report: Audit, ax: Axes | None = None) -> Figure:
    """A matplotlib figure of an audit: bars of shares, bars of arms, and the flow of voice from one to the other.

    >>> import isegoria as iso
    >>> fig = voice_figure(iso.audit(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "milk"]), [0.8, 0.2]))
    >>> fig.get_suptitle()
    'Where each voice went'
    """
    shown = flows(report)
    labels = max(len(shown.strips), len(shown.arms))
    height = max(2.2, 0.95 + LINE * 1.45 * labels)
    own = ax is None
    fig, ax = theme.canvas(ax, "page", height)
    left = _stack([strip.due for strip in shown.strips])
    right = _stack(shown.chances)
    colours = [ARMS[k % len(ARMS)] for k in range(len(shown.arms))]
    spare_left, spare_right = _bands(ax, shown, left, right, colours)
    _bars(ax, 0 - BAR, left, [strip.due for strip in shown.strips], [VOICE] * len(left))
    _bars(ax, 1, right, shown.chances, colours)
    _hatch(ax, 0 - BAR, spare_left, [strip.unheard for strip in shown.strips], UNHEARD)
    _hatch(ax, 1, spare_right, np.maximum(shown.chances - sum(s.carried for s in shown.strips), 0), UNCLAIMED)
    _label(ax, shown, left, right, height)
    _finish(fig if own else None, ax, report)
    return fig


def _stack(sizes: Any) -> np.ndarray:
    """The upper ends of bars of these sizes, from 1 + GAP downward with equal gaps: both columns are equally high."""
    sizes = np.asarray(sizes, dtype=float)
    gap = GAP / max(len(sizes) - 1, 1)
    start = 1 + GAP if len(sizes) > 1 else 1 + GAP / 2
    return start - np.concatenate([[0.0], np.cumsum(sizes + gap)[:-1]])


def _bands(ax: Axes, shown: Flows, left: np.ndarray, right: np.ndarray, colours: Any) -> tuple[np.ndarray, np.ndarray]:
    """Draw the flows; what is left below them of each bar, as its upper end."""
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


def _bars(ax: Axes, x: float, tops: np.ndarray, sizes: Any, colours: Any) -> None:
    from matplotlib.patches import Rectangle

    for top, size, colour in zip(tops, sizes, colours, strict=True):
        ax.add_patch(Rectangle((x, top - size), BAR, size, facecolor=colour, edgecolor=colour, linewidth=0.5))


def _hatch(ax: Axes, x: float, tops: np.ndarray, sizes: Any, colour: str) -> None:
    """Mark the lower part of a bar as one that no voice goes through."""
    from matplotlib.patches import Rectangle

    for top, size in zip(tops, sizes, strict=True):
        if size > 0:
            box = (x, top - size)
            ax.add_patch(Rectangle(box, BAR, size, facecolor=colour, hatch=HATCH, linewidth=0))


def _label(ax: Axes, shown: Flows, left: np.ndarray, right: np.ndarray, height: float) -> None:
    """Write names beside the bars, pushed apart where they would touch, with a line to the bar they left."""
    step = LINE / height * (1 + GAP) * 1.25
    middles = left - [strip.due / 2 for strip in shown.strips]
    for strip, middle, y in zip(shown.strips, middles, _apart(middles, step), strict=True):
        ax.plot([-BAR, -BAR - 0.02], [middle, y], color=theme.QUIET, linewidth=0.5, clip_on=False)
        look: dict[str, Any] = {"color": UNHEARD, "weight": "bold"} if strip.unheard else {"color": theme.INK}
        ax.text(-BAR - 0.028, y, left_label(strip), ha="right", va="center", fontsize=7, parse_math=False, **look)
    middles = right - shown.chances / 2
    for name, chance, middle, y in zip(shown.arms, shown.chances, middles, _apart(middles, step), strict=True):
        ax.plot([1 + BAR, 1 + BAR + 0.02], [middle, y], color=theme.QUIET, linewidth=0.5, clip_on=False)
        text = f"{shorten(name)}  {amounts(float(chance))[0]}"
        ax.text(1 + BAR + 0.028, y, text, ha="left", va="center", fontsize=7, parse_math=False)


def _apart(wished: np.ndarray, step: float) -> np.ndarray:
    """Places from high to low, near the wished ones, at least `step` apart and beside the bars.

    Labels that would touch are pooled around their common middle.
    """
    pools: list[tuple[float, int]] = []  # the middle of the pool, and how many labels are in it
    for y in wished:
        pools.append(_within(float(y), 1, step))
        while len(pools) > 1 and pools[-2][0] - pools[-1][0] < step * (pools[-2][1] + pools[-1][1]) / 2:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [_within((a * m + b * n) / (m + n), m + n, step)]
    return np.concatenate([middle + step * ((n - 1) / 2 - np.arange(n)) for middle, n in pools])


def _within(middle: float, count: int, step: float) -> tuple[float, int]:
    reach = min(step * (count - 1) / 2, (1 + GAP) / 2)
    return min(max(middle, reach), 1 + GAP - reach), count


def _finish(fig: Figure | None, ax: Axes, report: Audit) -> None:
    """Title (over a figure of ours), key and limits; no axes, since lengths are labelled."""
    from matplotlib.patches import Patch

    ax.set_axis_off()
    ax.set_xlim(-0.62, 1.62)
    ax.set_ylim(-0.06, 1.06 + GAP)
    if fig is not None:
        fig.suptitle("Where each voice went", x=0.01, ha="left", fontsize=8.5, weight="bold")
    if report.fair:
        ax.text(0.5, -0.04, "Every voice is heard in full.", ha="center", va="top", fontsize=7, color=theme.INK)
        return
    lack = amounts(1 - report.scores.procedural)[0]
    meanings = {UNHEARD: f"share that is not heard, {lack} in all", UNCLAIMED: "chance beyond what supporters are due"}
    handles = [Patch(facecolor=colour, hatch=HATCH, label=label) for colour, label in meanings.items()]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=2, fontsize=7)
