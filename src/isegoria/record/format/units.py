"""Whole numbers for voices: how many units each member holds, and rows rounded so that they add up exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from isegoria.errors import InputError

UNITS = 3_724_680_960
"""16 · lcm(1 … 20): ties of up to 20 arms and blocks of up to 20 draws divide it evenly."""

LARGEST = 2**53
"""Every number of a record stays below this, so that JavaScript computes with it exactly."""

LONGEST_BLOCK = 20
FINEST = 2.0**62  # shares become whole numbers before they are divided: then every remainder is exact


def checked_total(weight: int) -> int:
    """W·U, the units of all voices together; a group that is too large for exact numbers is refused.

    >>> checked_total(3)
    11174042880
    """
    if weight * UNITS >= LARGEST:
        raise InputError(
            f"a group of total weight {weight:,} is too large for exact voices of {UNITS:,} units each: "
            f"at most {(LARGEST - 1) // UNITS:,}. Divide the group, or let one row stand for fewer people."
        )
    return weight * UNITS


def finest_units(weight: int) -> int:
    """U, the units of one voice in a group of total weight W: the largest multiple of `UNITS` that fits.

    >>> finest_units(10), finest_units(2_000_000) == UNITS
    (900717248471040, True)
    """
    checked_total(weight)
    return UNITS * max(1, (LARGEST - 1) // (weight * UNITS))


def rounded_rows(shares: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """(m, K) whole numbers in proportion to each row of `shares`, of sum `totals` (m,), by largest remainder.

    What is missing after rounding down goes to the largest remainders, between equal ones to the lower arm. An entry
    of 0 stays 0.

    >>> rounded_rows(np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.2]]), np.array([3, 10])).tolist()
    [[2, 1, 0], [4, 3, 3]]
    """
    rows = []
    for row, total in zip(shares.tolist(), totals.tolist(), strict=True):
        top = max(row)
        held = [k for k, share in enumerate(row) if share > 0]
        units = [0] * len(row)
        for k, found in zip(held, divided([int(row[k] / top * FINEST) for k in held], total), strict=True):
            units[k] = found
        rows.append(units)
    return np.array(rows, dtype=np.int64).reshape(shares.shape)


def divided(parts: Sequence[int], total: int) -> list[int]:
    """`total` units in proportion to whole numbers `parts`, by largest remainder, ties to the lower place.

    >>> divided([1, 1, 1], 10)
    [4, 3, 3]
    """
    if len(parts) == 1:
        return [total]
    whole = sum(parts)
    units, left = map(list, zip(*(divmod(part * total, whole) for part in parts), strict=True))
    for place in sorted(range(len(parts)), key=lambda i: (-left[i], i))[: total - sum(units)]:
        units[place] += 1
    return units


def doubters_row(arms: int, held: Sequence[int], leader: int, total: int, explore: Fraction) -> list[int]:
    """(K,) the units of a member in doubt: 1 − `explore` of them on her leader, the rest equal on her other arms.

    >>> doubters_row(4, [0, 1, 3], 1, 10, Fraction(1, 4))
    [1, 8, 0, 1]
    """
    row = [0] * arms
    if len(held) == 1:
        row[held[0]] = total
        return row
    each = explore / (len(held) - 1)
    quotas = {arm: total * (1 - explore if arm == leader else each) for arm in held}
    for arm, quota in quotas.items():
        row[arm] = int(quota)
    for arm in sorted(held, key=lambda k: (row[k] - quotas[k], k))[: total - sum(row)]:
        row[arm] += 1
    return row
