"""Tables of scores: what a study has found, as columns for CSV, and as text for Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.io import atomic
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


def summary_rows(columns: dict[str, list[Any]]) -> list[list[str]]:
    """Rows of text as the paper prints them: "PF", "1.000 ± 0.000", …."""
    return [
        [label, *(f"{columns[name][row]:.3f} ± {columns[f'{name}_sd'][row]:.3f}" for name in SCORES)]
        for row, label in enumerate(columns["policy"])
    ]


def write_markdown(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    """The path of a Markdown table: first column to the left, the others to the right."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return atomic.write_text(path, "".join(f"| {' | '.join(line)} |\n" for line in lines))


def write_latex(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Path:
    """The path of a LaTeX table (package booktabs) of the shape that the paper prints."""
    body = [r"\begin{table}[htbp]", r"\centering", rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
    body += [" & ".join(header) + r" \\", r"\midrule"]
    body += [" & ".join([row[0], *map(_maths, row[1:])]) + r" \\" for row in rows]
    body += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table}"]
    return atomic.write_text(path, "\n".join(body) + "\n")


def _maths(cell: str) -> str:
    return "$" + cell.replace("±", r"\pm") + "$"
