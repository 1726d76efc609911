"""The table of objectives. A new objective is one new module beside this one, and one line in `OBJECTIVES`."""

from __future__ import annotations

from isegoria.objectives.objective import ModuleObjective, Objective, checked_objective
from isegoria.registry import Table

TIE_BREAKS = ("centre", "vertex", "utilitarian")
"""How one of several optima is chosen: the one of least norm, a corner of their set, the one of largest total."""

WITHIN = ("procedural",)
"""The sets of policies that a search can be held to: the procedurally fair ones."""

OBJECTIVES: Table[Objective] = Table(
    "objective",
    [
        ModuleObjective("procedural", "PF", "equal voice: the Nash product of decision shares", "Definition 4"),
        ModuleObjective(
            "inequality", "IM", "the least mean squared difference of utilities", "Definition 6", "smallest"
        ),
        ModuleObjective("utilitarian", "UT", "the largest total utility", "Definition 7"),
        ModuleObjective("egalitarian", "EG", "the largest least utility", "Rawls 1971"),
        ModuleObjective("nash", "NSW", "the largest Nash product of utilities", "Nash 1950"),
        ModuleObjective(
            "gini", "GGI", "the largest generalised Gini welfare", "Weymark 1981", options=("gini_weights",)
        ),
    ],
    group="isegoria.objectives",
    adapt=checked_objective,
)
"""Every objective by its id, in the order in which tables list them."""
