"""Nash: the paper's examples, agents without value, and tables large and small."""

import numpy as np
import pytest

import isegoria as iso


def test_the_papers_examples():
    assert iso.solve(iso.Instance([[1, 0.99], [0, 1]]), "nash").policy.tolist() == [0, 1]
    assert iso.solve(iso.Instance([[0.4, 1], [1, 0.6]]), "nash").policy == pytest.approx([1 / 12, 11 / 12], abs=1e-12)


def test_agents_without_any_value_change_nothing_and_alone_leave_every_policy_optimal():
    with_them = iso.solve(iso.Instance([[1, 0], [0, 0], [0, 1]]), "nash")
    assert with_them.policy.tolist() == [0.5, 0.5]
    assert with_them.value == pytest.approx(0.5)
    nobody = iso.solve(iso.Instance([[0, 0, 0]]), "nash")
    assert (nobody.value, nobody.gap, nobody.policy.sum()) == (0, 0, pytest.approx(1))


@pytest.mark.parametrize("distinct", [20, 3_000, 30_000])
def test_a_large_table_is_the_small_one_many_times(distinct):
    rng = np.random.default_rng(distinct)
    rows = np.round(rng.random((distinct, 8)), 6)
    small = iso.solve(iso.Instance(rows), "nash")
    large = iso.solve(iso.Instance(np.repeat(rows, 2 + 30_000 // distinct, axis=0)), "nash")
    assert large.gap <= 1e-9
    assert large.value == pytest.approx(small.value, rel=1e-9)
    np.testing.assert_allclose(large.policy, small.policy, atol=1e-8)


def test_a_lone_agent_among_many_still_counts():
    means = np.random.default_rng(0).random((30_000, 8))
    means[:, 0] = 0
    means[7] = [1, 0, 0, 0, 0, 0, 0, 0]
    solution = iso.solve(iso.Instance(means), "nash")
    assert solution.gap <= 1e-9
    assert solution.policy[0] == pytest.approx(1 / 30_000, rel=1e-6)


def test_an_arm_that_is_just_not_worth_it_is_left_alone():
    """Arm 1 is tight at the optimum, and has no probability there: a search that stops at a small gap leaves some."""
    instance = iso.Instance([(0, 1, 1, 1), (1, 1, 1, 1), (1, 0.6, 0.6, 0.6)], weights=[2, 5, 3])
    policy = iso.solve(instance, "nash").policy
    assert policy == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=1e-12)
