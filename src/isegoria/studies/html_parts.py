"""Building blocks of report.html: text, tables and figures as self-contained HTML that prints well."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from isegoria.figures import theme
from isegoria.figures.registry import FIGURES

PAGE_STYLE = """
:root { --ink: #222; --quiet: #666; --line: #ccc; --good: #117744; --bad: #BB5566; }
* { box-sizing: border-box; }
body { font: 16px/1.55 Georgia, "Times New Roman", serif; color: var(--ink); background: #fff; max-width: 56rem;
       margin: 2rem auto 4rem; padding: 0 1.25rem; }
h1, h2, h3, th, nav, figcaption b, .label { font-family: "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 .6rem; padding-top: .6rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
p.lead { font-size: 1.1rem; color: var(--quiet); margin-top: 0; }
nav { font-size: .9rem; margin: 1rem 0; } nav a { margin-right: 1.2rem; color: #004488; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { border-bottom: 1.5px solid var(--ink); font-size: .82rem; } th:first-child, td:first-child { text-align: left; }
table.claims { table-layout: fixed; width: 100%; } table.claims th:nth-child(1) { width: 25%; }
table.claims th:nth-child(2) { width: 34%; } table.claims th:nth-child(3) { width: 19%; }
table.claims td { vertical-align: top; overflow-wrap: anywhere; }
table.narrow td, table.narrow th { white-space: normal; padding: .28rem .4rem; }
td.text, th.text { text-align: left; white-space: normal; }
caption { caption-side: bottom; text-align: left; font-size: .85rem; color: var(--quiet); padding-top: .4rem; }
.paper { color: var(--quiet); font-size: .82em; } .yes { color: var(--good); }
.no { color: var(--bad); font-weight: bold; }
figure { margin: 1.2rem 0 1.8rem; } figure img { max-width: 100%; height: auto; display: block; }
figure.column img { width: 27rem; } figure.page img { width: 54rem; }
figcaption { font-size: .9rem; color: var(--quiet); max-width: 46rem; margin-top: .4rem; }
.pair { display: flex; flex-wrap: wrap; gap: 0 2rem; } .pair figure { flex: 1 1 22rem; max-width: 27rem; }
pre { background: #f4f4f2; padding: .6rem .8rem; font-size: .85rem; overflow-x: auto; white-space: pre-wrap; }
code { font-size: .88em; } .swatch { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
@media print { @page { margin: 18mm 16mm; } body { margin: 0; max-width: none; padding: 0; font-size: 10.5pt; }
  nav { display: none; } figure, table, pre { break-inside: avoid; } h2, h3 { break-after: avoid; }
  table { font-size: 8pt; } th { font-size: 7.5pt; } th, td { padding: .16rem .3rem; }
  table.claims { break-inside: auto; } tr { break-inside: avoid; }
  figure.column img { width: 85mm; } figure.page img { width: 100%; }
  .pair { flex-wrap: nowrap; } a { color: inherit; text-decoration: none; } }
"""


def render_page(title: str, lead: str, sections: Sequence[tuple[str, str, str]]) -> str:
    """Return a complete HTML page; each section is (anchor, heading, body)."""
    links = "".join(f'<a href="#{anchor}">{escape(heading)}</a>' for anchor, heading, _ in sections)
    bodies = "".join(
        f'<section id="{anchor}">\n<h2>{escape(heading)}</h2>\n{body}</section>\n' for anchor, heading, body in sections
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{PAGE_STYLE}</style>\n</head>\n'
        f'<body>\n<h1>{escape(title)}</h1>\n<p class="lead">{lead}</p>\n<nav>{links}</nav>\n{bodies}</body>\n</html>\n'
    )


def render_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", text: Sequence[int] = (), kind: str = ""
) -> str:
    """Return an HTML table of cells that are already HTML; the columns in `text` contain words and are left-aligned.

    `kind` is the CSS class of the table in `PAGE_STYLE`.
    """
    sides = ['class="text"' if place in text else "" for place in range(len(header))]
    head = "".join(f"<th {side}>{cell}</th>" for side, cell in zip(sides, header, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td {side}>{cell}</td>" for side, cell in zip(sides, row, strict=True)) + "</tr>\n"
        for row in rows
    )
    words = f"<caption>{caption}</caption>" if caption else ""
    looks = f' class="{kind}"' if kind else ""
    whole = f"<table{looks}>{words}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
    return f'<div class="scroll">{whole}</div>\n'


def render_link(folder: Path, name: str) -> str:
    """Return a link to a file in a study's folder, relative to the page.

    >>> render_link(Path("out/dots"), "table2.csv")
    '<a href="dots/table2.csv"><code>dots/table2.csv</code></a>'
    """
    return f'<a href="{folder.name}/{name}"><code>{folder.name}/{name}</code></a>'


def render_comparison(ours: str, printed: str | None, agrees: bool) -> str:
    """Return a cell with our number, the paper's number, and a mark that says whether they agree.

    >>> render_comparison("0.66", "0.67", True)
    '0.66 <span class="paper">paper 0.67</span> <span class="yes">✓</span>'
    """
    if printed is None:
        return ours
    mark = '<span class="yes">✓</span>' if agrees else '<span class="no">✗</span>'
    return f'{ours} <span class="paper">paper {printed}</span> {mark}'


def render_policy(label: str) -> str:
    """Return a policy's label with its colour in front."""
    look = theme.styles_for_labels([label])[label]
    return f'<span class="swatch" style="background:{look.colour}"></span><span class="label">{look.label}</span>'


def render_figure(folder: Path, id: str, width: str = "column") -> str:
    """Return a registered figure with its caption, with the picture embedded.

    Without a picture, a note takes its place; without the figure's data, the result is empty.
    """
    row = FIGURES[id]
    picture = Path(folder) / f"{id}.svg"
    files = f"Data: {render_link(Path(folder), f'{id}.csv')}."
    if not (folder / f"{id}.csv").exists():
        return ""
    if picture.exists():
        data = base64.b64encode(picture.read_bytes()).decode("ascii")
        image = f'<img alt="{escape(row.title)}" src="data:image/svg+xml;base64,{data}">'
    else:
        image = "<p><em>The picture was left out: the plot extra is not installed.</em></p>"
    files += "".join(
        f" {render_link(Path(folder), f'{id}.{kind}')}" for kind in ("pdf",) if (folder / f"{id}.{kind}").exists()
    )
    number = f"{escape(row.number)} of the paper. " if row.number else ""
    return (
        f'<figure class="{width}">{image}<figcaption><b>{number}{escape(row.title)}.</b> {escape(row.caption)} {files}'
        f"</figcaption></figure>\n"
    )


def render_pair(*figures: str) -> str:
    """Return figures of column width, side by side where there is room."""
    return f'<div class="pair">{"".join(figures)}</div>\n'


def render_commands(*commands: str) -> str:
    """Return the commands that run a part again."""
    return f"<h3>Run it again</h3>\n<pre>{escape(chr(10).join(commands))}</pre>\n"
