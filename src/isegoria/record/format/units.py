"""Whole numbers for voices: how many units each member holds, and rows rounded so that they add up exactly."""

from __future__ import annotations

import numpy as np

from isegoria.errors import InputError

UNITS = 3_724_680_960
"""16 · lcm(1 … 20), the units of one voice: ties of up to 20 arms and blocks of up to 20 draws divide it evenly."""

LARGEST = 2**53
"""Every number of a record stays below this, so that JavaScript computes with it exactly."""

LONGEST_BLOCK = 20


def checked_total(weight: int, units: int = UNITS) -> int:
    """W·U, the units of all voices together; a group that is too large for exact numbers is refused.

    >>> checked_total(3)
    11174042880
    """
    if weight * units >= LARGEST:
        raise InputError(
            f"a group of total weight {weight:,} is too large for exact voices of {units:,} units each: "
            f"at most {(LARGEST - 1) // units:,}. Divide the group, or let one row stand for fewer people."
        )
    return weight * units


def rounded_rows(shares: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """(m, K) whole numbers in proportion to each row of `shares`, of sum `totals` (m,), by largest remainder.

    What is missing after rounding down goes to the largest remainders, between equal ones to the lower arm. An entry
    of 0 stays 0.

    >>> rounded_rows(np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.2]]), np.array([3, 10])).tolist()
    [[2, 1, 0], [4, 3, 3]]
    """
    exact = shares * (totals / shares.sum(axis=1))[:, None]
    rows = np.floor(exact).astype(np.int64)
    missing = totals - rows.sum(axis=1)
    if not missing.any():
        return rows
    remainder = np.round(exact - rows, 6)  # equal shares must not be told apart by the last bits of a product
    remainder[shares == 0] = -1
    order = np.argsort(-remainder, axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(shares.shape[1])[None, :], axis=1)
    rows += rank < missing[:, None]
    for row in np.flatnonzero(missing < 0):  # doubles above 2^52 may round up: take it back from the largest entry
        rows[row, rows[row].argmax()] += missing[row]
    return rows
