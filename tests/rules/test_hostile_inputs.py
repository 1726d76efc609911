"""A sample of the hostile suite; `make stress` runs all of it."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from oracles.cvxpy_rules import AGREEMENT, make_moderate, solve_value
from oracles.hostile_instances import make_hostile
from oracles.solution_checks import build_instance
from stress import against_cvxpy, chunk, wide_chunk

HOSTILE = range(0, 10_000, 80)
FAIRLY_EVERY = 400
HARD = (1746, 4470, 14753, 21997, 26608, 32915, 49748, 53351, 65497, 66525)
"""Numbers that once broke a promise: searches that went in circles, a basis that fell apart, margins said too large."""


@pytest.mark.parametrize("first", range(0, 10_000, 2_000))
def test_hostile_instances_break_no_promise(first):
    tally = chunk([number for number in HOSTILE if first <= number < first + 2_000], FAIRLY_EVERY)
    assert tally.faults == []
    assert {objective: tally.count[objective, "exceptions"] for objective in RULE_GROUPS["paper"]} == dict.fromkeys(
        RULE_GROUPS["paper"], 0
    )


@pytest.mark.parametrize("first", range(3))
def test_wide_instances_break_no_promise(first):
    assert wide_chunk(range(4 * first, 4 * first + 4)).faults == []


@pytest.mark.parametrize("family", ["clones", "weighty"])
def test_clones_and_weights_of_many_decades_break_no_promise(family):
    assert wide_chunk(range(6), family).faults == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 42, 14))
def test_ordinary_families_break_no_promise(first):
    assert wide_chunk(range(first, first + 14), "ordinary").faults == []


def test_squares_break_no_promise():
    assert wide_chunk(range(7), "square").faults == []


def test_nash_products_never_give_up_where_weights_span_fourteen_decades():
    for number in (4, 200, *range(0, 600, 10)):
        means, _ = make_hostile(number)
        weights = np.ceil(10 ** (14 * np.random.default_rng(number).random(len(means)))).astype(np.int64)
        for objective in ("procedural", "nash"):
            assert iso.solve(build_instance(means, weights), objective).gap <= 1e-9


def test_what_was_hard_once_among_the_fair_breaks_no_promise():
    """The corners of the fair that join leave a gap of 1e-12; projections onto levels close it."""
    tally = chunk([6430], 1)
    assert tally.faults == []
    assert tally.count["egalitarian", "fair exceptions"] == 0


@pytest.mark.parametrize("number", HARD)
def test_what_was_hard_once_breaks_no_promise(number):
    tally = chunk([number], FAIRLY_EVERY)
    assert tally.faults == []
    assert sum(tally.count[objective, "exceptions"] for objective in RULE_GROUPS["paper"]) == 0


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_values_agree_with_an_independent_solver(first):
    assert against_cvxpy(range(first, first + 10)).faults == []


@pytest.mark.parametrize("objective", RULE_GROUPS["paper"])
def test_the_independent_solver_can_tell_a_wrong_value(objective):
    """The oracle is worth something only if it notices: compare with the value of another policy."""
    instance = build_instance(*make_moderate(2))
    worse = iso.RULES[objective].evaluate(instance, [1.0] + [0.0] * (len(instance.arms) - 1))
    assert abs(worse - solve_value(objective, instance)) > AGREEMENT
