"""The table of objectives. A new objective is one new module beside this one, and one line in `OBJECTIVES`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from isegoria.once import computed_once

TIE_BREAKS = ("centre", "vertex", "utilitarian")
"""How one of several optima is chosen: the one of least norm, a corner of their set, the one of largest total."""

WITHIN = ("procedural",)
"""The sets of policies that a search can be held to: the procedurally fair ones."""


@dataclass(frozen=True)
class Objective:
    """One row of the table; the work is in the module of the same name as its `id`, loaded when first used.

    `better` is "largest" or "smallest". `options` names the keywords of `solve` that it takes beyond the common ones.
    """

    id: str
    label: str
    summary: str
    citation: str
    better: str = "largest"
    options: tuple[str, ...] = ()

    @computed_once
    def optimise(self) -> Callable:
        """`optimise(instance, tie_break, within, **options)` returns a certified `Solution`."""
        return import_module(f"isegoria.objectives.{self.id}").optimise

    @computed_once
    def evaluate(self) -> Callable:
        """`evaluate(instance, policy, **options)` returns the value of any policy."""
        return import_module(f"isegoria.objectives.{self.id}").evaluate


OBJECTIVES = MappingProxyType(
    {
        row.id: row
        for row in (
            Objective("procedural", "PF", "equal voice: the Nash product of decision shares", "Definition 4"),
            Objective("inequality", "IM", "the least mean squared difference of utilities", "Section 5", "smallest"),
            Objective("utilitarian", "UT", "the largest total utility", "Section 5"),
            Objective("egalitarian", "EG", "the largest least utility", "Rawls 1971"),
            Objective("nash", "NSW", "the largest Nash product of utilities", "Nash 1950"),
            Objective("gini", "GGI", "the largest generalised Gini welfare", "Weymark 1981", options=("gini_weights",)),
        )
    }
)
"""Every objective by its id, in the order in which tables list them."""
