"""Compute favourites from decimal ratings, and voices in whole units, exactly.

Anyone can recompute the same favourite sets and rows: decimals are compared exactly, and every row adds up exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from isegoria.errors import InputError
from isegoria.record.format.canonical_json import SAFE_INTEGER_LIMIT, parse_decimal
from isegoria.record.format.identities import RatingRow
from isegoria.utils.messages import Message

UNITS_PER_VOICE = 3_724_680_960
"""16 · lcm(1 … 20), which ties of up to 20 arms and blocks of up to 20 draws divide evenly."""

MAX_BLOCK_DRAWS = 20
SHARE_SCALE = 2.0**62  # shares become whole numbers before division, so that every remainder is exact


def compute_total_units(weight: int) -> int:
    """Return W·U, the number of units of all voices. Raise `InputError` if the group is too large for exact numbers.

    >>> compute_total_units(3)
    11174042880
    """
    if weight * UNITS_PER_VOICE >= SAFE_INTEGER_LIMIT:
        raise InputError(
            Message(
                "group_total_weight_too_large_exact",
                weight=weight,
                units_per_voice=UNITS_PER_VOICE,
                value=(SAFE_INTEGER_LIMIT - 1) // UNITS_PER_VOICE,
            )
        )
    return weight * UNITS_PER_VOICE


def compute_units_per_voice(weight: int) -> int:
    """Return U, the units of one voice in a group of total weight W: the largest multiple of `UNITS_PER_VOICE` that
    fits.

    >>> compute_units_per_voice(10), compute_units_per_voice(2_000_000) == UNITS_PER_VOICE
    (900717248471040, True)
    """
    compute_total_units(weight)
    return UNITS_PER_VOICE * max(1, (SAFE_INTEGER_LIMIT - 1) // (weight * UNITS_PER_VOICE))


def round_rows(shares: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Round each row of `shares` (m, K) to whole numbers that sum to `totals` (m,), by largest remainder.

    After rounding down, the missing units go to the largest remainders, and among equal remainders to the lower arm.
    Entries of 0 stay 0.

    >>> round_rows(np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.2]]), np.array([3, 10])).tolist()
    [[2, 1, 0], [4, 3, 3]]
    """
    rows = []
    for row, total in zip(shares.tolist(), totals.tolist(), strict=True):
        top = max(row)
        held = [k for k, share in enumerate(row) if share > 0]
        units = [0] * len(row)
        for k, found in zip(held, apportion([int(row[k] / top * SHARE_SCALE) for k in held], total), strict=True):
            units[k] = found
        rows.append(units)
    return np.array(rows, dtype=np.int64).reshape(shares.shape)


def apportion(parts: Sequence[int], total: int) -> list[int]:
    """Divide `total` units in proportion to the whole numbers `parts`, by largest remainder; ties go to the lower one.

    >>> apportion([1, 1, 1], 10)
    [4, 3, 3]
    """
    if len(parts) == 1:
        return [total]
    whole = sum(parts)
    units, left = map(list, zip(*(divmod(part * total, whole) for part in parts), strict=True))
    for place in sorted(range(len(parts)), key=lambda i: (-left[i], i))[: total - sum(units)]:
        units[place] += 1
    return units


def build_exploring_row(arms: int, held: Sequence[int], leader: int, total: int, explore: Fraction) -> list[int]:
    """Return the units (K,) of a member in doubt: 1 − `explore` on their leader, the rest equally on their other arms.

    >>> build_exploring_row(4, [0, 1, 3], 1, 10, Fraction(1, 4))
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


# -- favourites --------------------------------------------------------------------------------------------------------

RATING_TIE_TOLERANCE = Fraction(1, 10**12)
"""Arms whose ratings are this close to a member's best, as a fraction of the scale's length, are favourites too."""

FLOAT_TIE_MARGIN = 1e-9
"""Ratings that differ by more than this fraction of the scale, or not at all, are compared as doubles; others
exactly."""

MAX_SCALE_OFFSET = 1e3
"""If an end of the scale is further from 0 than this many times its length, doubles are too inexact to compare."""


def compute_favourite_sets(
    rows: Sequence[RatingRow | None], arms: int, available: Sequence[int], scale: Sequence[str]
) -> np.ndarray:
    """Return (N, K) booleans: the available arms that each member rated best, or all available ones if they rated none.

    >>> compute_favourite_sets([["4", "4", "5"], ["1", None, "1"], None], 3, [0, 1], ["0", "5"]).astype(int).tolist()
    [[1, 1, 0], [1, 0, 0], [1, 1, 0]]
    """
    low, high = map(parse_decimal, scale)
    span, open_arms = float(high - low), np.zeros(arms, dtype=bool)
    open_arms[list(available)] = True
    values = _parse_ratings(rows, arms)
    values[:, ~open_arms] = -np.inf
    best = values.max(axis=1)
    unrated = best == -np.inf
    with np.errstate(invalid="ignore"):
        gap = best[:, None] - values
    sets = gap == 0
    sets[unrated] = open_arms
    near = ((gap > 0) & (gap <= FLOAT_TIE_MARGIN * span)).any(axis=1)
    if max(abs(float(low)), abs(float(high))) > MAX_SCALE_OFFSET * span:
        near = ~unrated
    for i in np.flatnonzero(near & ~unrated).tolist():
        sets[i] = _compare_exactly(rows[i] or (), arms, available, (high - low) * RATING_TIE_TOLERANCE)
    return sets


def _parse_ratings(rows: Sequence[RatingRow | None], arms: int) -> np.ndarray:
    """Return the ratings as doubles (N, K), minus infinity where missing. Each distinct text is parsed once."""
    nothing = [None] * arms
    flat = [value for row in rows for value in (nothing if row is None else [*row, *nothing[len(row) :]])]
    number = {text: -np.inf if text is None else float(text) for text in set(flat)}
    return np.fromiter(map(number.__getitem__, flat), dtype=float, count=len(flat)).reshape(len(rows), arms)


def _compare_exactly(row: RatingRow, arms: int, available: Sequence[int], tie: Fraction) -> np.ndarray:
    rated = {k: parse_decimal(value) for k in available if k < len(row) and (value := row[k]) is not None}
    least = max(rated.values()) - tie
    found = np.zeros(arms, dtype=bool)
    found[[k for k, value in rated.items() if value >= least]] = True
    return found
