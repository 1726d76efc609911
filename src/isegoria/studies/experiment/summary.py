"""Rows of a study put together: the mean of each measure with its standard error, interval and count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria import display
from isegoria.errors import InputError, MissingExtraError, unknown
from isegoria.studies.intervals import intervals
from isegoria.wording import columns as aligned

NUMBERS = ("mean", "se", "low", "high", "count")


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable:
    """Means over draws of a group and a seed: the columns that it goes by, then mean, standard error, the ends of the
    95 % bootstrap interval, and how many draws there were; with `against`, of the differences on the same runs, so that
    intervals are paired."""

    columns: Mapping[str, Sequence[Any]]
    by: tuple[str, ...]
    against: str | None = None

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary for each line."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """The table as a pandas data frame."""
        return _pandas().DataFrame(dict(self.columns))

    def cells(self) -> list[list[str]]:
        """The table as text, header first."""
        return [
            list(self.columns),
            *([_shown(cell) for cell in row] for row in zip(*self.columns.values(), strict=True)),
        ]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        return "\n".join(aligned(self.cells(), right=set(range(len(self.by), len(self.columns)))))

    def _repr_html_(self) -> str:
        header, *rows = self.cells()
        said = f"means over runs{f', minus {self.against} on the same runs' if self.against else ''}"
        return display.box(display.line(said, "StudyTable"), display.table(header, rows, words=len(self.by)))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as missing:
        raise MissingExtraError("a data frame needs pandas; install it with: pip install pandas.") from missing
    return pandas


def summed_up(columns: Mapping[str, Sequence[Any]], by: Sequence[str], pair: Sequence[str], kind: str,
              against: str | None = None, seed: int = 0) -> StudyTable:  # fmt: skip
    """The `StudyTable` of rows in `columns` (with a value), a line for each combination of `by`.

    `pair` names what two rows must share to be compared `against` the contender of that name (in column `kind`). What
    was drawn independently is a group with its seed: a line that holds several rows of one has their mean first, and
    `count` counts these draws.
    """
    for name in by:
        if name not in columns or name in ("value", "cell"):
            raise unknown("column", name, [each for each in columns if each not in ("value", "cell")])
    if against is not None:
        if kind not in by:
            raise InputError(f"against compares a {kind} with the others; let the table go by {kind!r} too.")
        if against not in columns[kind]:
            raise unknown(kind, against, list(dict.fromkeys(columns[kind])))
    values = _runs(columns, by, pair, kind, against)
    lines: dict[tuple[Any, ...], list[float]] = {}
    for (line, _), numbers in values.items():
        lines.setdefault(line, []).append(float(np.mean(numbers)))
    found = {line: intervals(np.array(numbers)[:, None], seed)[0] for line, numbers in lines.items()}
    table: dict[str, list[Any]] = {name: [line[place] for line in found] for place, name in enumerate(by)}
    table |= {name: [one[place] for one in found.values()] for place, name in enumerate(NUMBERS)}
    return StudyTable(table, tuple(by), against)


def _runs(columns: Mapping[str, Sequence[Any]], by: Sequence[str], pair: Sequence[str], kind: str,
          against: str | None) -> dict[tuple[tuple[Any, ...], tuple[Any, ...]], list[float]]:  # fmt: skip
    """The values of each (line, draw); with `against`, differences from that contender's run of the same kind."""
    lines = list(zip(*(columns[name] for name in by), strict=True)) or [()] * len(columns["value"])
    keys = list(zip(*(columns[name] for name in pair), strict=True))
    whats = list(zip(columns["measure"], columns["round"], strict=True))
    base = {}
    if against is not None:
        base = {(key, what): value for key, what, who, value in
                zip(keys, whats, columns[kind], columns["value"], strict=True) if who == against}  # fmt: skip
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
