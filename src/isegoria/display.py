"""What a notebook shows: small tables of escaped text, in the colours of the page they stand on, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from isegoria.registry import place

MOST_ROWS, MOST_COLUMNS = 12, 12
"""Rows and columns that a notebook shows of a table; the rest is counted."""

_BOX = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4;color:inherit;max-width:100%;overflow-x:auto"
_TABLE = "border-collapse:collapse;margin:.3em 0;color:inherit;background:transparent"
_CELL = "padding:.15em .7em;border:0;border-bottom:1px solid rgba(128,128,128,.35);color:inherit;background:transparent"


def drawn(drawer: str, *what: Any, ax: Any = None, **options: Any) -> Any:
    """The Matplotlib axes in which a function of `isegoria.figures` has drawn; new ones unless `ax` is given.

    `drawer` is its place, "isegoria.figures.frontier:frontier_figure": results know where they are drawn, and nothing
    of drawing. In a notebook the figure is shown below the cell.
    """
    with place("isegoria.figures.theme:shown")():
        figure = place(drawer)(*what, ax=ax, **options)
    return ax if ax is not None else figure.axes[0]


def box(*parts: str) -> str:
    """The parts, which are HTML, one below the other."""
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def escape(text: str) -> str:
    """The text as HTML shows it as it is.

    >>> escape("<3")
    '&lt;3'
    """
    import html  # whose list of all characters only a notebook needs

    return html.escape(text)


def line(text: str, strong: str = "") -> str:
    """A line of text, its beginning strong.

    >>> line("3 agents", "Instance") == '<div><strong>Instance</strong> 3 agents</div>'
    True
    """
    return f"<div>{f'<strong>{escape(strong)}</strong> ' if strong else ''}{escape(text)}</div>"


def table(header: Sequence[object], rows: Iterable[Sequence[object]], words: int = 1) -> str:
    """A table of text; the first `words` columns are words and stand to the left, the others numbers."""
    texts = [list(map(str, row)) for row in rows]
    shown, more = texts[:MOST_ROWS], len(texts) - MOST_ROWS
    heads, cut = list(map(str, header)), len(header) > MOST_COLUMNS
    lines = [_row("th", _cut(heads), words), *(_row("td", _cut(row), words) for row in shown)]
    left_out = [f"{more:,} more rows"] * (more > 0) + [f"{len(heads) - MOST_COLUMNS:,} more columns"] * cut
    said = line(f"… and {' and '.join(left_out)}") if left_out else ""
    return f'<table style="{_TABLE}">{"".join(lines)}</table>{said}'


def _cut(cells: list[str]) -> list[str]:
    return cells if len(cells) <= MOST_COLUMNS else [*cells[:MOST_COLUMNS], "…"]


def _row(tag: str, cells: Sequence[str], words: int) -> str:
    sides = ["left" if place < words else "right" for place in range(len(cells))]
    pairs = zip(cells, sides, strict=True)
    marked = [f'<{tag} style="{_CELL};text-align:{side}">{escape(cell)}</{tag}>' for cell, side in pairs]
    return f"<tr>{''.join(marked)}</tr>"
