"""Rows and codes merged, sorted and averaged: against NumPy's own sorting and sums."""

import numpy as np
import pytest

from isegoria.solvers.rows.codes import pack, shares, unpack
from isegoria.solvers.rows.duplicate_arms import FIRST_BLOCK_ROWS, DuplicateArms, group_equal_columns
from isegoria.solvers.rows.merge import merge_codes, merge_rows
from isegoria.solvers.rows.scan_means import mean_row, scan


@pytest.mark.parametrize("count", [1, 2, 64, 65, 256, 257, 5_000])
@pytest.mark.parametrize("bits", [1, 8, 9, 33, 64])
def test_codes_are_merged_as_numpy_would(count, bits):
    rng = np.random.default_rng([count, bits])
    codes = rng.integers(0, 2**bits - 1, count, dtype=np.uint64, endpoint=True)
    weights = rng.integers(1, 100, count)
    expected, member = np.unique(codes, return_inverse=True)
    for given, each in ((None, np.ones(count, dtype=np.int64)), (weights, weights)):
        distinct, totals, whose = merge_codes(codes, given, members=True)
        assert (distinct == expected).all()
        assert (whose == member).all()
        assert (totals == np.bincount(member, each)).all()
    assert merge_codes(codes)[2] is None


@pytest.mark.parametrize("count", [1, 2, 64, 65, 3_000])
@pytest.mark.parametrize("levels", [2, 11, 10**9])
def test_rows_are_merged_as_numpy_would(count, levels):
    rng = np.random.default_rng([count, levels])
    rows = rng.integers(0, levels, (count, 3)) / levels
    weights = rng.integers(1, 100, count)
    expected, member = np.unique(rows, axis=0, return_inverse=True)
    distinct, totals, whose = merge_rows(rows, weights)
    assert (distinct == expected).all()
    assert (whose == member.ravel()).all()
    assert (totals == np.bincount(member.ravel(), weights)).all()


def test_minus_zero_is_zero():
    assert len(merge_rows(np.array([[0.0, 1.0], [-0.0, 1.0]]))[0]) == 1


def test_merged_arrays_are_read_only():
    arrays = (*merge_rows(np.eye(2)), *merge_codes(np.array([1, 2], dtype=np.uint64), members=True))
    assert not any(array.flags.writeable for array in arrays)


def test_codes_and_rows_are_the_same_sets():
    rows = np.random.default_rng(3).random((40, 64)) < 0.3
    assert (unpack(pack(rows), 64) == rows).all()


def test_shares_sum_to_one():
    weights = np.array([1, 10**12, 3])
    assert shares(weights) == pytest.approx(weights / weights.sum(), rel=1e-15)


@pytest.mark.parametrize("count", [1, 1_023, 1_024, 5_000])
def test_the_mean_row_is_exact_to_rounding(count):
    rng = np.random.default_rng(count)
    rows, weights = rng.random((count, 3)), rng.integers(1, 10**6, count)
    assert mean_row(rows) == pytest.approx(rows.mean(axis=0), rel=1e-14)
    assert mean_row(rows, weights) == pytest.approx(np.average(rows, axis=0, weights=weights), rel=1e-14)


@pytest.mark.parametrize("wrong", [np.eye(3)[:, ::2], np.eye(3, dtype=np.float32), np.eye(3)[0]])
def test_an_array_that_a_kernel_cannot_read_is_refused(wrong):
    with pytest.raises(TypeError, match="cannot read"):
        scan(wrong, 1e-12)


@pytest.mark.parametrize(
    "agents", [1, FIRST_BLOCK_ROWS - 1, FIRST_BLOCK_ROWS, FIRST_BLOCK_ROWS + 1, 6 * FIRST_BLOCK_ROWS]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_arms_are_alike_if_no_agent_tells_them_apart_however_late(agents, order):
    rng = np.random.default_rng(agents)
    for seen in range(20):
        rows = ((rng.random((agents, 30)) < 0.02) * 1.0)[:, rng.integers(0, 1 + seen, 30)]
        rows[-1, 0] += 0.5 * (seen % 2)  # the last agent alone tells the first arm from its twins
        rows = np.array(rows, order=order)
        wanted = np.unique(rows.T, axis=0, return_inverse=True)[1].ravel()
        found = group_equal_columns(rows)
        assert (found is None) == (wanted.max() + 1 == 30)
        assert found is None or np.array_equal(DuplicateArms.of(found).member, DuplicateArms.of(wanted).member)
