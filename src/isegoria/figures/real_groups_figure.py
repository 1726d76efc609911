"""The figure of real groups: the voice of what was chosen, and the total utility that equal voice would keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.figures import theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@theme.apply_theme
def draw_real_groups(columns: Mapping[str, Any]) -> Figure:
    """Draw two points with intervals for each kind of group.

    The columns are groups, count, voice, voice_low, voice_high, kept, kept_low and kept_high.

    >>> data = {"groups": ["juries"], "count": [3], **{f"{name}{end}": [0.5] for name in ("voice", "kept")
    ...         for end in ("", "_low", "_high")}}
    >>> len(draw_real_groups(data).axes)
    1
    """
    names = [f"{kind} ({count:.0f})" for kind, count in zip(columns["groups"], columns["count"], strict=True)]
    fig, ax = theme.make_figure("page", height=0.9 + 0.45 * len(names))
    looks = (
        ("voice", "PF score of what was chosen", theme.SCORE_COLOURS["procedural"], "o", -0.12),
        ("kept", "UT score of equal voice", theme.SCORE_COLOURS["utilitarian"], "s", 0.12),
    )
    for name, label, colour, marker, shift in looks:
        mean, low, high = (np.array(columns[f"{name}{end}"], dtype=float) for end in ("", "_low", "_high"))
        ax.errorbar(
            mean,
            np.arange(len(names)) + shift,
            xerr=[mean - low, high - mean],
            fmt=marker,
            color=colour,
            capsize=2.5,
            label=label,
        )
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(0, 1.02)
    ax.grid(True, axis="x")
    ax.set_xlabel("mean over groups")
    fig.legend(loc="outside upper center", ncols=2)
    return fig
