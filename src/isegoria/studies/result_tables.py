"""Tables of scores: columns for CSV, and text for Markdown and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.io.storage import atomic_write
from isegoria.io.storage.csv_columns import write_columns
from isegoria.rules import RULES
from isegoria.utils.formatting import SCORE_LABELS


def rule_labels(ids: Sequence[str]) -> list[str]:
    """Return the labels of these objectives."""
    return [RULES[id].label for id in ids]


def score_columns(ids: Sequence[str], scores: np.ndarray) -> dict[str, list[Any]]:
    """Return the columns policy, procedural, equality and utilitarian of (objectives, 3) scores."""
    return {"policy": rule_labels(ids)} | {name: scores[:, place].tolist() for place, name in enumerate(SCORE_LABELS)}


def summary_columns(ids: Sequence[str], scores: np.ndarray) -> dict[str, list[Any]]:
    """Return the columns of (instances, objectives, 3) scores: the means, and in `…_sd` the standard deviations.

    >>> columns = summary_columns(["procedural", "nash"], np.tile([0.5, 0.25, 1.0], (4, 2, 1)))
    >>> columns["policy"][0], columns["equality"][0], columns["equality_sd"][0]
    ('PF', 0.25, 0.0)
    """
    means, sds = scores.mean(axis=0), standard_deviations(scores)
    return score_columns(ids, means) | {f"{name}_sd": sds[:, place].tolist() for place, name in enumerate(SCORE_LABELS)}


def standard_deviations(scores: np.ndarray) -> np.ndarray:
    """Return the (objectives, 3) sample standard deviations over instances; 0 for a single instance."""
    return scores.std(axis=0, ddof=1) if len(scores) > 1 else np.zeros(scores.shape[1:])


def summary_rows(columns: dict[str, list[Any]], digits: int = 3) -> list[list[str]]:
    """Format rows as text, "PF", "1.000 ± 0.000", …; with `digits` 2 they look as in the paper."""
    return [
        [
            label,
            *(f"{columns[name][row]:.{digits}f} ± {columns[f'{name}_sd'][row]:.{digits}f}" for name in SCORE_LABELS),
        ]
        for row, label in enumerate(columns["policy"])
    ]


def name_policies(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Replace the label in the first cell of each row by the paper's name: "PF Policy"."""
    return [[f"{label} Policy", *cells] for label, *cells in rows]


def write_table(folder: Path, name: str, columns: Mapping[str, Sequence[Any]], caption: str) -> Path:
    r"""Write a table of a study as CSV with full precision and as LaTeX with three digits; return the CSV's path.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> path = write_table(folder, "by_phi", {"policy": ["UT|PF"], "mean_se": [0.12345]}, "Scores.")
    >>> print((folder / "by_phi.tex").read_text().splitlines()[6].removesuffix(r" \\"))
    UT\textbar PF & $0.123$
    """
    rows = [[_format_cell(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    header = [_escape_latex(key.replace("_", " ")) for key in columns]
    write_latex(Path(folder) / f"{name}.tex", header, rows, caption, f"tab:{name}")
    return write_columns(Path(folder) / f"{name}.csv", columns)


def format_latex_table(columns: Mapping[str, Sequence[Any]], caption: str, label: str, digits: int = 3) -> str:
    """Return a table of columns as LaTeX, with escaped words and numbers of `digits` decimals."""
    rows = [[_format_cell(cell, digits) for cell in row] for row in zip(*columns.values(), strict=True)]
    header = [_escape_latex(key.replace("_", " ")) for key in columns]
    return _format_latex(header, rows, caption, label)


def _format_cell(value: Any, digits: int = 3) -> str:
    """Format a cell for LaTeX: numbers as integers or with this many decimals, words escaped."""
    if value is None or isinstance(value, str):
        return _escape_latex(value or "")
    if isinstance(value, int) or float(value).is_integer():
        return f"${value:,.0f}$".replace(",", "{,}")
    return f"${value:.{digits}f}$" if math.isfinite(value) else "--"


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


_LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "|": r"\textbar ",
    "~": r"\textasciitilde ",
    "^": r"\textasciicircum ",
    "\\": r"\textbackslash ",
    "φ": r"$\varphi$",
    "γ": r"$\gamma$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "Δ": r"$\Delta$",
    "μ": r"$\mu$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "−": "$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "½": r"$\frac12$",
    "±": r"$\pm$",
    "✓": "(yes)",
    "✗": "(no)",
    "¼": r"$\frac14$",
    "²": "$^2$",
    "³": "$^3$",
    "ᵞ": r"$^\gamma$",
    "₀": "$_0$",
    "…": r"\dots ",
}


def write_markdown(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    """Write a Markdown table, the first column left-aligned and the others right-aligned, and return its path."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return atomic_write.write_text(path, "".join(f"| {' | '.join(line)} |\n" for line in lines))


def write_latex(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, ruled: int = 0
) -> Path:
    """Write a LaTeX table (package booktabs) and return its path; a line follows the first `ruled` rows, if any.

    The cells are LaTeX already.
    """
    return atomic_write.write_text(path, _format_latex(header, rows, caption, label, ruled))


def write_paper_table(
    folder: Path, name: str, ours: Sequence[Sequence[str]], paper: Sequence[Sequence[str]], caption: str, label: str
) -> None:
    """Write a table of the paper as it sets it (`name`.tex), and once with the paper's cells (`name`-beside.tex)."""
    titles = [f"{score} Score" for score in SCORE_LABELS.values()]
    write_latex(folder / f"{name}.tex", ["", *titles], name_policies(to_latex_math(ours)), caption, label, ruled=1)
    header = ["", *(cell for title in titles for cell in (title, "paper"))]
    both = [
        [mine[0], *(cell for pair in zip(mine[1:], printed, strict=True) for cell in pair)]
        for mine, printed in zip(ours, paper, strict=True)
    ]
    said = f"{caption} Beside each cell the one that the paper prints."
    write_latex(
        folder / f"{name}-beside.tex", header, name_policies(to_latex_math(both)), said, f"{label}_beside", ruled=1
    )


def _format_latex(
    header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, ruled: int = 0
) -> str:
    body = [r"\begin{table}[htbp]", r"\centering", rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
    body += [" & ".join(header) + r" \\", r"\midrule"]
    lines = [" & ".join(row) + r" \\" for row in rows]
    body += [*lines[:ruled], *[r"\midrule"] * bool(ruled), *lines[ruled:]]
    body += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", rf"\label{{{label}}}", r"\end{table}"]
    return "\n".join(body) + "\n"


def to_latex_math(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows with all cells except the first set as formulas."""
    return [[first, *(f"${cell.replace('±', chr(92) + 'pm')}$" for cell in cells)] for first, *cells in rows]
