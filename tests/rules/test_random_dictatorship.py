"""Random dictatorship for known means, and the plain products of Definitions 3 and 4."""

from fractions import Fraction

import numpy as np
import pytest

import isegoria as iso


def test_every_agent_has_an_equal_chance_and_plays_its_own_favourites():
    rng = np.random.default_rng(1)
    for _ in range(60):
        means, weights = rng.integers(0, 3, (5, 4)) / 2, rng.integers(1, 4, 5)
        instance = iso.Instance(means, weights=weights)
        one_by_one = np.repeat(instance.favourites, weights, axis=0)
        expected = (one_by_one / one_by_one.sum(axis=1, keepdims=True)).mean(axis=0)
        policy = iso.solve(instance, "random-dictatorship").policy
        assert policy == pytest.approx(expected, abs=1e-15)
        assert iso.score(instance, policy).procedural >= 1 - 1e-9
        with pytest.raises(ValueError, match="read-only"):
            policy[0] = 1


def test_the_plain_product_is_exact_and_leaves_nobody_out():
    instance = iso.Instance([[0.5, 0.1], [0.2, 0.9], [1, 0]], weights=[1, 2, 1])
    half = [Fraction(1, 2), Fraction(1, 2)]
    product = instance.nash_product(half)
    assert product.exact == Fraction(3, 10) * Fraction(11, 20) ** 2 * Fraction(1, 2)
    assert product.value == pytest.approx(float(product.exact))
    assert instance.nash_product({"Arm 1": 0.5, "Arm 2": 0.5}).exact == product.exact
    assert instance.nash_product(half, payoff="shares").exact == Fraction(1, 16)
    nothing = iso.Instance([[1, 0], [0, 0]]).nash_product([1, 0])
    assert (nothing.log, nothing.value, nothing.exact) == (-np.inf, 0.0, 0)


def test_a_large_group_has_a_logarithm_and_no_digits():
    product = iso.Instance([[1, 0], [0, 1]], weights=[600, 600]).nash_product([0.5, 0.5], payoff="shares")
    assert product.log == pytest.approx(1200 * np.log(0.5))
    assert product.exact is None
    with pytest.warns(iso.PolicyWarning), pytest.raises(iso.InputError, match="fractions must sum to exactly 1"):
        iso.Instance([[1, 0]]).nash_product([Fraction(1, 2), Fraction(499999999, 1000000000)]).exact  # noqa: B018
    with pytest.raises(iso.UnknownNameError, match="Nash product of"):
        iso.Instance([[1, 0]]).nash_product([1, 0], payoff="share")
