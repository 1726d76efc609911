"""The numbers that the paper printed, for comparison with ours."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from isegoria.io.storage.csv_columns import read_columns
from isegoria.rules import RULES
from isegoria.utils import tolerances

PAPER_TABLE1 = {
    "procedural": ((1.00, 0.00), (0.98, 0.02), (0.97, 0.05)),
    "inequality": ((0.67, 0.30), (1.00, 0.00), (0.86, 0.12)),
    "utilitarian": ((0.78, 0.27), (0.97, 0.04), (1.00, 0.00)),
    "egalitarian": ((0.84, 0.20), (0.99, 0.02), (0.96, 0.05)),
    "nash": ((0.82, 0.24), (0.98, 0.02), (1.00, 0.01)),
    "gini": ((0.87, 0.20), (0.99, 0.02), (0.98, 0.03)),
}
"""Table 1: (mean, standard deviation) of each score in the order of SCORES, for each policy."""

PAPER_TABLE2 = {
    "procedural": (1.00, 0.99, 0.90),
    "inequality": (0.74, 1.00, 0.80),
    "utilitarian": (0.38, 0.86, 1.00),
    "egalitarian": (0.74, 1.00, 0.80),
    "nash": (0.76, 0.95, 0.99),
    "gini": (0.74, 1.00, 0.80),
}
"""Table 2: the scores of each policy on the 50 Dots voters."""


def find_rule_id(label: str) -> str:
    """Return the id of the rule with this label, or the label itself if there is no such rule any more.

    >>> find_rule_id("NSW"), find_rule_id("a rule of last year")
    ('nash', 'a rule of last year')
    """
    row = RULES.get(label)
    return label if row is None else row.id


class NumberRange(NamedTuple):
    """The minimum and maximum of one number of Table 1 over our seeds."""

    low: float
    high: float


@cache
def load_ranges() -> dict[tuple[str, str, str, str], NumberRange]:
    """Return the `NumberRange` of every number, by (tie-break, policy's label, score, "mean" or "sd").

    The ranges are those of the paper's grid under seeds 42 to 61, and are part of the package data. To recompute them,
    run `isegoria reproduce synthetic --seeds 20` with each `--tie-break`.

    >>> len(load_ranges())
    108
    """
    columns = read_columns(Path(str(files("isegoria.studies"))) / "table1_ranges.csv")
    keys = zip(columns["tie_break"], columns["policy"], columns["score"], columns["statistic"], strict=True)
    return dict(zip(keys, map(NumberRange, columns["lowest"], columns["highest"]), strict=True))


def agrees_with_paper(printed: float, ours: float, key: tuple[str, str, str, str]) -> bool:
    """Return whether a number of the paper is within the range of our seeds, widened by the paper's rounding.

    `ours` is the number of this run and extends the range; `key` is a key of `load_ranges`.

    >>> agrees_with_paper(0.02, 0.026, ("centre", "NSW", "equality", "sd"))
    False
    """
    low, high = load_ranges()[key]
    return min(low, ours) - tolerances.TABLE1_ROUNDING <= printed <= max(high, ours) + tolerances.TABLE1_ROUNDING
