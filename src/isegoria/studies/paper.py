"""What the paper printed, so that every table of ours can stand beside it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from isegoria import tolerances
from isegoria.io.columns import read_columns
from isegoria.rules import RULES

TABLE1 = {
    "procedural": ((1.00, 0.00), (0.98, 0.02), (0.97, 0.05)),
    "inequality": ((0.67, 0.30), (1.00, 0.00), (0.86, 0.12)),
    "utilitarian": ((0.78, 0.27), (0.97, 0.04), (1.00, 0.00)),
    "egalitarian": ((0.84, 0.20), (0.99, 0.02), (0.96, 0.05)),
    "nash": ((0.82, 0.24), (0.98, 0.02), (1.00, 0.01)),
    "gini": ((0.87, 0.20), (0.99, 0.02), (0.98, 0.03)),
}
"""Table 1: (mean, standard deviation) of each score in the order of SCORES, for each policy."""

TABLE2 = {
    "procedural": (1.00, 0.99, 0.90),
    "inequality": (0.74, 1.00, 0.80),
    "utilitarian": (0.38, 0.86, 1.00),
    "egalitarian": (0.74, 1.00, 0.80),
    "nash": (0.76, 0.95, 0.99),
    "gini": (0.74, 1.00, 0.80),
}
"""Table 2: each score of each policy on the 50 Dots voters."""


def rule_of(label: str) -> str:
    """The id of the rule whose policies a file has under this label; the label itself if there is none such any more.

    >>> rule_of("NSW"), rule_of("a rule of last year")
    ('nash', 'a rule of last year')
    """
    row = RULES.get(label)
    return label if row is None else row.id


class Range(NamedTuple):
    """The least and the largest value of one number of Table 1 over our own seeds."""

    low: float
    high: float


@cache
def ranges() -> dict[tuple[str, str, str, str], Range]:
    """The `Range` of every number, by (tie-break, policy's label, score, "mean" or "sd").

    From the paper's grid under seeds 42 to 61, in the data of the package; `isegoria reproduce synthetic --seeds 20`
    under each `--tie-break` computes them again.

    >>> len(ranges())
    108
    """
    columns = read_columns(Path(str(files("isegoria.data"))) / "table1_ranges.csv")
    keys = zip(columns["tie_break"], columns["policy"], columns["score"], columns["statistic"], strict=True)
    return dict(zip(keys, map(Range, columns["lowest"], columns["highest"]), strict=True))


def agrees(printed: float, ours: float, key: tuple[str, str, str, str]) -> bool:
    """Whether a number that the paper prints lies in the range of our own seeds, widened by the paper's rounding.

    `ours` is the number of this run, which belongs to the range too; `key` is that of `ranges`.

    >>> agrees(0.02, 0.026, ("centre", "NSW", "equality", "sd"))
    False
    """
    low, high = ranges()[key]
    return min(low, ours) - tolerances.TABLE1_ROUNDING <= printed <= max(high, ours) + tolerances.TABLE1_ROUNDING
