"""Conformance suites for rules, objectives, learners and file formats, for use on your own implementations.

Each `check_…` returns the names of the checks that passed, or raises an `AssertionError` that says which requirement is
broken and how. The dictionaries `RULE_CHECKS`, `OBJECTIVE_CHECKS`, `LEARNER_CHECKS` and `FORMAT_CHECKS` hold the single
checks, to run each as a test of its own. The package's own tests run the same suites.

>>> import isegoria as iso
>>> from isegoria.testing import check_objective
>>> len(check_objective(iso.RULES["nash"]))
20
"""

from isegoria.testing.format_checks import FORMAT_CHECKS, check_format
from isegoria.testing.learner_checks import LEARNER_CHECKS, check_learner
from isegoria.testing.objective_checks import OBJECTIVE_CHECKS, check_objective
from isegoria.testing.rule_checks import RULE_CHECKS, check_rule

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
