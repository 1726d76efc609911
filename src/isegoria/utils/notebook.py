"""HTML for notebooks: small tables of escaped text that inherit the page's colours, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from isegoria.utils.registry import import_object

MAX_TABLE_ROWS, MAX_TABLE_COLUMNS = 12, 12
"""Maximum numbers of rows and columns of a table shown in a notebook; the rest is counted."""

_BOX_STYLE = (
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4;color:inherit;max-width:100%;overflow-x:auto"
)
_TABLE_STYLE = "border-collapse:collapse;margin:.3em 0;color:inherit;background:transparent"
_CELL_STYLE = (
    "padding:.15em .7em;border:0;border-bottom:1px solid rgba(128,128,128,.35);color:inherit;background:transparent"
)


def draw_on_axes(drawer: str, *what: Any, ax: Any = None, **options: Any) -> Any:
    """Draw with a function of `isegoria.figures` and return the Matplotlib axes; new axes unless `ax` is given.

    `drawer` is the path of the function, such as "isegoria.figures.frontier_figure:frontier_figure", so that results
    need not import any drawing code. In a notebook the figure is shown below the cell.
    """
    with import_object("isegoria.figures.theme:interactive_figures")():
        figure = import_object(drawer)(*what, ax=ax, **options)
    return ax if ax is not None else figure.axes[0]


def html_box(*parts: str) -> str:
    """Return the HTML `parts` stacked in one block."""
    return f'<div style="{_BOX_STYLE}">{"".join(parts)}</div>'


def escape_html(text: str) -> str:
    """Escape `text` for HTML.

    >>> escape_html("<3")
    '&lt;3'
    """
    import html  # imported here because only notebooks need its character table

    return html.escape(text)


def html_line(text: str, strong: str = "") -> str:
    """Return a line of text as HTML, preceded by `strong` in bold.

    >>> html_line("3 agents", "Instance") == '<div><strong>Instance</strong> 3 agents</div>'
    True
    """
    return f"<div>{f'<strong>{escape_html(strong)}</strong> ' if strong else ''}{escape_html(text)}</div>"


def html_table(header: Sequence[object], rows: Iterable[Sequence[object]], words: int = 1) -> str:
    """Return an HTML table of text; the first `words` columns are aligned left, the numbers after them right."""
    texts = [list(map(str, row)) for row in rows]
    shown, more = texts[:MAX_TABLE_ROWS], len(texts) - MAX_TABLE_ROWS
    heads, cut = list(map(str, header)), len(header) > MAX_TABLE_COLUMNS
    lines = [
        _html_row("th", _truncate_cells(heads), words),
        *(_html_row("td", _truncate_cells(row), words) for row in shown),
    ]
    left_out = [f"{more:,} more rows"] * (more > 0) + [f"{len(heads) - MAX_TABLE_COLUMNS:,} more columns"] * cut
    said = html_line(f"… and {' and '.join(left_out)}") if left_out else ""
    return f'<table style="{_TABLE_STYLE}">{"".join(lines)}</table>{said}'


def _truncate_cells(cells: list[str]) -> list[str]:
    return cells if len(cells) <= MAX_TABLE_COLUMNS else [*cells[:MAX_TABLE_COLUMNS], "…"]


def _html_row(tag: str, cells: Sequence[str], words: int) -> str:
    sides = ["left" if place < words else "right" for place in range(len(cells))]
    pairs = zip(cells, sides, strict=True)
    marked = [f'<{tag} style="{_CELL_STYLE};text-align:{side}">{escape_html(cell)}</{tag}>' for cell, side in pairs]
    return f"<tr>{''.join(marked)}</tr>"


class NotebookView:
    """Base class of results that a notebook shows as lines of text and a small table; a subclass says which."""

    __slots__ = ()

    def view_lines(self) -> Sequence[str]:
        """Return the lines to show; by default those of `str`."""
        return str(self).splitlines()

    def view_rows(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of the table to show, all with the same keys; by default none."""
        return ()

    def _repr_html_(self) -> str:
        rows = [{key: _format_number(value) for key, value in row.items()} for row in self.view_rows()]
        table = [html_table(list(rows[0]), [list(row.values()) for row in rows])] if rows else []
        first, *rest = self.view_lines() or [""]
        return html_box(html_line(first, type(self).__name__), *map(html_line, rest), *table)


def _format_number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
