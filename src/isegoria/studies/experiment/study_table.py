"""Summaries of the rows of a study: the mean of each measure with its standard error, interval and count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.errors import InputError, MissingExtraError, unknown_name_error
from isegoria.studies.bootstrap import bootstrap_intervals
from isegoria.utils import notebook
from isegoria.utils.formatting import align_columns as aligned

SUMMARY_COLUMNS = ("mean", "se", "low", "high", "count")


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable:
    """Means over independent draws of a group and a seed.

    The columns are those grouped `by`, then mean, standard error, the ends of the 95 % bootstrap interval, and the
    number of draws. With `against`, the means are of differences on the same runs, so the intervals are paired.
    """

    columns: Mapping[str, Sequence[Any]]
    by: tuple[str, ...]
    against: str | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each line."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return _import_pandas().DataFrame(dict(self.columns))

    def cells(self) -> list[list[str]]:
        """Return the table as text, header first."""
        return [
            list(self.columns),
            *([_format_cell(cell) for cell in row] for row in zip(*self.columns.values(), strict=True)),
        ]

    def to_latex(self, caption: str = "Means over runs.", label: str = "tab:study", digits: int = 3) -> str:
        """Return the table as LaTeX (package booktabs), in the layout of `table.tex`.

        Parameters
        ----------
        caption, label : str
            The caption and label of the table.
        digits : int
            The decimals of numbers.

        Returns
        -------
        str
        """
        from isegoria.studies.result_tables import format_latex_table

        return format_latex_table(self.columns, caption, label, digits)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        return "\n".join(aligned(self.cells(), right=set(range(len(self.by), len(self.columns)))))

    def _repr_html_(self) -> str:
        header, *rows = self.cells()
        said = f"means over runs{f', minus {self.against} on the same runs' if self.against else ''}"
        return notebook.html_box(
            notebook.html_line(said, "StudyTable"), notebook.html_table(header, rows, words=len(self.by))
        )


def _format_cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def _import_pandas() -> Any:
    try:
        import pandas
    except ImportError as missing:
        raise MissingExtraError("a data frame needs pandas; install it with: pip install pandas.") from missing
    return pandas


def summarise(
    columns: Mapping[str, Sequence[Any]],
    by: Sequence[str],
    pair: Sequence[str],
    kind: str,
    against: str | None = None,
    seed: int = 0,
    sd: bool = False,
    quantiles: Sequence[float] = (),
) -> StudyTable:
    """Summarise the rows in `columns`, with a line for each combination of `by`.

    `pair` names the columns that two rows must share to be compared `against` the contender of that name (in column
    `kind`). A draw is a group with its seed. If a line has several rows of one draw, their mean is taken first, and
    `count` counts the draws.
    """
    for name in by:
        if name not in columns or name in ("value", "cell"):
            raise unknown_name_error("column", name, [each for each in columns if each not in ("value", "cell")])
    if against is not None:
        if kind not in by:
            raise InputError(f"against compares a {kind} with the others; let the table go by {kind!r} too.")
        if against not in columns[kind]:
            raise unknown_name_error(kind, against, list(dict.fromkeys(columns[kind])))
    values = _values_by_line(columns, by, pair, kind, against)
    lines: dict[tuple[Any, ...], list[float]] = {}
    for (line, _), numbers in values.items():
        lines.setdefault(line, []).append(numbers[0] if len(numbers) == 1 else float(np.mean(numbers)))
    found = {line: bootstrap_intervals(np.array(numbers)[:, None], seed)[0] for line, numbers in lines.items()}
    table: dict[str, list[Any]] = {name: [line[place] for line in found] for place, name in enumerate(by)}
    table |= {name: [one[place] for one in found.values()] for place, name in enumerate(SUMMARY_COLUMNS)}
    if sd:
        table["sd"] = [float(np.std(lines[line], ddof=1)) if len(lines[line]) > 1 else 0.0 for line in found]
    for level in quantiles:
        if not 0 <= level <= 1:
            raise InputError(f"quantiles has {level!r}; expected numbers from 0 to 1, such as (0.25, 0.5, 0.75).")
        name = "median" if level == 0.5 else f"q{100 * level:g}"
        table[name] = [float(np.quantile(lines[line], level)) for line in found]
    return StudyTable(table, tuple(by), against)


def _values_by_line(
    columns: Mapping[str, Sequence[Any]], by: Sequence[str], pair: Sequence[str], kind: str, against: str | None
) -> dict[tuple[tuple[Any, ...], tuple[Any, ...]], list[float]]:
    """Collect the values of each (line, draw); with `against`, as differences from that contender's matching run."""
    lines = list(zip(*(columns[name] for name in by), strict=True)) or [()] * len(columns["value"])
    keys = list(zip(*(columns[name] for name in pair), strict=True))
    whats = list(zip(columns["measure"], columns["round"], strict=True))
    base = {}
    if against is not None:
        base = {
            (key, what): value
            for key, what, who, value in zip(keys, whats, columns[kind], columns["value"], strict=True)
            if who == against
        }
    found: dict[tuple[tuple[Any, ...], tuple[Any, ...]], list[float]] = {}
    draws = zip(columns["group"], columns["seed"], strict=True)
    for line, key, draw, what, who, value in zip(
        lines, keys, draws, whats, columns[kind], columns["value"], strict=True
    ):
        if against is not None:
            if who == against or (key, what) not in base:
                continue
            value = value - base[key, what]
        found.setdefault((line, draw), []).append(value)
    return found
