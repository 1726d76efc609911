"""The effect of blocks on waiting: the chance that somebody sees no favourite, by the number of days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isegoria.figures import theme
from isegoria.record.drawing import dry_spell_probability
from isegoria.record.exact_voices import Voices
from isegoria.utils.formatting import pluralise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLOCK_SIZES = (1, 5, 10)
MAX_DAYS = 30
LINE_STYLES = ("-", "--", "-.", ":")


@theme.apply_theme
def draw_waiting(voices: Voices, blocks: tuple[int, ...] = BLOCK_SIZES, days: int = MAX_DAYS) -> Figure:
    """Draw the chance that somebody waits against days, one line for each block size.

    >>> import isegoria as iso
    >>> fig = draw_waiting(iso.voices(iso.Instance([[1, 0], [1, 0], [0, 1]])), (1, 3), 9)
    >>> [line.get_label() for line in fig.axes[0].get_lines()]
    ['drawn each day', 'blocks of 3 draws']
    """
    fig, ax = theme.make_figure("column", height=2.4)
    for place, block in enumerate(blocks):
        chances = [float(dry_spell_probability(voices, day, block)) for day in range(1, days + 1)]
        label = "drawn each day" if block == 1 else f"blocks of {pluralise(block, 'draw')}"
        ax.plot(
            range(1, days + 1),
            chances,
            LINE_STYLES[place % len(LINE_STYLES)],
            color=theme.ARM_COLOURS[place],
            label=label,
        )
    ax.set_xlabel("days")
    ax.set_ylabel("chance that somebody waits")
    ax.set_xlim(1, days)
    ax.set_ylim(0, 1.02)
    ax.set_title("No favourite for so many days")
    ax.legend(frameon=False)
    return fig
