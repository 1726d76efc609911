"""The quantities of the regret theorem: against their definitions, and with the sense they must make."""

import math

import numpy as np
import pytest

import isegoria as iso
from isegoria.datasets import load_dots_sample
from isegoria.errors import InputError
from isegoria.learning.regret_bounds import expected_pulls_by, power_sum


def test_the_dots_bound_is_vacuous_and_said_all_the_same():
    theory = iso.regret_bounds(load_dots_sample(), 100_000)
    assert theory.recovery_round == pytest.approx(3.9e6, rel=0.01)
    assert theory.vacuous
    assert theory.regret == 100_000
    assert theory.gap == pytest.approx(0.27)
    assert theory.expected_exploring == pytest.approx(sum(t**-0.3 for t in range(5, 100_001)))
    assert theory.concentration_failure == 3 / 200**3
    assert theory.recovery_probability == pytest.approx(1 - 3 / 200**3)
    few = iso.regret_bounds(iso.Instance(np.eye(2)), 20)
    assert few.exploring_failure == pytest.approx(math.exp(-few.expected_exploring / 3), rel=1e-9, abs=0) != 0
    assert few.count_failure == pytest.approx(2 * math.exp(-few.samples / 8), rel=1e-9, abs=0) != 0


def test_an_easy_instance_has_a_bound_that_binds():
    theory = iso.regret_bounds(iso.Instance([[1.0, 0.0], [0.0, 1.0]]), 10**6, gamma=0.99)
    assert not theory.vacuous
    assert theory.regret == theory.terms[0] + theory.terms[2] == theory.recovery_round - 1
    assert 2 * (1 + theory.alpha) * theory.radius < theory.gap


@pytest.mark.parametrize("gamma", [0.3, 0.7, 0.95])
def test_the_recovery_round_is_the_first_that_the_proof_allows(gamma):
    instance = load_dots_sample()
    theory = iso.regret_bounds(instance, 1000, gamma=gamma, alpha=1.5)
    limit = (1 + 16 * 2.5**2 * gamma * 4 * math.log(50 * 4 * 1000) / 0.27**2) ** (1 / gamma)
    assert limit < theory.recovery_round <= limit + 1
    assert theory.samples == expected_pulls_by(theory.recovery_round, 4, gamma)
    assert theory.samples >= (theory.recovery_round**gamma - 1) / (gamma * 4)


def test_long_sums_are_as_exact_as_short_ones():
    for last in (7, 99_999, 100_010, 1_000_000):
        assert power_sum(5, last, -0.3) == pytest.approx(math.fsum(np.arange(5.0, last + 1) ** -0.3), rel=1e-14)
    assert power_sum(5, 4, -0.3) == 0


def test_gap_definition_and_indifferent_agents():
    assert iso.regret_bounds(iso.Instance([[0.5, 0.5], [0.25, 1.0]]), 10).gap == 0.75
    indifferent = iso.regret_bounds(iso.Instance([[0.5, 0.5]]), 100)
    assert indifferent.gap == math.inf
    assert indifferent.regret == 2
    assert indifferent.count_failure == 0


def test_extreme_settings_give_infinities():
    theory = iso.regret_bounds(iso.Instance([[0.5, 0.5 + 1e-8]]), 10, gamma=0.001)
    assert theory.recovery_round == math.inf
    assert theory.regret == 10


@pytest.mark.parametrize("wrong", [{"gamma": 1.0}, {"alpha": 0.5}, {"rounds": 0}])
def test_settings_are_checked(wrong):
    with pytest.raises(InputError):
        iso.regret_bounds(load_dots_sample(), **{"rounds": 10, **wrong})
