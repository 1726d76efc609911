"""The table of objectives. A new objective is one new module beside this one, and one line in `OBJECTIVES`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Objective:
    """One row of the table.

    `optimise(instance, tie_break, within, **options)` returns a certified `Solution`;
    `evaluate(instance, policy, **options)` returns the value of any policy.
    `better` is "largest" or "smallest". `options` names the keywords of `solve` that it takes beyond the common ones.
    """

    id: str
    label: str
    summary: str
    citation: str
    optimise: Callable
    evaluate: Callable
    better: str = "largest"
    options: tuple[str, ...] = ()
