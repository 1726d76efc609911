"""Equal voice first, then the best outcome: `within="fair"`, for every objective in the table."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from isegoria.solvers.fair_set.polytope import FairPolytope
from oracles.solution_checks import MAX_GAPS

FAIR = 1e-9


@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
def test_the_answer_is_fair_certified_and_no_better_than_without_the_bond(objective, instance, tie_break):
    bound = iso.solve(instance, objective, tie_break, within="fair")
    free = iso.solve(instance, objective, tie_break)
    assert bound.within == "fair"
    assert iso.score(instance, bound.policy).procedural >= 1 - FAIR
    assert abs(bound.policy.sum() - 1) <= 1e-15
    assert 0 <= bound.gap <= MAX_GAPS[objective]
    sign = 1 if iso.RULES[objective].sense == "maximise" else -1
    assert sign * (bound.value - free.value) <= MAX_GAPS[objective]
    assert iso.RULES[objective].evaluate(instance, bound.policy) == pytest.approx(bound.value, abs=1e-13)


@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
@pytest.mark.parametrize("rule", [*RULE_GROUPS["paper"], "leximin"])
def test_answers_stay_fair_where_separation_finds_no_cut(rule, tie_break, monkeypatch):
    """Rounding may hide a violated cut, so every choice among optima is scored before it is returned."""
    monkeypatch.setattr(FairPolytope, "separate", lambda self, point: None)
    tied = iso.Instance([[1, 1, 1, 0], [1, 1, 1, 0], [0, 1, 1, 1]], weights=[1, 2, 4])
    for instance in (tied, iso.Instance(np.kron(np.eye(3), np.ones((2, 2))), weights=[9, 1, 1, 1, 1, 1])):
        asked = {} if rule == "leximin" else {"tie_break": tie_break}
        found = iso.solve(instance, rule, within="fair", **asked)
        assert iso.score(instance, found.policy).procedural >= 1 - FAIR


def test_no_fair_policy_is_better(objective, instance):
    bound = iso.solve(instance, objective, within="fair")
    sign = 1 if iso.RULES[objective].sense == "maximise" else -1
    for policy in fair_policies(instance, 40):
        assert sign * (iso.RULES[objective].evaluate(instance, policy) - bound.value) <= bound.gap + 1e-12


def test_tie_breaks_within_the_fair_keep_their_word(objective, instance):
    found = {name: iso.solve(instance, objective, name, "fair") for name in ("centre", "vertex", "utilitarian")}
    total = {name: iso.RULES["utilitarian"].evaluate(instance, one.policy) for name, one in found.items()}
    for one in found.values():
        assert one.value == pytest.approx(found["centre"].value, abs=2e-9)
        assert np.linalg.norm(found["centre"].policy) <= np.linalg.norm(one.policy) + 1e-8
    assert total["utilitarian"] >= max(total.values()) - 1e-8


@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
def test_a_sparse_table_has_the_answer_of_the_dense_one(objective, instance, tie_break):
    sparse = iso.Instance(csr_array(np.asarray(instance.means)), weights=instance.weights)
    dense = iso.solve(instance, objective, tie_break, within="fair")
    found = iso.solve(sparse, objective, tie_break, within="fair")
    assert found.value == pytest.approx(dense.value, abs=2 * MAX_GAPS[objective])
    assert found.policy == pytest.approx(
        dense.policy, abs=1e-9 if min(found.tie_margin, dense.tie_margin) > 1e-6 else 1
    )


@pytest.mark.parametrize("objective", ["nash", "inequality"])
def test_choice_within_fair_needs_no_square_table_of_arms(objective):
    many = iso.Instance([np.linspace(0, 1, 46_341), np.linspace(1, 0, 46_341)])  # no two alike: those would be one
    found = iso.solve(many, objective, within="fair").policy
    assert found[[0, -1]] == pytest.approx([0.5, 0.5], abs=1e-9)


def test_relabelling_relabels_the_answer_within_the_fair(objective, instance):
    columns = np.random.default_rng(5).permutation(len(instance.arms))
    other = iso.Instance(instance.means[::-1][:, columns], weights=instance.weights[::-1])
    one, two = (iso.solve(which, objective, within="fair") for which in (instance, other))
    assert two.policy == pytest.approx(one.policy[columns], abs=1e-8)


def fair_policies(instance, count):
    """Random fair policies: every agent splits its share at random over its favourites."""
    rng = np.random.default_rng(6)
    for _ in range(count):
        y = rng.exponential(size=instance.favourites.shape) ** 3 * instance.favourites
        yield (instance.weights / instance.total_weight) @ (y / y.sum(axis=1, keepdims=True))
