"""What blocks do for the one who waits: the chance that somebody meets no favourite, by the number of days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isegoria.figures import theme
from isegoria.record.drawing import dry_spell
from isegoria.record.voices import Voices
from isegoria.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLOCKS = (1, 5, 10)
LONGEST = 30
DASHES = ("-", "--", "-.", ":")


@theme.styled
def waiting_figure(voices: Voices, blocks: tuple[int, ...] = BLOCKS, days: int = LONGEST) -> Figure:
    """A matplotlib figure: one line for each size of block.

    >>> import isegoria as iso
    >>> fig = waiting_figure(iso.voices(iso.Instance([[1, 0], [1, 0], [0, 1]])), (1, 3), 9)
    >>> [line.get_label() for line in fig.axes[0].get_lines()]
    ['drawn each day', 'blocks of 3 draws']
    """
    fig, ax = theme.figure("column", height=2.4)
    for place, block in enumerate(blocks):
        chances = [float(dry_spell(voices, day, block)) for day in range(1, days + 1)]
        label = "drawn each day" if block == 1 else f"blocks of {counted(block, 'draw')}"
        ax.plot(range(1, days + 1), chances, DASHES[place % len(DASHES)], color=theme.ARM_COLOURS[place], label=label)
    ax.set_xlabel("days")
    ax.set_ylabel("chance that somebody waits")
    ax.set_xlim(1, days)
    ax.set_ylim(0, 1.02)
    ax.set_title("No favourite for so many days")
    ax.legend(frameon=False)
    return fig
