"""A given policy is taken, repaired with a word, or refused; what comes back is on the simplex to the last bit."""

import warnings

import numpy as np
import pytest

import isegoria as iso

INSTANCE = iso.Instance([[1, 0, 0]], arms=["tea", "milk", "mate"])


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ([0.5, 0.5], r"2 entries; expected a probability for each of 3 arms \(tea, milk, mate\)"),
        ([[1, 0, 0]], r"shape \(1, 3\)"),
        ([0.5, 0.4, 0], "sums to 0.9; .*Divide it by 0.9"),
        ([0, 0, 0], "Give some arm"),
        ([1.1, -0.1, 0], r"policy\[1\] \(arm 'milk'\) is -0.1"),
        ([1 + 2e-9, -2e-9, 0], r"policy\[1\]"),
        ([0.5, 0.5 + 2e-6, 0], "sums to"),
        ([np.nan, 1, 0], r"policy\[0\] \(arm 'tea'\) is nan"),
        ([1e308, 1e308, 0], r"policy\[0\] \(arm 'tea'\) is 1e\+308; probabilities must be numbers from 0 to 1"),
        ([np.inf, 1, 0], r"policy\[0\].*inf"),
        (["a", 0, 1], "not a list of numbers"),
        (None, "shape"),
        (np.array([1, 0, 0j]), "not a list of numbers"),
        (np.ma.array([0.5, 0.5, 0], mask=[0, 1, 0]), r"policy\[1\] \(arm 'milk'\) is nan"),
        (np.ma.array([1, 0, 0j]), "not a list of numbers"),
        (np.ma.array(["a", "b", "c"]), "not a list of numbers"),
        ({"tee": 1}, "did you mean 'tea'"),
        ({"tea": 0.5}, "sums to 0.5"),
    ],
)
def test_far_from_the_simplex_is_refused(policy, says):
    with pytest.raises(iso.InputError, match=says):
        INSTANCE.validate_policy(policy)


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ([0.333333, 0.333333, 0.333333], "sum was 0.999999"),
        ([1, -1e-9, 0], "least entry was -1e-09"),
        ([1 + 1e-9, -1e-9, 0], "least entry"),
    ],
)
def test_near_the_simplex_is_repaired_and_said(policy, says):
    with pytest.warns(iso.PolicyWarning, match=says) as caught:
        repaired = INSTANCE.validate_policy(policy)
    assert caught[0].filename == __file__
    assert repaired.min() >= 0
    assert abs(repaired.sum() - 1) <= 1e-15


@pytest.mark.parametrize("seed", range(20))
def test_rounding_is_mended_in_silence(seed):
    rng = np.random.default_rng(seed)
    instance = iso.Instance(np.ones((1, int(rng.integers(1, 200)))))
    policy = rng.dirichlet(np.full(len(instance.arms), 0.3)) * (1 + 1e-13)
    given = policy.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checked = instance.validate_policy(policy)
    assert abs(checked.sum() - 1) <= 1e-15
    assert checked.min() >= 0
    assert (policy == given).all()
    assert instance.validate_policy(checked).tolist() == checked.tolist()


def test_a_mapping_gives_probabilities_by_name():
    assert INSTANCE.validate_policy({"mate": 0.25, "tea": 0.75}).tolist() == [0.75, 0, 0.25]


def test_a_labelled_series_is_read_by_its_labels():
    pandas = pytest.importorskip("pandas")
    assert INSTANCE.validate_policy(pandas.Series({"mate": 0.7, "tea": 0.3})).tolist() == [0.3, 0.0, 0.7]
    assert INSTANCE.validate_policy(pandas.Series([0.7, 0.3, 0])).tolist() == [0.7, 0.3, 0.0]
    with pytest.raises(iso.InputError, match="names arm 'tea' twice"):
        INSTANCE.validate_policy(pandas.Series([0.4, 0.2, 0.4], index=["tea", "milk", "tea"]))


def test_a_policy_for_a_single_arm_is_asked_for_in_the_singular():
    with pytest.raises(iso.InputError, match=r"2 entries; expected one for the only arm \(tea\)"):
        iso.Instance([[1]], arms=["tea"]).validate_policy([0.5, 0.5])
