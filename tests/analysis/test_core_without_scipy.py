"""The core, rewards and checks of a rule where SciPy is not installed, as in a browser tab."""

import sys

import numpy as np
import pytest

import isegoria as iso
from isegoria.preferences.synthetic_rewards import to_truncated_normal
from isegoria.solvers.coalition.blocking import best_deviation
from isegoria.solvers.coalition.dual_simplex_tableau import INFEASIBLE, SOLVED, maximise_total_gain
from isegoria.testing import check_rule


@pytest.fixture
def without_scipy(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)


def make_gains(seed: int) -> np.ndarray:
    rng = np.random.default_rng([71, seed])
    gains = rng.normal(rng.uniform(-0.3, 0.6), 0.3, rng.integers(1, [9, 7]))
    return gains.round(1) if seed % 3 == 0 else gains  # ties, too


def test_tableau_agrees_with_scipy():
    from scipy.optimize import linprog

    statuses = []
    for seed in range(400):
        gains = make_gains(seed)
        answer = maximise_total_gain(gains)
        members, arms = gains.shape
        expected = linprog(-gains.sum(axis=0), -gains, np.zeros(members), np.ones((1, arms)), [1.0])
        statuses.append(answer.status)
        assert answer.status == expected.status, seed
        if answer.status == SOLVED:
            assert answer.x.sum() == pytest.approx(1, abs=1e-9)
            assert (gains @ answer.x).min() >= -1e-9
            assert gains.sum(axis=0) @ answer.x == pytest.approx(-expected.fun, abs=1e-9)
            bound = ((1 - answer.ineqlin.marginals) @ gains).max()
            assert bound == pytest.approx(-expected.fun, abs=1e-8)
    assert {SOLVED, INFEASIBLE} == set(statuses)


def test_deviations_and_audits_are_the_same(without_scipy, monkeypatch):
    lunch = iso.Instance([[5, 1, 2], [5, 2, 1], [1, 4, 5], [2, 5, 3]] / np.float64(5))
    fair = iso.solve(lunch, "procedural").policy
    found = [repr(iso.audit(lunch, policy)) for policy in (fair, [1, 0, 0], [0.2, 0.3, 0.5])]
    rows, shares = lunch.means / lunch.means.max(axis=1, keepdims=True), np.full(4, 0.25)
    members = np.array([False, False, True, True])
    one = best_deviation(rows, shares, rows @ np.array([1.0, 0, 0]), members)
    monkeypatch.undo()
    two = best_deviation(rows, shares, rows @ np.array([1.0, 0, 0]), members)
    assert one.bound == pytest.approx(two.bound, abs=1e-8)
    np.testing.assert_allclose(one.policy, two.policy, atol=1e-8)
    assert found == [repr(iso.audit(lunch, policy)) for policy in (fair, [1, 0, 0], [0.2, 0.3, 0.5])]


def test_rewards_and_checks_need_no_scipy(without_scipy, monkeypatch):
    uniforms = np.linspace(0, 1, 1001)
    found, checks = to_truncated_normal(uniforms), len(check_rule(iso.RULES["procedural"]))
    monkeypatch.undo()
    np.testing.assert_allclose(found, to_truncated_normal(uniforms), atol=1e-12)
    assert checks == len(check_rule(iso.RULES["procedural"]))
