"""Tables of scores: what a study has found, as columns for CSV, and as text for Markdown and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.io import atomic
from isegoria.io.columns import write_columns
from isegoria.rules import OBJECTIVES
from isegoria.wording import SCORES


def labels(ids: Sequence[str]) -> list[str]:
    """The labels of these objectives."""
    return [OBJECTIVES[id].label for id in ids]


def score_columns(ids: Sequence[str], scores: np.ndarray) -> dict[str, list[Any]]:
    """The columns policy, procedural, equality, utilitarian of (objectives, 3) scores."""
    return {"policy": labels(ids)} | {name: scores[:, place].tolist() for place, name in enumerate(SCORES)}


def summary_columns(ids: Sequence[str], scores: np.ndarray) -> dict[str, list[Any]]:
    """The columns of (instances, objectives, 3) scores: their means, and in `…_sd` their standard deviations.

    >>> columns = summary_columns(["procedural", "nash"], np.tile([0.5, 0.25, 1.0], (4, 2, 1)))
    >>> columns["policy"][0], columns["equality"][0], columns["equality_sd"][0]
    ('PF', 0.25, 0.0)
    """
    means, sds = scores.mean(axis=0), deviations(scores)
    return score_columns(ids, means) | {f"{name}_sd": sds[:, place].tolist() for place, name in enumerate(SCORES)}


def deviations(scores: np.ndarray) -> np.ndarray:
    """(objectives, 3) sample standard deviations over instances; 0 for a single instance."""
    return scores.std(axis=0, ddof=1) if len(scores) > 1 else np.zeros(scores.shape[1:])


def summary_rows(columns: dict[str, list[Any]], digits: int = 3) -> list[list[str]]:
    """Rows of text, "PF", "1.000 ± 0.000", …; with two `digits` they are the paper's."""
    return [
        [label, *(f"{columns[name][row]:.{digits}f} ± {columns[f'{name}_sd'][row]:.{digits}f}" for name in SCORES)]
        for row, label in enumerate(columns["policy"])
    ]


def as_policies(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows whose first cell is a label, with the paper's name for it: "PF Policy"."""
    return [[f"{label} Policy", *cells] for label, *cells in rows]


def write_table(folder: Path, name: str, columns: Mapping[str, Sequence[Any]], caption: str) -> Path:
    r"""The path of a table of a study, written as CSV in full precision and as LaTeX to three digits.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> path = write_table(folder, "by_phi", {"policy": ["UT|PF"], "mean_se": [0.12345]}, "Scores.")
    >>> print((folder / "by_phi.tex").read_text().splitlines()[6].removesuffix(r" \\"))
    UT\textbar PF & $0.123$
    """
    rows = [[_cell(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    header = [_escaped(key.replace("_", " ")) for key in columns]
    write_latex(Path(folder) / f"{name}.tex", header, rows, caption, f"tab:{name}")
    return write_columns(Path(folder) / f"{name}.csv", columns)


def _cell(value: Any) -> str:
    """A number to three digits behind the point, or whole; words as they are."""
    if isinstance(value, str):
        return _escaped(value)
    if isinstance(value, int) or float(value).is_integer():
        return f"${value:,.0f}$".replace(",", "{,}")
    return f"${value:.3f}$" if math.isfinite(value) else "--"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


_LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "|": r"\textbar ", "~": r"\textasciitilde ", "^": r"\textasciicircum ", "\\": r"\textbackslash ",
    "φ": r"$\varphi$", "γ": r"$\gamma$", "α": r"$\alpha$", "τ": r"$\tau$", "Δ": r"$\Delta$", "μ": r"$\mu$",
    "≥": r"$\ge$", "≤": r"$\le$", "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "½": r"$\frac12$", "±": r"$\pm$",
    "✓": "(yes)", "✗": "(no)", "¼": r"$\frac14$", "²": "$^2$", "³": "$^3$", "ᵞ": r"$^\gamma$", "₀": "$_0$",
    "…": r"\dots ",
}  # fmt: skip


def write_markdown(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    """The path of a Markdown table: first column to the left, the others to the right."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return atomic.write_text(path, "".join(f"| {' | '.join(line)} |\n" for line in lines))


def write_latex(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> Path:
    """The path of a LaTeX table (package booktabs) of the shape that the paper prints; cells are LaTeX already."""
    body = [r"\begin{table}[htbp]", r"\centering", rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
    body += [" & ".join(header) + r" \\", r"\midrule"]
    body += [" & ".join(row) + r" \\" for row in rows]
    body += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", rf"\label{{{label}}}", r"\end{table}"]
    return atomic.write_text(path, "\n".join(body) + "\n")


def maths(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows whose numbers, all but the first cell, are set as formulas."""
    return [[first, *(f"${cell.replace('±', chr(92) + 'pm')}$" for cell in cells)] for first, *cells in rows]
