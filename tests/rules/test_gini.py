"""The Gini welfare: what its weights mean, over agents and not over rows, and which weights are refused."""

import numpy as np
import pytest

import isegoria as iso

MEANS = np.random.default_rng(8).random((6, 4))


def evaluate(instance, policy, **options):
    return iso.RULES["gini"].evaluate(instance, policy, **options)


def test_the_value_is_the_weighted_sum_of_sorted_utilities():
    weights = [3, 1, 2, 1, 1, 4]
    instance = iso.Instance(MEANS, weights=weights)
    policy = [0.1, 0.2, 0.3, 0.4]
    utilities = np.sort(np.repeat(MEANS @ policy, weights))
    assert evaluate(instance, policy) == pytest.approx(0.5 ** np.arange(12) @ utilities, abs=1e-15)


def test_equal_weights_are_utilitarian_and_a_single_one_is_egalitarian():
    instance = iso.Instance(MEANS)
    total = iso.solve(instance, "gini", gini_weights=[1] * 6)
    least = iso.solve(instance, "gini", gini_weights=[1, 0, 0, 0, 0, 0])
    assert total.value == pytest.approx(6 * iso.solve(instance, "utilitarian").value, abs=1e-11)
    assert least.value == pytest.approx(iso.solve(instance, "egalitarian").value, abs=1e-12)
    assert least.policy == pytest.approx(iso.solve(instance, "egalitarian").policy, abs=1e-9)


def test_weights_may_be_a_function_of_the_rank():
    instance = iso.Instance(MEANS, weights=[1, 2, 3, 1, 1, 1])
    listed = iso.solve(instance, "gini", gini_weights=[1 / rank for rank in range(1, 10)])
    told = iso.solve(instance, "gini", gini_weights=lambda rank: 1 / rank)
    assert told.value == listed.value
    assert told.policy.tolist() == listed.policy.tolist()


def test_the_unit_of_the_weights_does_not_matter():
    instance = iso.Instance(MEANS)
    one, two = (iso.solve(instance, "gini", gini_weights=scale * np.arange(6, 0, -1)) for scale in (1e-6, 1e6))
    assert two.policy == pytest.approx(one.policy, abs=1e-9)
    assert two.value == pytest.approx(1e12 * one.value)


def test_thousands_of_agents_need_no_more_than_the_first_ranks():
    rng = np.random.default_rng(9)
    instance = iso.Instance(rng.random((3000, 3)), weights=rng.integers(1, 4, 3000))
    solution = iso.solve(instance, "gini")
    assert solution.gap <= 1e-10
    spread = np.sort(np.repeat(instance.means @ solution.policy, instance.weights))
    assert solution.value == pytest.approx(0.5 ** np.arange(60) @ spread[:60], abs=1e-13)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 1], "have 2 numbers; expected 6, one weight for each agent"),
        ([1, 2, 1, 1, 1, 1], r"gini_weights\[1\] is 2"),
        ([1, 1, 1, 1, 1, -1], r"gini_weights\[5\] is -1"),
        ([np.nan, 1, 1, 1, 1, 1], r"gini_weights\[0\] is nan"),
        ([np.inf, 1, 1, 1, 1, 1], r"gini_weights\[0\] is inf"),
        ([0, 0, 0, 0, 0, 0], "all 0"),
        ("heavy", "must be numbers"),
        (lambda rank: "heavy", "must be numbers"),
        (lambda rank: rank, r"gini_weights\[1\] is 2"),
    ],
)
def test_weights_that_would_not_be_fair_are_refused(weights, sentence):
    with pytest.raises(iso.InputError, match=sentence):
        iso.solve(iso.Instance(MEANS), "gini", gini_weights=weights)
