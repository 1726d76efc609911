"""What holds for every objective in the table, whichever it is: a new one is tested the day it is born."""

import numpy as np
import pytest

import isegoria as iso
from oracles.solution_checks import MAX_GAPS

EXACT = 1e-9


@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
def test_every_answer_is_certified_on_the_simplex_and_cannot_be_changed(objective, instance, tie_break):
    solution = iso.solve(instance, objective, tie_break)
    assert (solution.policy >= 0).all()
    assert abs(solution.policy.sum() - 1) <= 1e-15
    assert 0 <= solution.gap <= MAX_GAPS[objective]
    assert (solution.rule, solution.tie_break, solution.within) == (objective, tie_break, None)
    assert iso.RULES[objective].evaluate(instance, solution.policy) == pytest.approx(solution.value, abs=1e-13)
    with pytest.raises(ValueError, match="read-only"):
        solution.policy[0] = 1


def test_no_policy_is_better_than_the_gap_allows(objective, instance):
    solution = iso.solve(instance, objective)
    sign = 1 if iso.RULES[objective].sense == "maximise" else -1
    evaluate = iso.RULES[objective].evaluate
    for policy in np.random.default_rng(3).dirichlet(np.full(len(instance.arms), 0.4), 30):
        assert sign * (evaluate(instance, policy) - solution.value) <= solution.gap + 1e-14


def test_tie_breaks_agree_on_the_value_and_keep_their_word(objective, instance):
    found = {name: iso.solve(instance, objective, name) for name in ("centre", "vertex", "utilitarian")}
    total = {name: iso.RULES["utilitarian"].evaluate(instance, one.policy) for name, one in found.items()}
    norm = {name: np.linalg.norm(one.policy) for name, one in found.items()}
    for one in found.values():
        assert one.value == pytest.approx(found["centre"].value, abs=2e-12)
        assert norm["centre"] <= np.linalg.norm(one.policy) + EXACT
    assert total["utilitarian"] >= max(total.values()) - EXACT


def test_relabelling_relabels_the_answer(objective, instance):
    rng = np.random.default_rng(4)
    rows, columns = rng.permutation(len(instance.agents)), rng.permutation(len(instance.arms))
    other = iso.Instance(instance.means[rows][:, columns], weights=instance.weights[rows])
    one, two = iso.solve(instance, objective), iso.solve(other, objective)
    assert two.policy == pytest.approx(one.policy[columns], abs=EXACT)


def test_a_row_of_weight_w_is_w_agents(objective, instance):
    spread = iso.Instance(np.repeat(instance.means, instance.weights, axis=0))
    one, two = iso.solve(instance, objective), iso.solve(spread, objective)
    assert two.policy == pytest.approx(one.policy, abs=EXACT)
    assert two.value == pytest.approx(one.value, abs=1e-12)
