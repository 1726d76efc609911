"""A margin is checked, not asserted: where `tie_margin` is clear, another order of arms and agents moves no policy."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from oracles.hostile_instances import make_clones, make_hostile, make_weighty, make_wide
from oracles.solution_checks import CLEAR_MARGIN, POLICY_TOLERANCE, build_instance

TIE_BREAKS = ["centre", "vertex", "utilitarian"]
FAMILIES = {"hostile": make_hostile, "wide": make_wide, "clones": make_clones, "weighty": make_weighty}


def permute_instance(means, weights, seed):
    rng = np.random.default_rng([83, seed])
    arms, agents = rng.permutation(means.shape[1]), rng.permutation(len(means))
    return build_instance(np.ascontiguousarray(means[agents][:, arms]), weights[agents]), arms


@pytest.mark.parametrize("tie_break", ["centre", "utilitarian"])
@pytest.mark.parametrize("family", list(FAMILIES))
def test_a_clear_choice_does_not_depend_on_any_order(family, tie_break):
    for number in {"hostile": range(0, 60, 10), "wide": (0, 2)}.get(family, range(3)):
        means, weights = FAMILIES[family](number)
        instance, (other, arms) = build_instance(means, weights), permute_instance(means, weights, number)
        for objective in RULE_GROUPS["paper"]:
            one, two = (iso.solve(each, objective, tie_break=tie_break) for each in (instance, other))
            if min(one.tie_margin, two.tie_margin) > CLEAR_MARGIN:
                assert np.abs(one.policy[arms] - two.policy).max() <= POLICY_TOLERANCE, (number, objective)


@pytest.mark.parametrize("shape", [(4, 100, 1e-9), (4, 100, 1e-8), (20, 100, 1e-7), (4, 30, 1e-9)])
def test_a_table_all_but_constant_has_one_answer_in_any_order_and_it_has_the_largest_utility(shape):
    """Every policy is optimal to 1e-12; a curvature that is only just taken for flat is told in the margin."""
    agents, arms, unit = shape
    rng = np.random.default_rng(3)
    means = np.clip(0.5 + unit * rng.standard_normal((agents, arms)), 0, 1)
    weights = np.ones(agents, dtype=np.int64)
    other, order = permute_instance(means, weights, 0)
    one = iso.solve(build_instance(means, weights), "inequality", tie_break="utilitarian")
    two = iso.solve(other, "inequality", tie_break="utilitarian")
    clear = min(one.tie_margin, two.tie_margin) > CLEAR_MARGIN
    assert np.abs(one.policy[order] - two.policy).max() <= (POLICY_TOLERANCE if clear else 1e-8)
    if unit <= 1e-8:  # every arm is as good as any
        assert means.mean(axis=0) @ one.policy >= means.mean(axis=0).max() - 1e-12


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_agents_in_another_order_have_the_same_corner_too(tie_break):
    for number in range(5, 100, 20):
        means, weights = make_hostile(number)
        order = np.random.default_rng(number).permutation(len(means))
        for objective in RULE_GROUPS["paper"]:
            one = iso.solve(build_instance(means, weights), objective, tie_break=tie_break)
            two = iso.solve(build_instance(means[order], weights[order]), objective, tie_break=tie_break)
            if min(one.tie_margin, two.tie_margin) > CLEAR_MARGIN:
                assert np.abs(one.policy - two.policy).max() <= POLICY_TOLERANCE, (number, objective)


@pytest.mark.parametrize("number", [2214, 2271, 3971, 4994])
def test_a_multiplier_next_to_nothing_is_told_in_the_margin(number):
    """Of an agent who holds the least down by 1e-14 to 1e-9, depth and rounding decide what is chosen: another order
    moved it by 1e-9 to 5e-6."""
    means, weights = make_hostile(number)
    for seed in range(10):
        other, order = permute_instance(means, weights, seed)
        one, two = (iso.solve(each, "egalitarian") for each in (build_instance(means, weights), other))
        if min(one.tie_margin, two.tie_margin) > CLEAR_MARGIN:
            assert np.abs(one.policy[order] - two.policy).max() <= POLICY_TOLERANCE
