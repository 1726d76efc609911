"""The shipped contract is the internal one: every rule of the table passes the suites that other authors run."""

import pytest

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from isegoria.testing import OBJECTIVE_CHECKS, RULE_CHECKS


@pytest.mark.parametrize("check", RULE_CHECKS)
@pytest.mark.parametrize("id", list(iso.RULES))
def test_every_rule_keeps_the_contract(id, check):
    RULE_CHECKS[check](iso.RULES[id])


@pytest.mark.parametrize("check", [check for check in OBJECTIVE_CHECKS if check not in RULE_CHECKS])
@pytest.mark.parametrize("id", RULE_GROUPS["paper"])
def test_every_objective_keeps_more(id, check):
    OBJECTIVE_CHECKS[check](iso.RULES[id])
