"""Favourite sets from decimals: quick doubles give what exact fractions give, whatever the scale and the gaps."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isegoria.record.format.canonical_json import format_decimal
from isegoria.record.format.voice_units import compute_favourite_sets

SCALES = [("0", "5"), ("1", "5"), ("-1", "1"), ("0", "0.001"), ("1000000", "1000001"), ("0", "1000000000000")]
GAPS = [Decimal(0), *(Decimal(10) ** -power for power in range(1, 18))]


@st.composite
def tables(draw):
    """(rows, available arms, scale): ratings that are almost equal, or missing."""
    low, high = draw(st.sampled_from(SCALES))
    arms = draw(st.integers(1, 5))
    span = Decimal(high) - Decimal(low)
    best = Decimal(low) + span * draw(st.integers(1, 10)) / 10
    rating = st.sampled_from(GAPS).map(lambda gap: format_decimal(max(Decimal(low), best - gap * span)))
    row = st.lists(st.none() | rating, min_size=arms, max_size=arms)
    rows = draw(st.lists(st.none() | row, min_size=1, max_size=4))
    available = draw(st.lists(st.integers(0, arms - 1), min_size=1, unique=True).map(sorted))
    return rows, available, (low, high), arms


def slowly(row, arms, available, scale):
    """Section 5 of docs/reference/record.md, word for word."""
    tie = (Fraction(scale[1]) - Fraction(scale[0])) / 10**12
    rated = {k: Fraction(row[k]) for k in available if row is not None and row[k] is not None}
    if not rated:
        return [k in available for k in range(arms)]
    return [k in rated and rated[k] >= max(rated.values()) - tie for k in range(arms)]


@given(tables())
def test_sets_are_those_of_exact_fractions(case):
    rows, available, scale, arms = case
    found = compute_favourite_sets(rows, arms, available, scale)
    assert found.tolist() == [slowly(row, arms, available, scale) for row in rows]


def test_a_shorter_row_is_from_before_an_arm_came():
    assert compute_favourite_sets([["1"], ["0"]], 3, [0, 2], ("0", "1")).astype(int).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert compute_favourite_sets([["1"]], 3, [1, 2], ("0", "1")).astype(int).tolist() == [[0, 1, 1]]
    assert np.array_equal(compute_favourite_sets([[]], 2, [0, 1], ("0", "1")), [[True, True]])
