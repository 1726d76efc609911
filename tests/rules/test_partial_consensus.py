"""Maximum partial consensus (MaxParC): its definition, its axioms and its counterexamples."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.analysis.axioms.known_results import GRADED_COUNTEREXAMPLES, rules_failing
from oracles.partial_consensus import count_disagreements, list_solutions


def test_maxparc_equals_largest_solution_on_small_profiles():
    assert count_disagreements(150, seed=7) == 0


def test_union_of_solutions_is_no_larger_than_largest():
    rng = np.random.default_rng(3)
    for _ in range(60):
        solutions = list_solutions([rng.integers(0, 6) / 5 for _ in range(5)], [1] * 5)
        assert set.union(*solutions) == max(solutions, key=len)


def test_rating_equal_to_opposition_does_not_approve():
    table = [[1, 0], [0.29, 1], *[[0, 1]] * 29, *[[1, 0]] * 69]
    policies = [iso.solve(iso.Instance(table), "MaxParC").policy[0]]
    table[1][0] = 0.2900001
    policies.append(iso.solve(iso.Instance(table), "MaxParC").policy[0])
    assert policies == pytest.approx([0.7, 0.71], abs=1e-12)


def test_lone_favourite_is_approved_whatever_its_rating():
    table = [[0.3, 0], *[[0, 1]] * 199]
    assert iso.solve(iso.Instance(table), "maxparc").policy == pytest.approx([1 / 200, 199 / 200], abs=1e-15)


def test_maxparc_is_conditional_utilitarian_on_approvals():
    rng = np.random.default_rng(0)
    for _ in range(40):
        group = iso.Instance((rng.random((7, 5)) < 0.4).astype(float), weights=rng.integers(1, 5, 7))
        same = iso.solve(group, "cut").policy
        np.testing.assert_allclose(iso.solve(group, "maxparc").policy, same, rtol=0, atol=1e-15)


def measure_graded_failure(axiom, group):
    policy = iso.solve(group, "maxparc").policy
    if axiom == "strategyproof":
        lie = iso.solve(iso.Instance([[1, 0, 0], group.means[1]]), "maxparc").policy
        return [group.means[0] @ policy, group.means[0] @ lie], [0.6, 0.65]
    if axiom == "ex-post":
        return policy[:2], [1 / 6, 1 / 6]
    if axiom.startswith("participation"):
        away = iso.solve(iso.Instance(group.means[:-1]), "maxparc").policy
        return [group.means[-1] @ policy, group.means[-1] @ away], [0.55, 0.6]
    assert iso.axioms.check(group, "maxparc", "ifs").holds is False
    return policy, [0, 1, 0]


@pytest.mark.parametrize("axiom", GRADED_COUNTEREXAMPLES)
def test_graded_counterexample_shows_its_numbers(axiom):
    measured, told = measure_graded_failure(axiom, iso.Instance(GRADED_COUNTEREXAMPLES[axiom][0]))
    assert measured == pytest.approx(told, abs=1e-12)
    assert "maximum-partial-consensus" in rules_failing(axiom.split()[0])


def test_raising_a_rating_never_costs_the_arm():
    rng = np.random.default_rng(5)
    for _ in range(150):
        table = rng.integers(0, 6, (int(rng.integers(2, 7)), 4)) / 5
        i, k = int(rng.integers(len(table))), int(rng.integers(4))
        before = iso.solve(iso.Instance(table), "maxparc").policy[k]
        table[i, k] = min(1, table[i, k] + rng.integers(1, 6) / 5)
        assert iso.solve(iso.Instance(table), "maxparc").policy[k] >= before - 1e-12


def test_arm_that_all_accept_a_little_takes_everything():
    table = np.eye(4, 5)
    table[:, 4] = 0.01
    assert iso.solve(iso.Instance(table), "maxparc").policy.tolist() == [0, 0, 0, 0, 1]
