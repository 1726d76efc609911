"""A rule, its name or a solution goes wherever a policy goes."""

import pytest

import isegoria as iso
from isegoria.errors import InputError

LUNCH = iso.datasets.load_lunch()
CALLS = {
    "score": lambda policy: iso.score(LUNCH, policy).procedural,
    "audit": lambda policy: str(iso.audit(LUNCH, policy)),
    "core": lambda policy: iso.core(LUNCH, policy).stable,
    "check": lambda policy: iso.axioms.check(LUNCH, policy, "gfs").holds,
    "pareto_dominates": lambda policy: iso.pareto_dominates(LUNCH, policy, "utilitarian"),
    "contains": lambda policy: iso.FairSet(LUNCH).contains(policy),
    "utilities": lambda policy: iso.score(LUNCH, LUNCH.validate_policy(policy)).utilitarian,
}


@pytest.mark.parametrize("name", CALLS)
def test_rules_and_solutions_are_policies(name):
    solution = iso.solve(LUNCH, "nash")
    answers = [CALLS[name](given) for given in (solution.policy, "nash", "NSW", iso.RULES["nash"], solution)]
    assert answers == answers[:1] * 5


def test_own_rules_are_policies():
    class First(iso.Rule):
        id = "first"

        def policy(self, instance):
            return [1, 0, 0, 0]

    assert iso.score(LUNCH, First()).procedural == iso.score(LUNCH, [1, 0, 0, 0]).procedural


@pytest.mark.parametrize("name", CALLS)
def test_misspelt_rules_are_suggested(name):
    with pytest.raises(InputError, match="did you mean 'procedural'"):
        CALLS[name]("procedurl")
