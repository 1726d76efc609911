"""The contracts of the package as suites that anyone can run on work of their own.

Each `check_…` raises an `AssertionError` that says which promise is broken and how; what it returns is the names of the
checks that passed. The dictionaries `RULE_CHECKS`, `OBJECTIVE_CHECKS`, `LEARNER_CHECKS` and `FORMAT_CHECKS` hold the
single checks, for a test of one's own with a line for each. The package's own tests run the same suites.

>>> import isegoria as iso
>>> from isegoria.testing import check_objective
>>> len(check_objective(iso.OBJECTIVES["nash"]))
20
"""

from isegoria.testing.formats import FORMAT_CHECKS, check_format
from isegoria.testing.learners import LEARNER_CHECKS, check_learner
from isegoria.testing.objectives import OBJECTIVE_CHECKS, check_objective
from isegoria.testing.rules import RULE_CHECKS, check_rule

__all__ = [
    "FORMAT_CHECKS",
    "LEARNER_CHECKS",
    "OBJECTIVE_CHECKS",
    "RULE_CHECKS",
    "check_format",
    "check_learner",
    "check_objective",
    "check_rule",
]
