"""Rules that map a profile to a policy: their registry, and `solve`, which computes the policy of one.

`rule`, `objective` and `welfare` define what an entry is, `registry` lists the entries, and `builtin` has one module
for each shipped rule. Every `Rule` answers a `SolveRequest` by `rule.solve(profile, request)`.
"""

from isegoria.rules.objective import Objective
from isegoria.rules.registry import RULE_GROUPS, RULES, get_objective, list_objectives
from isegoria.rules.rule import TIE_BREAKS, WITHIN_CHOICES, Rule, RuleOption, SolveRequest
from isegoria.rules.solution import Solution
from isegoria.rules.solving import solve
from isegoria.rules.welfare import Welfare

__all__ = [
    "RULES",
    "RULE_GROUPS",
    "TIE_BREAKS",
    "WITHIN_CHOICES",
    "Objective",
    "Rule",
    "RuleOption",
    "Solution",
    "SolveRequest",
    "Welfare",
    "get_objective",
    "list_objectives",
    "solve",
]
