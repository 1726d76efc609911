"""The rules by which a group may decide: the table of them, and `solve`, which asks one for its policy.

`rule` and `objective` say what a row is, `registry` lists them, `names` has their types. A rule that maximises has its
module in `isegoria.objectives`, every other one here, under its id: `leximin`, `conditional_utilitarian`,
`random_dictatorship`, `random_priority`, `sequential_utilitarian`, `maximum_payment`, `maximal_lottery`, `uniform`.
"""

from isegoria.rules.objective import Objective
from isegoria.rules.registry import GROUPS, OBJECTIVES, RULES, TIE_BREAKS, WITHIN
from isegoria.rules.rule import Option, Rule
from isegoria.rules.solution import Solution
from isegoria.rules.solving import solve
from isegoria.rules.welfare import Welfare

__all__ = [
    "GROUPS",
    "OBJECTIVES",
    "RULES",
    "TIE_BREAKS",
    "WITHIN",
    "Objective",
    "Option",
    "Rule",
    "Solution",
    "Welfare",
    "solve",
]
